// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what both halves of a UD or GSI QP do: one WQE, one packet, one completion.
 *
 * Nothing is kept: a WQE goes from the ring into a packet, and is over when IP has the
 * packet. The route of the last destination is the only thing that is remembered.
 */
#include <linux/hrtimer.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktime.h>
#include <net/ip.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "../link/charge.h"
#include "../link/socket.h"
#include "../memory/copy.h"
#include "../memory/cursor.h"
#include "../objects/state.h"
#include "burst.h"
#include "complete.h"
#include "datagram.h"
#include "inbound.h"
#include "recv.h"
#include "request.h"
#include "respond.h"
#include "scratch.h"
#include "trace.h"

#define BUDGET_PACKETS	32

/* Of a datagram: the MTU of the port (IBA 9.8.3.1). */
static u32 payload_max(const struct soro_qp *qp)
{
	enum ib_mtu mtu = iboe_get_mtu(soro_link_mtu(&qp->dev->link));

	return mtu ? ib_mtu_enum_to_int(mtu) : 0;
}

/* ---- sending ---- */

static u8 kind_of(u32 opcode)
{
	return opcode == SORO_ABI_OP_SEND || opcode == SORO_ABI_OP_SEND_IMM ? SORO_SEND :
									      SORO_KIND_COUNT;
}

/* The address of a datagram: a handle's, or what older providers put into the request. */
static const struct soro_av *find_address(struct soro_qp *qp, const struct soro_send_desc *desc,
					  struct soro_av *room)
{
	if (desc->ud_ah_num)
		return soro_ah_find(&qp->dev->ahs, qp->ib.pd, desc->ud_ah_num);
	return soro_ah_read(room, &qp->dev->ib, desc->ud_av) ? NULL : room;
}

/* Make the flow lead to an address; as long as that does not change, its route is kept. */
static void aim(struct soro_qp *qp, const struct soro_av *av, u32 qpn)
{
	const struct ib_global_route *grh = &av->attr.grh;
	u32 label = grh->flow_label & 0xfffff;
	u16 sport = rdma_get_udp_sport(label, qp->ib.qp_num, qpn);
	struct soro_flow *flow = &qp->req.flow;

	if (!memcmp(&flow->daddr, &grh->dgid, sizeof(flow->daddr)) &&
	    !memcmp(&flow->saddr, &av->sgid, sizeof(flow->saddr)) && flow->oif == av->ifindex &&
	    flow->tos == grh->traffic_class && flow->hop_limit == grh->hop_limit &&
	    flow->flow_label == label && flow->sport == sport)
		return;
	soro_flow_fini(flow);
	soro_flow_init(flow, &av->sgid, &grh->dgid, av->ifindex, grh->traffic_class,
		       grh->hop_limit, label, sport);
}

static u8 check_request(struct soro_qp *qp, const struct soro_send_desc *desc)
{
	u8 status = soro_datagram_sendable(kind_of(desc->opcode), desc->length, payload_max(qp));

	if (status)
		return status;
	if (qp->datagram.mads && desc->ud_pkey_index)
		return SORO_ST_LOC_QP_OP;
	if (!desc->inline_data && soro_cursor_check(&qp->dev->keys, qp->ib.pd, desc->sge,
						    desc->num_sge, 0))
		return SORO_ST_LOC_PROT;
	return SORO_ST_SUCCESS;
}

static void describe(struct soro_qp *qp, const struct soro_send_desc *desc,
		     struct soro_burst *burst)
{
	*burst = (struct soro_burst) {
		.pkt = {
			.qpn = desc->ud_qpn & SORO_QPN_MASK,
			.pkey = 0xffff,
			.imm = desc->imm_data,
			.deth.qkey = soro_datagram_qkey(&qp->datagram, desc->ud_qkey),
			.deth.sqpn = qp->ib.qp_num,
		},
		.psn = qp->datagram.psn,
		.flags = SORO_PKT_MIG,
		.transport = SORO_UD,
		.kind = SORO_SEND,
		.n = 1,
		.first = true,
		.last = true,
		.last_headers = desc->opcode == SORO_ABI_OP_SEND_IMM ? SORO_HDR_IMM : 0,
		.last_flags = desc->flags & SORO_ABI_SOLICITED ? SORO_PKT_SE : 0,
		.pmtu_bytes = SORO_PAYLOAD_MAX,
		.bytes = desc->length,
		.data = desc->data,
	};
}

static int build(struct soro_qp *qp, const struct soro_send_desc *desc, struct soro_burst *burst,
		 struct soro_tx *tx)
{
	struct soro_cursor cursor;
	int err;

	describe(qp, desc, burst);
	if (desc->inline_data || !desc->length)
		return soro_burst_build(burst, &qp->req.flow, tx);
	soro_cursor_init(&cursor, &qp->dev->keys, qp->ib.pd, desc->sge, desc->num_sge, 0, 0);
	burst->source = &cursor;
	err = soro_burst_build(burst, &qp->req.flow, tx);
	soro_cursor_fini(&cursor);
	return err;
}

/*
 * What a QP sends to another arrives in order (IBA 9.8.3). MADs do not wait for what programs
 * send: they are few, and connections depend on them.
 */
static bool must_wait(const struct soro_qp *qp, const struct soro_attach *at)
{
	return !qp->datagram.mads &&
	       (soro_charge_full(at) || soro_charge_overtakes(at, &qp->req.sent));
}

/* Send the datagram of a request. Return: enum soro_status, or -errno: nothing happened;
 * *full: a queue on the way was full.
 */
static int send(struct soro_qp *qp, const struct soro_send_desc *desc, bool *full)
{
	struct soro_train_limits limits;
	const struct soro_attach *at;
	const struct soro_av *av;
	struct soro_burst burst;
	struct soro_av room;
	struct soro_tx tx;
	u8 status = check_request(qp, desc);
	int err;

	if (status)
		return status;
	av = find_address(qp, desc, &room);
	if (!av)
		return SORO_ST_LOC_QP_OP;
	aim(qp, av, desc->ud_qpn & SORO_QPN_MASK);
	at = soro_burst_path(qp, &qp->req.flow, &limits);
	if (!at) {
		soro_burst_lost(qp, SORO_SEND, soro_datagram_psn(&qp->datagram), 1);
		return SORO_ST_SUCCESS;
	}
	err = must_wait(qp, at) ? -EAGAIN : build(qp, desc, &burst, &tx);
	if (err == -ENOMEM || err == -EAGAIN)
		return err;
	if (err)
		return SORO_ST_LOC_PROT;
	soro_datagram_psn(&qp->datagram);
	if (burst.pkt.qpn == SORO_MULTICAST_QPN)
		soro_qp_count(qp, SORO_CTR_SENT_MULTICAST, 1);
	*full = soro_burst_send(qp, at, &burst, &tx, false) > 0;
	return SORO_ST_SUCCESS;
}

/* The request is over. First the room: who sees the completion may post again at once. */
static void finish(struct soro_qp *qp, u64 wr_id, u32 opcode, bool signalled, u32 bytes, u8 status)
{
	soro_ring_release(&qp->req.ring, 1);
	if (status || signalled)
		soro_complete_send(qp, wr_id, opcode, status ? 0 : bytes, status);
	if (status)
		soro_qp_send_error(qp, "datagram could not be sent");
}

/* Send what was copied; false: it failed, waits in the ring again, or filled a queue. */
static bool send_next(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	u8 *copy = this_cpu_ptr(soro_scratch)->wqe;
	u32 bytes = soro_scratch_wqe_bytes(&req->ring);
	struct soro_send_desc desc;
	bool full = false;
	int status;

	if (soro_wqe_decode_send(copy, bytes, qp->cap.max_send_sge, qp->cap.max_inline_data, &desc))
		status = SORO_ST_LOC_QP_OP;
	else
		status = send(qp, &desc, &full);
	if (status < 0) {
		if (status == -ENOMEM)
			soro_qp_count(qp, SORO_CTR_NO_BUFFER, 1);
		soro_ring_put_back(&req->ring);
		return false;
	}
	/* What was sent may have used the scratch: of desc only the values count from here. */
	finish(qp, desc.wr_id, desc.opcode, qp->sq_sig_all || desc.flags & SORO_ABI_SIGNALED,
	       desc.length, status);
	return !status && !full;
}

static void wait_a_moment(struct soro_qp *qp)
{
	qp->req.backoff_ns = ktime_get_ns() + SORO_BACKOFF_NS;
	hrtimer_start(&qp->req.timer, ns_to_ktime(qp->req.backoff_ns), HRTIMER_MODE_ABS_SOFT);
}

/* Send what is in the ring; true: the budget is used up and there is more. */
static bool transmit(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	u32 n;

	if (req->backoff_ns && ktime_get_ns() < req->backoff_ns)
		return false;
	req->backoff_ns = 0;
	for (n = 0; n < BUDGET_PACKETS; n++) {
		if (!soro_ring_copy(&req->ring, this_cpu_ptr(soro_scratch)->wqe,
				    soro_scratch_wqe_bytes(&req->ring)))
			return false;
		if (!send_next(qp)) {
			if (soro_state_can(READ_ONCE(qp->state), SORO_CAN_SEND))
				wait_a_moment(qp);
			return false;
		}
	}
	return soro_ring_pending(&req->ring);
}

/**
 * soro_datagram_send_run() - one budget of a send half
 * @half: the half
 *
 * Context: owner, BH off.
 * Return: true if there is more to do.
 */
bool soro_datagram_send_run(struct soro_half *half)
{
	struct soro_qp *qp = container_of(half, struct soro_qp, req.half);
	u8 state = READ_ONCE(qp->state);
	bool more;

	if (soro_state_can(state, SORO_CAN_FLUSH_SEND))
		return soro_request_flush_ring(qp);
	if (!soro_state_can(state, SORO_CAN_SEND)) {
		soro_request_report_drained(qp);
		return false;
	}
	rcu_read_lock();
	more = transmit(qp);
	rcu_read_unlock();
	return more;
}

/* ---- receiving ---- */

/* What stands before the message: the network header, at the end (IBA A17.4.5.1). */
union header {
	u8 bytes[SORO_GRH_BYTES];
	struct ipv6hdr v6;
	struct {
		u8 unused[SORO_GRH_BYTES - sizeof(struct iphdr)];
		struct iphdr v4;
	};
};

static_assert(sizeof(union header) == SORO_GRH_BYTES);

/* As it was when packet @pkt came alone: a train has one header for all. */
static void restore_header(const struct sk_buff *skb, const struct soro_pkt *pkt,
			   union header *header)
{
	const struct soro_rx *rx = soro_rx(skb);
	u32 bytes = sizeof(struct udphdr) + pkt->hdr_len + pkt->payload_len + pkt->pad +
		    SORO_ICRC_BYTES;

	if (rx->v6) {
		header->v6 = *ipv6_hdr(skb);
		header->v6.payload_len = htons(bytes);
		return;
	}
	memset(header, 0, sizeof(*header));
	header->v4 = *ip_hdr(skb);
	if (rx->packets == 1)
		return;
	header->v4.tot_len = htons(sizeof(struct iphdr) + bytes);
	if (!rx->fixed_id)
		header->v4.id = htons(rx->ip_id + pkt->offset / rx->seg_bytes);
	header->v4.check = 0;
	header->v4.check = ip_fast_csum(&header->v4, sizeof(struct iphdr) / 4);
}

static int place(struct soro_qp *qp, const struct sk_buff *skb, const struct soro_pkt *pkt)
{
	const struct soro_rwqe *recv = &qp->rsp.recv;
	struct soro_payload from = soro_inbound_payload(skb, pkt);
	struct soro_cursor cursor;
	union header header;
	int err;

	restore_header(skb, pkt, &header);
	soro_cursor_init(&cursor, &qp->dev->keys, soro_recv_pd(qp), recv->sge, recv->num_sge,
			 IB_ACCESS_LOCAL_WRITE, 0);
	err = soro_copy_in(&cursor, &(struct soro_payload) { .data = header.bytes },
			   SORO_GRH_BYTES);
	if (!err && pkt->payload_len)
		err = soro_copy_in_last(&cursor, &from, pkt->payload_len);
	soro_cursor_fini(&cursor);
	return err;
}

/* The address that a MAD was sent to may be that of a VLAN: who answers needs to know. */
static void note_vlan(struct soro_qp *qp, const struct sk_buff *skb, struct soro_received *what)
{
	const struct ib_gid_attr *gid;
	struct net_device *ndev;
	struct in6_addr daddr;

	soro_rx_daddr(skb, &daddr);
	gid = rdma_find_gid_by_port(&qp->dev->ib, (union ib_gid *)&daddr,
				    IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(gid))
		return;
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (!IS_ERR(ndev) && is_vlan_dev(ndev)) {
		what->has_vlan = true;
		what->vlan_id = vlan_dev_vlan_id(ndev);
	}
	rdma_put_gid_attr(gid);
}

/* The receive WQE in hand fails, and the QP with it (IBA 9.9.3, 11.6.2). */
static void fail(struct soro_qp *qp, u8 status)
{
	soro_recv_finish(qp, status, NULL);
	soro_qp_error(qp, "receive request failed");
}

static enum soro_drop take(struct soro_qp *qp, const struct sk_buff *skb,
			   const struct soro_pkt *pkt)
{
	enum soro_drop why = soro_datagram_check(&qp->datagram, pkt, payload_max(qp));
	struct soro_received what = {
		.bytes = SORO_GRH_BYTES + pkt->payload_len,
		.imm = pkt->imm,
		.src_qpn = pkt->deth.sqpn,
		.has_imm = pkt->row->headers & SORO_HDR_IMM,
		.solicited = pkt->flags & SORO_PKT_SE,
		.has_grh = true,
		.v6 = soro_rx(skb)->v6,
	};
	u8 fault = SORO_FAULT_NONE;

	if (pkt->qpn == SORO_MULTICAST_QPN)
		soro_qp_count(qp, SORO_CTR_RCVD_MULTICAST, 1);
	if (why)
		return why;
	if (!soro_recv_fetch(qp, &fault))
		return SORO_DROP_NO_RECV;
	if (fault) {
		fail(qp, SORO_ST_LOC_QP_OP);
	} else if (what.bytes > qp->rsp.recv.bytes) {
		fail(qp, SORO_ST_LOC_LEN);
	} else if (place(qp, skb, pkt)) {
		fail(qp, SORO_ST_LOC_PROT);
	} else {
		if (qp->datagram.mads)
			note_vlan(qp, skb, &what);
		soro_recv_finish(qp, SORO_ST_SUCCESS, &what);
	}
	return SORO_DROP_NONE;
}

static void take_train(struct soro_qp *qp, struct sk_buff *skb)
{
	struct soro_pkt *pkts;
	u32 n = soro_inbound_parse(qp, skb, false, &pkts);
	enum soro_drop why;
	u32 i;

	for (i = 0; i < n; i++) {
		/* An earlier one may have put the QP in error. */
		why = soro_state_can(READ_ONCE(qp->state), SORO_CAN_RECEIVE) ?
			take(qp, skb, &pkts[i]) : SORO_DROP_QP_STATE;
		if (!why)
			continue;
		trace_soro_drop(qp->ib.qp_num, pkts[i].psn, why);
		soro_qp_count_drop(qp, why, 1);
	}
	napi_consume_skb(skb, 1);
}

/**
 * soro_datagram_receive_run() - one budget of a receive half
 * @half: the half
 *
 * Context: owner, BH off.
 * Return: true if there is more to do.
 */
bool soro_datagram_receive_run(struct soro_half *half)
{
	struct soro_qp *qp = container_of(half, struct soro_qp, rsp.half);
	u8 state = READ_ONCE(qp->state);
	struct sk_buff *skb;
	u32 n = 0;

	if (!soro_state_can(state, SORO_CAN_RECEIVE)) {
		soro_respond_purge(qp, SORO_DROP_QP_STATE);
		return soro_state_can(state, SORO_CAN_FLUSH_RECV) && soro_recv_flush(qp);
	}
	rcu_read_lock();
	while (n < BUDGET_PACKETS && (skb = soro_half_pop(half))) {
		n += soro_rx(skb)->packets;
		take_train(qp, skb);
	}
	rcu_read_unlock();
	return !skb_queue_empty(&half->inbox);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the way of a train from the socket to a half's inbox, and from the inbox
 * to parsed packets.  Must not know what packets mean.
 *
 * A packet finds its QP by number; then namespace and addresses must be those of
 * the connection (IBA 9.6 and A17).  skb->dev is never asked: same-host
 * packets arrive on lo. A multicast finds its group on the device of the netdev where it
 * arrived, also when this host sent it, and each QP that is attached gets a clone.
 */
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include "../link/receive.h"
#include "../link/socket.h"
#include "inbound.h"
#include "scratch.h"
#include "table.h"
#include "trace.h"

#define PKEY_DEFAULT	0x7fff		/* the one partition, without membership bit */

static void drop(struct soro_qp *qp, struct sk_buff *skb, enum soro_drop why)
{
	trace_soro_drop(soro_rx(skb)->qpn, 0, why);
	soro_qp_count_drop(qp, why, soro_rx(skb)->packets);
	kfree_skb(skb);
}

static void drop_unmatched(struct net *net, struct sk_buff *skb, enum soro_drop why, u32 n)
{
	struct soro_dev *dev = soro_table_device(net, skb->skb_iif);

	trace_soro_drop(0, 0, why);
	if (dev)
		soro_counters_drop(dev->counters, why, n);
	kfree_skb(skb);
}

/**
 * soro_inbound_drop() - a datagram that is no train
 * @net: where it arrived
 * @skb: consumed
 * @why: reason
 *
 * Context: softirq, RCU.
 */
void soro_inbound_drop(struct net *net, struct sk_buff *skb, enum soro_drop why)
{
	drop_unmatched(net, skb, why, 1);
}

static bool is_multicast(const struct in6_addr *daddr)
{
	return rdma_is_multicast_addr((struct in6_addr *)daddr);
}

/*
 * Datagrams come from anywhere, to any address of the device. The last pair is kept in
 * the flow, with what is known of its ICRCs: as long as it comes, the table is not asked. (An
 * address that left the device does not arrive here any more.)
 */
static bool datagram_addresses(struct soro_qp *qp, const struct in6_addr *saddr,
			       const struct in6_addr *daddr)
{
	struct soro_flow *flow = &qp->rsp.flow;

	if (ipv6_addr_equal(saddr, &flow->daddr) && ipv6_addr_equal(daddr, &flow->saddr))
		return true;
	/* A multicast would not be here if it were for somebody else. */
	if (!is_multicast(daddr) && !soro_table_has_address(qp->dev, daddr))
		return false;
	memset(&flow->received, 0, sizeof(flow->received));
	flow->saddr = *daddr;
	flow->daddr = *saddr;
	return true;
}

static bool addresses_match(struct soro_qp *qp, const struct sk_buff *skb)
{
	struct in6_addr saddr, daddr;

	soro_rx_saddr(skb, &saddr);
	soro_rx_daddr(skb, &daddr);
	if (soro_qp_is_datagram(qp))
		return datagram_addresses(qp, &saddr, &daddr);
	return ipv6_addr_equal(&saddr, &qp->dgid) && ipv6_addr_equal(&daddr, &qp->sgid);
}

static bool same_net(const struct soro_qp *qp, const struct net *net)
{
	const struct soro_attach *at = rcu_dereference(qp->dev->link.attach);

	return at && at->net == net;
}

/* Which half of which QP takes the train; fills *why if none does. */
static struct soro_half *match(struct net *net, const struct sk_buff *skb, struct soro_qp *qp,
			       enum soro_drop *why)
{
	const struct soro_opcode_row *row = soro_opcode_row(soro_rx(skb)->opcode);

	if (!row)
		*why = SORO_DROP_OPCODE;
	else if (row->kind == SORO_CNP && !soro_qp_is_datagram(qp))
		return &qp->req.half;	/* whose requests met the congestion */
	else if (row->transport != soro_qp_transport(qp))
		*why = SORO_DROP_QP_TYPE;
	else
		return row->response ? &qp->req.half : &qp->rsp.half;
	return NULL;
}

static struct soro_qp *find(struct net *net, const struct sk_buff *skb,
			    const struct in6_addr *daddr)
{
	u32 qpn = soro_rx(skb)->qpn;
	struct soro_qp *qp;

	if (qpn == SORO_GSI_QPN)
		return soro_table_gsi(net, daddr);
	qp = soro_table_qp(qpn);
	/* a QP of another namespace is no QP */
	return qp && same_net(qp, net) ? qp : NULL;
}

static void give(struct net *net, struct sk_buff *skb, struct soro_qp *qp)
{
	enum soro_drop why;
	struct soro_half *half = match(net, skb, qp, &why);

	if (!half) {
		drop(qp, skb, why);
		return;
	}
	if (!soro_half_push(half, skb)) {
		drop(qp, skb, SORO_DROP_INBOX_FULL);
		return;
	}
	soro_qp_count(qp, SORO_CTR_RCVD_TRAINS, 1);
	soro_half_kick(half);
}

/* Without memory for a clone a member gets nothing: datagrams may be lost. */
static void give_group(struct net *net, struct sk_buff *skb, const struct in6_addr *daddr)
{
	struct soro_dev *dev = soro_table_device_at(net, skb->skb_iif);
	const struct soro_mcast *group = dev ? soro_mcast_find(dev, daddr) : NULL;
	const struct soro_mcast_member *member;
	struct sk_buff *clone;

	if (!group) {
		drop_unmatched(net, skb, SORO_DROP_NO_QP, soro_rx(skb)->packets);
		return;
	}
	list_for_each_entry_rcu(member, &group->members, node) {
		clone = skb_clone(skb, GFP_ATOMIC);
		if (clone)
			give(net, clone, member->qp);
		else
			soro_counters_drop(dev->counters, SORO_DROP_INBOX_FULL,
					   soro_rx(skb)->packets);
	}
	consume_skb(skb);
}

/**
 * soro_inbound_deliver() - a train arrived: give it to its QP or QPs
 * @net: namespace of the socket
 * @skb: at its first BTH; consumed
 *
 * Context: softirq, RCU.  Runs a half at once if nobody does.
 */
void soro_inbound_deliver(struct net *net, struct sk_buff *skb)
{
	u32 packets = soro_rx(skb)->packets;
	struct in6_addr daddr;
	struct soro_qp *qp;

	soro_rx_daddr(skb, &daddr);
	/* IBA 10.5.2: the one comes with the other */
	if (is_multicast(&daddr) != (soro_rx(skb)->qpn == SORO_MULTICAST_QPN)) {
		drop_unmatched(net, skb, SORO_DROP_MULTICAST, packets);
		return;
	}
	if (soro_rx(skb)->qpn == SORO_MULTICAST_QPN) {
		give_group(net, skb, &daddr);
		return;
	}
	qp = find(net, skb, &daddr);
	if (qp)
		give(net, skb, qp);
	else
		drop_unmatched(net, skb, SORO_DROP_NO_QP, packets);
}

static enum soro_drop check(const struct soro_qp *qp, const struct soro_pkt *pkt, u32 qpn,
			    bool responses)
{
	bool to_requester = pkt->row->response || pkt->row->kind == SORO_CNP;

	if (pkt->qpn != qpn || to_requester != responses ||
	    (pkt->row->transport != soro_qp_transport(qp) && pkt->row->kind != SORO_CNP))
		return SORO_DROP_MIXED_TRAIN;
	/* IBA 10.9.3: the membership bit does not take part */
	if ((pkt->pkey & PKEY_DEFAULT) != PKEY_DEFAULT)
		return SORO_DROP_PKEY;
	return SORO_DROP_NONE;
}

/**
 * soro_inbound_parse() - parse and check the packets of a train
 * @qp: whose inbox it was in
 * @skb: the train
 * @responses: the requester half asks
 * @pkts: set to the parsed packets, valid until the owner sends or lets go
 *
 * A bad packet ends the train: what follows it is a gap. Of a train that was kept the
 * packets that were done with are left out.
 *
 * Context: owner of the half.
 * Return: good leading packets, may be 0.
 */
u32 soro_inbound_parse(struct soro_qp *qp, struct sk_buff *skb, bool responses,
		       struct soro_pkt **pkts)
{
	struct soro_scratch *scratch = this_cpu_ptr(soro_scratch);
	const struct soro_rx *rx = soro_rx(skb);
	struct soro_pkt *pkt = scratch->pkts;
	struct soro_icrc_heads *heads = responses ? &qp->req.flow.received : &qp->rsp.flow.received;
	struct soro_receiver receiver;
	u32 bytes = 0;
	u32 i;

	*pkts = pkt;
	if (!addresses_match(qp, skb)) {
		trace_soro_drop(qp->ib.qp_num, 0, SORO_DROP_ADDRESS);
		soro_qp_count_drop(qp, SORO_DROP_ADDRESS, rx->packets);
		return 0;
	}
	soro_receive_begin(&receiver, skb, !rx->trusted || READ_ONCE(qp->dev->link.icrc_rx),
			   scratch->packet, heads);
	for (i = rx->skip; i < rx->packets; i++, pkt++) {
		enum soro_drop why = soro_receive_packet(&receiver, i, pkt);

		if (!why)
			why = check(qp, pkt, rx->qpn, responses);
		if (why) {
			trace_soro_drop(qp->ib.qp_num, pkt->psn, why);
			soro_qp_count_drop(qp, why, 1);
			soro_qp_count_drop(qp, SORO_DROP_SEQUENCE, rx->packets - i - 1);
			break;
		}
		trace_soro_rx(qp->ib.qp_num, pkt, i);
		bytes += pkt->hdr_len + pkt->payload_len + pkt->pad + SORO_ICRC_BYTES;
	}
	if (likely(!rx->kept)) {
		soro_qp_count(qp, SORO_CTR_RCVD_PKTS, i - rx->skip);
		soro_qp_count(qp, SORO_CTR_RCVD_BYTES, bytes);
	}
	return i - rx->skip;
}

/**
 * soro_inbound_purge() - drop what waits in an inbox
 * @qp: the QP
 * @half: its half
 * @why: reason
 *
 * Context: owner of the half, or nobody can own it any more.
 */
void soro_inbound_purge(struct soro_qp *qp, struct soro_half *half, enum soro_drop why)
{
	struct sk_buff *skb;

	while ((skb = soro_half_pop(half)))
		drop(qp, skb, why);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: turning a planned train into one skb and handing it to IP.
 */
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include "../link/charge.h"
#include "../memory/copy.h"
#include "../memory/cursor.h"
#include "../wire/psn.h"
#include "burst.h"
#include "trace.h"

/* Make burst->pkt packet i of the burst. */
static int shape(struct soro_burst *burst, u32 i)
{
	bool end = i == burst->n - 1;
	bool last = burst->last && end;
	u32 before = i * burst->pmtu_bytes;
	u8 pos = (burst->first && i == 0 ? SORO_FIRST : 0) | (last ? SORO_LAST : 0);
	struct soro_pkt *pkt = &burst->pkt;

	pkt->opcode = soro_opcode_make(burst->transport, burst->kind, pos,
				       last ? burst->last_headers : 0);
	pkt->row = soro_opcode_row(pkt->opcode);
	if (WARN_ON_ONCE(!pkt->row))
		return -EINVAL;
	pkt->payload_len = min(burst->pmtu_bytes, burst->bytes - min(burst->bytes, before));
	pkt->pad = soro_packet_pad(pkt->payload_len);
	pkt->psn = soro_psn_add(burst->psn, i);
	pkt->flags = burst->flags | (end ? burst->last_flags : 0);
	return 0;
}

/* UDP payload bytes of the burst, whose first packet is left in hand; *seg_bytes: of that. */
static int measure(struct soro_burst *burst, u32 *seg_bytes)
{
	u32 tail = 0;

	if (burst->n > 1) {
		if (shape(burst, burst->n - 1))
			return -EINVAL;
		tail = soro_packet_bytes(burst->pkt.row, burst->pkt.payload_len);
	}
	if (shape(burst, 0))
		return -EINVAL;
	*seg_bytes = soro_packet_bytes(burst->pkt.row, burst->pkt.payload_len);
	return burst->n > 1 ? *seg_bytes * (burst->n - 1) + tail : *seg_bytes;
}

/* Headers of packet i, behind packet i - 1 at @before; returns where they end. */
static u8 *put_headers(struct soro_burst *burst, u32 i, u8 *p, const u8 *before)
{
	if (i > 1 && i < burst->n - 1)	/* a MIDDLE behind a MIDDLE */
		return p + soro_packet_build_next(p, before, soro_psn_add(burst->psn, i));
	if (i)
		shape(burst, i);
	return p + soro_packet_build(p, &burst->pkt);
}

/* The first packet is in hand. */
static int fill(struct soro_burst *burst, struct soro_tx *tx)
{
	const struct soro_pkt *pkt = &burst->pkt;
	const u8 *data = burst->data, *before = NULL;
	u8 *p = tx->data, *here;
	u32 i;
	int err;

	for (i = 0; i < burst->n; i++) {
		here = p;
		p = put_headers(burst, i, p, before);
		before = here;
		if (burst->source) {
			err = soro_copy_out(burst->source, p, pkt->payload_len);
			if (err)
				return err;
		} else if (pkt->payload_len) {
			memcpy(p, data, pkt->payload_len);
			data += pkt->payload_len;
		}
		p += pkt->payload_len;
		if (pkt->pad)
			memset(p, 0, pkt->pad);
		p += pkt->pad + SORO_ICRC_BYTES;
	}
	WARN_ON_ONCE(p != tx->data + tx->bytes);
	return 0;
}

/**
 * soro_burst_build() - build the skb of a train
 * @burst: what to build
 * @flow: addresses; its IP ID counter moves on success
 * @tx: filled on success; soro_burst_send() or soro_xmit_free() ends it
 *
 * Context: owner of the half, BH off.
 * Return: 0; -ENOMEM: try again later; else -errno of the payload's key.
 */
int soro_burst_build(struct soro_burst *burst, struct soro_flow *flow, struct soro_tx *tx)
{
	u32 seg_bytes;
	int total = measure(burst, &seg_bytes);
	int err;

	if (total < 0)
		return total;
	err = soro_xmit_alloc(tx, burst->n, total, GFP_ATOMIC | __GFP_NOWARN);
	if (err)
		return err;
	err = fill(burst, tx);
	if (!err)
		err = soro_xmit_finish(tx, flow, burst->n, seg_bytes);
	if (err)
		soro_xmit_free(tx);
	return err;
}

/**
 * soro_burst_path() - find the way to the peer and what it takes
 * @qp: whose link
 * @flow: addresses; its route is looked up again if it went stale
 * @limits: set to the longest train that may be handed over
 *
 * Context: owner of the half, RCU, BH off; valid until the end of the RCU section.
 * Return: where to send, or NULL without a path: what is sent is lost.
 */
const struct soro_attach *soro_burst_path(struct soro_qp *qp, struct soro_flow *flow,
					  struct soro_train_limits *limits)
{
	const struct soro_attach *at = rcu_dereference(qp->dev->link.attach);

	if (at && !soro_xmit_route(flow, at)) {
		limits->bytes = soro_xmit_train_bytes(flow, at, &qp->dev->link, &limits->packets);
		return at;
	}
	limits->packets = 1;
	limits->bytes = SORO_PACKET_MAX;
	return NULL;
}

/**
 * soro_burst_lost() - account for a train that had no path and was not built
 * @qp: for counters and trace
 * @kind: enum soro_kind
 * @psn: of its first packet
 * @n: packets
 *
 * Context: owner of the half.
 */
void soro_burst_lost(struct soro_qp *qp, u8 kind, u32 psn, u32 n)
{
	soro_qp_count(qp, SORO_CTR_XMIT_ERRORS, 1);
	trace_soro_tx(qp->ib.qp_num, qp->attr.dest_qp_num, kind, psn, n, 0, false, -ENETUNREACH);
}

/**
 * soro_burst_send() - hand a built train to IP
 * @qp: for counters and trace
 * @at: from soro_burst_path()
 * @burst: what was built
 * @tx: from soro_burst_build(); consumed
 * @resend: packets went out before
 *
 * Context: owner of the half, RCU, BH off, no lock held.
 * Return: 0, or -errno or NET_XMIT_*: whatever it says, the train counts as
 * sent and its loss is found by the timers.
 */
int soro_burst_send(struct soro_qp *qp, const struct soro_attach *at,
		    const struct soro_burst *burst, struct soro_tx *tx, bool resend)
{
	bool unreliable = burst->transport == SORO_UC || burst->transport == SORO_UD;
	u32 bytes = tx->bytes;
	int err;

	if (unreliable)
		soro_charge_skb(at, tx->skb);
	err = soro_xmit_send(at, tx->skb);
	if (unreliable)
		soro_charge_mark(at, &qp->req.sent);

	soro_qp_count(qp, SORO_CTR_SENT_TRAINS, 1);
	soro_qp_count(qp, SORO_CTR_SENT_PKTS, burst->n);
	soro_qp_count(qp, SORO_CTR_SENT_BYTES, bytes);
	if (err)
		soro_qp_count(qp, SORO_CTR_XMIT_ERRORS, 1);
	trace_soro_tx(qp->ib.qp_num, burst->pkt.qpn, burst->kind, burst->psn, burst->n,
		      burst->bytes, resend, err);
	return err;
}

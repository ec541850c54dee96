// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: congestion notification: a train that a switch marked is answered by a CNP,
 * at most one in 50 us for each half of a QP, if the device's knob asks for it.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include "../link/socket.h"
#include "burst.h"
#include "congestion.h"

#define INTERVAL_NS	(50 * NSEC_PER_USEC)

/**
 * soro_congestion_note() - look whether a train was marked
 * @qp: the QP
 * @skb: the train, whose packets are those of the connection
 * @congestion: of the half that received it
 *
 * Context: owner of the half.
 */
void soro_congestion_note(struct soro_qp *qp, const struct sk_buff *skb,
			  struct soro_congestion *congestion)
{
	const struct soro_rx *rx = soro_rx(skb);

	if (likely((rx->tos & INET_ECN_MASK) != INET_ECN_CE) || rx->kept)
		return;
	soro_qp_count(qp, SORO_CTR_ECN_MARKED, rx->packets);
	congestion->owed = READ_ONCE(qp->dev->cnp);
}

/* IBA A17.9.3: a packet of its own transport, with BECN, PSN 0 and 16 reserved bytes. */
static void send(struct soro_qp *qp, const struct soro_attach *at, struct soro_flow *flow)
{
	struct soro_burst burst = {
		.pkt = {
			.qpn = qp->attr.dest_qp_num,
			.pkey = 0xffff,
		},
		.flags = SORO_PKT_MIG | SORO_PKT_BECN,
		.transport = SORO_CNP_T,
		.kind = SORO_CNP,
		.n = 1,
		.first = true,
		.last = true,
	};
	struct soro_tx tx;

	if (soro_burst_build(&burst, flow, &tx))
		return;
	/* Nobody slows down for a notification: it must not be marked itself. */
	if (flow->v6)
		ipv6_change_dsfield(ipv6_hdr(tx.skb), (u8)~INET_ECN_MASK, 0);
	else
		ipv4_change_dsfield(ip_hdr(tx.skb), (u8)~INET_ECN_MASK, 0);
	soro_qp_count(qp, SORO_CTR_CNP_SENT, 1);
	soro_burst_send(qp, at, &burst, &tx, false);
}

/**
 * soro_congestion_notify() - send the notification that is owed, if any
 * @qp: the QP
 * @flow: of the half
 * @congestion: of the half
 *
 * It is a hint: what cannot be sent now, or comes too early, is forgotten.
 *
 * Context: owner of the half, RCU, BH off.
 */
void soro_congestion_notify(struct soro_qp *qp, struct soro_flow *flow,
			    struct soro_congestion *congestion)
{
	struct soro_train_limits limits;
	const struct soro_attach *at;
	u64 now;

	if (likely(!congestion->owed))
		return;
	congestion->owed = false;
	now = ktime_get_ns();
	if (now < congestion->next_ns)
		return;
	congestion->next_ns = now + INTERVAL_NS;
	at = soro_burst_path(qp, flow, &limits);
	if (at)
		send(qp, at, flow);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the way of a train from the socket to a half's inbox, and from the inbox
 * to parsed packets.  Must not know what packets mean.
 */
#ifndef SORO_RUN_INBOUND_H
#define SORO_RUN_INBOUND_H

#include "../memory/copy.h"
#include "qp.h"

void soro_inbound_deliver(struct net *net, struct sk_buff *skb);
void soro_inbound_drop(struct net *net, struct sk_buff *skb, enum soro_drop why);
u32 soro_inbound_parse(struct soro_qp *qp, struct sk_buff *skb, bool responses,
		       struct soro_pkt **pkts);
void soro_inbound_purge(struct soro_qp *qp, struct soro_half *half, enum soro_drop why);

/**
 * soro_inbound_payload() - where the payload of a packet is
 * @skb: the train
 * @pkt: one of its packets, parsed
 */
static inline struct soro_payload soro_inbound_payload(const struct sk_buff *skb,
						       const struct soro_pkt *pkt)
{
	return (struct soro_payload) {
		.data = pkt->data ? pkt->data + pkt->hdr_len : NULL,
		.skb = skb,
		.offset = pkt->offset + pkt->hdr_len,
	};
}

#endif

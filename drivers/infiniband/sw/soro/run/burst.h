/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: turning a planned train, of requests or of replies, into one skb and
 * handing it to IP.  Must not know why it is sent.
 */
#ifndef SORO_RUN_BURST_H
#define SORO_RUN_BURST_H

#include "qp.h"

/**
 * struct soro_burst - one train to build
 * @pkt: what all packets share, and the extension header values; the rest is filled per
 *	packet
 * @psn: of the first packet
 * @transport: enum soro_transport
 * @kind: enum soro_kind
 * @n: packets
 * @first: the first packet is FIRST or ONLY
 * @last: the last packet is LAST or ONLY
 * @last_headers: SORO_HDR_IMM or SORO_HDR_IETH of the LAST packet
 * @flags: SORO_PKT_* of all packets
 * @last_flags: those that only the last packet of the train has
 * @pmtu_bytes: payload of every packet but the last
 * @bytes: payload bytes, 0 for packets that carry none
 * @source: where the payload comes from, or NULL:
 * @data: payload in kernel memory
 */
struct soro_burst {
	struct soro_pkt pkt;
	u32 psn;
	u8 transport;
	u8 kind;
	u32 n;
	bool first;
	bool last;
	u16 last_headers;
	u8 flags;
	u8 last_flags;
	u32 pmtu_bytes;
	u32 bytes;
	struct soro_cursor *source;
	const u8 *data;
};

const struct soro_attach *soro_burst_path(struct soro_qp *qp, struct soro_flow *flow,
					  struct soro_train_limits *limits);
int soro_burst_build(struct soro_burst *burst, struct soro_flow *flow, struct soro_tx *tx);
void soro_burst_lost(struct soro_qp *qp, u8 kind, u32 psn, u32 n);
int soro_burst_send(struct soro_qp *qp, const struct soro_attach *at,
		    const struct soro_burst *burst, struct soro_tx *tx, bool resend);

#endif

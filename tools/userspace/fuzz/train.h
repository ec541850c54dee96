/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: trains of packets as a receive path hands them to the engine: parsed,
 * well formed, up to the first that is not.
 */
#ifndef FUZZ_TRAIN_H
#define FUZZ_TRAIN_H

#include "input.h"
#include "wire/packet.h"
#include "wire/psn.h"

#define TRAIN_MAX	16

struct train {
	struct soro_pkt pkts[TRAIN_MAX];
	u32 n;
};

/* Add what @fields say; false: it is not well formed, and the train ends here. */
static inline bool train_add(struct train *train, const struct soro_pkt *fields)
{
	struct soro_pkt *pkt = &train->pkts[train->n];
	u8 hdr[SORO_HDR_MAX];
	struct soro_pkt out = *fields;
	u32 n;

	if (train->n == TRAIN_MAX)
		return false;
	out.qpn = 0x11;
	out.pkey = 0xffff;
	n = soro_packet_build(hdr, &out);
	if (!n)
		return false;
	memset(pkt, 0, sizeof(*pkt));
	if (soro_packet_parse(pkt, hdr, n, n + out.payload_len +
			      soro_packet_pad(out.payload_len) + SORO_ICRC_BYTES))
		return false;
	train->n++;
	return true;
}

/* Payload of a packet that opens, carries on or ends a message of which @left bytes remain. */
static inline u32 train_payload(u32 left, u32 pmtu_bytes)
{
	return left < pmtu_bytes ? left : pmtu_bytes;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One RoCE packet from BTH to ICRC: parse and build.
 *
 * Owns: the layout of BTH and extension headers, and the rules that make a
 * packet well formed whatever the state of its QP. Must not know: QPs, skbs,
 * IP, CRCs.
 */
#ifndef SORO_WIRE_PACKET_H
#define SORO_WIRE_PACKET_H

#include <linux/types.h>
#include "drop.h"
#include "opcode.h"

#define SORO_HDR_MAX		(SORO_BTH_BYTES + SORO_ATOMICETH_BYTES)	/* longest header chain */
#define SORO_ICRC_BYTES		4
#define SORO_PAYLOAD_MAX	4096		/* largest path MTU, IBA 9.4.2 */
#define SORO_MSG_MAX		0x80000000U	/* longest message, IBA 9.7.8 */
#define SORO_QPN_MASK		0xffffffU

/* Longest packet, BTH to ICRC: what a receive path has to be ready for. */
#define SORO_PACKET_MAX		(SORO_HDR_MAX + SORO_PAYLOAD_MAX + SORO_ICRC_BYTES)

/* struct soro_pkt.flags */
#define SORO_PKT_SE		BIT(0)	/* solicited event */
#define SORO_PKT_ACKREQ		BIT(1)	/* requester asks for an acknowledgment */
#define SORO_PKT_MIG		BIT(2)	/* MigReq: 1 = migrated; sent as 1, ignored when received */
#define SORO_PKT_FECN		BIT(3)
#define SORO_PKT_BECN		BIT(4)	/* set in a CNP */

/* AETH syndrome (IBA 9.7.5): kind of acknowledgment and its 5-bit value. */
#define SORO_SYNDROME_KIND	0xe0
#define SORO_SYNDROME_VALUE	0x1f
#define SORO_SYNDROME_ACK	0x00	/* value: end-to-end credit code, 0x1f = no credits used */
#define SORO_SYNDROME_RNR	0x20	/* value: RNR timer code */
#define SORO_SYNDROME_NAK	0x60	/* value: SORO_NAK_* */
#define SORO_CREDIT_NONE	0x1f	/* "invalid" credit code: no flow control */

/** enum soro_nak - NAK codes (IBA 9.7.5); 4 belongs to RD, the rest is reserved */
enum soro_nak {
	SORO_NAK_SEQUENCE	= 0,
	SORO_NAK_INVALID	= 1,
	SORO_NAK_ACCESS		= 2,
	SORO_NAK_OPERATION	= 3,
	SORO_NAK_COUNT
};

/* FETH (IBA A19.4.2) */
#define SORO_FLUSH_GLOBAL	BIT(0)	/* feth_type: global visibility */
#define SORO_FLUSH_PERSISTENT	BIT(1)	/* feth_type: persistence */
#define SORO_FLUSH_RANGE	0	/* feth_level: the range of the RETH */
#define SORO_FLUSH_REGION	1	/* feth_level: the whole memory region */

/**
 * struct soro_pkt - one packet in host byte order
 * @psn: 24-bit packet sequence number
 * @qpn: 24-bit destination QP number
 * @offset: of the BTH in the UDP payload of the train; filled and used by
 *	the caller, parse and build leave it alone
 * @data: the packet from the BTH on if it lies in one piece, else NULL; as @offset
 * @pkey: partition key
 * @payload_len: bytes of payload, pad not counted
 * @hdr_len: bytes from the BTH to the payload
 * @opcode: BTH opcode
 * @flags: SORO_PKT_*
 * @pad: bytes of pad after the payload, 0 to 3
 * @syndrome: of the AETH
 * @feth_type: placement types of the FETH, SORO_FLUSH_GLOBAL and _PERSISTENT
 * @feth_level: selectivity level of the FETH
 * @row: table row of @opcode
 * @msn: 24-bit message sequence number of the AETH
 * @imm: immediate data as it stands on the wire
 * @inv_rkey: key to invalidate, from the IETH
 * @reth: RDMA extended transport header
 * @atomic: atomic extended transport header
 * @atomic_orig: value before the atomic, from the AtomicAckETH
 * @deth: datagram extended transport header
 *
 * Only the members whose header bit is in @row->headers mean anything.
 */
struct soro_pkt {
	u32 psn;
	u32 qpn;
	u32 offset;
	u16 pkey;
	u16 payload_len;
	u16 hdr_len;
	u8 opcode;
	u8 flags;
	u8 pad;
	u8 syndrome;
	u8 feth_type;
	u8 feth_level;
	const u8 *data;
	const struct soro_opcode_row *row;
	u32 msn;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	union {
		struct {
			u64 va;
			u32 rkey;
			u32 len;
		} reth;
		struct {
			u64 va;
			u64 swap_add;
			u64 compare;
			u32 rkey;
		} atomic;
		u64 atomic_orig;
		struct {
			u32 qkey;
			u32 sqpn;
		} deth;
	};
};

/**
 * soro_packet_pad() - pad bytes that follow a payload
 * @payload_len: bytes of payload
 *
 * Return: 0 to 3, so that payload and pad are a multiple of four (IBA 9.2).
 */
static inline unsigned int soro_packet_pad(unsigned int payload_len)
{
	return -payload_len & 3;
}

/**
 * soro_packet_bytes() - length of a packet, BTH to ICRC
 * @row: row of its opcode
 * @payload_len: bytes of payload, pad not counted
 *
 * Return: bytes of headers, payload, pad and ICRC.
 */
static inline unsigned int soro_packet_bytes(const struct soro_opcode_row *row,
					     unsigned int payload_len)
{
	return soro_opcode_hdr_bytes(row) + payload_len + soro_packet_pad(payload_len) +
	       SORO_ICRC_BYTES;
}

enum soro_drop soro_packet_parse(struct soro_pkt *pkt, const u8 *hdr, u32 hdr_avail, u32 pkt_len);
bool soro_packet_parse_next(struct soro_pkt *pkt, const struct soro_pkt *before, const u8 *hdr);
unsigned int soro_packet_build(u8 *buf, const struct soro_pkt *pkt);
unsigned int soro_packet_build_next(u8 *buf, const u8 *before, u32 psn);

#endif

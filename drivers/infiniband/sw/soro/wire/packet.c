// SPDX-License-Identifier: GPL-2.0
/*
 * Parse and build one RoCE packet.
 *
 * Owns: field layout and well-formedness. Must not know: QPs, skbs, IP, CRCs.
 *
 * What is rejected here breaks a rule that no state of the QP can excuse; the
 * packet is dropped as IBA 9.6.1 asks, nothing is answered, and no handler sees
 * it. What depends on path MTU, expected opcode, keys or rights is for the
 * engine, which may owe the peer a NAK.
 */
#include <linux/string.h>
#include <linux/build_bug.h>
#include <linux/unaligned.h>
#include "packet.h"

/* BTH, IBA 9.2 */
#define BTH_SE		0x80	/* byte 1 */
#define BTH_MIG		0x40
#define BTH_PAD		0x30
#define BTH_PAD_SHIFT	4
#define BTH_TVER	0x0f
#define BTH_FECN	0x80	/* byte 4 */
#define BTH_BECN	0x40
#define BTH_ACKREQ	0x80	/* byte 8 */
#define BTH_ACKREQ_BYTE	8

/* FETH, IBA A19.4: 26 reserved bits, selectivity level, placement types */
#define FETH_TYPE	0x0f
#define FETH_LEVEL	0x30
#define FETH_LEVEL_SHIFT 4

#define QPN_MULTICAST	0xffffffU

static void parse_bth(struct soro_pkt *pkt, const u8 *hdr)
{
	pkt->opcode = hdr[0];
	pkt->pad = (hdr[1] & BTH_PAD) >> BTH_PAD_SHIFT;
	pkt->pkey = get_unaligned_be16(hdr + 2);
	pkt->qpn = get_unaligned_be24(hdr + 5);
	pkt->psn = get_unaligned_be24(hdr + 9);
	pkt->flags = (hdr[1] & BTH_SE ? SORO_PKT_SE : 0) |
		     (hdr[1] & BTH_MIG ? SORO_PKT_MIG : 0) |
		     (hdr[4] & BTH_FECN ? SORO_PKT_FECN : 0) |
		     (hdr[4] & BTH_BECN ? SORO_PKT_BECN : 0) |
		     (hdr[8] & BTH_ACKREQ ? SORO_PKT_ACKREQ : 0);
}

/* IBA 9.6.1.1.2: QP0 does not exist on RoCE (A16.4.3), multicast is UD only. */
static bool qpn_ok(const struct soro_pkt *pkt)
{
	if (pkt->qpn == QPN_MULTICAST)
		return pkt->row->transport == SORO_UD;
	return pkt->qpn != 0;
}

/*
 * Split what stands between headers and ICRC into payload and pad (IBA 9.2): only an opcode
 * with a payload has any, and FIRST and MIDDLE are never padded. Whether the length is right is
 * for the engine to say, since a peer is told when it is not (IBA 9.7.4).
 */
static enum soro_drop parse_payload(struct soro_pkt *pkt, u32 rest)
{
	const struct soro_opcode_row *row = pkt->row;
	u32 len;

	if (rest && !(row->headers & SORO_HDR_PAYLOAD))
		return SORO_DROP_LENGTH;
	if (rest & 3 || pkt->pad > rest)
		return SORO_DROP_PAD;

	len = rest - pkt->pad;
	if (len > SORO_PAYLOAD_MAX)
		return SORO_DROP_LENGTH;
	if (pkt->pad && !(row->pos & SORO_LAST))
		return SORO_DROP_PAD;

	pkt->payload_len = len;
	return SORO_DROP_NONE;
}

/* IBA 9.7.5; only the Acknowledge opcode may say no. */
static bool syndrome_ok(u8 syndrome, u8 kind)
{
	switch (syndrome & SORO_SYNDROME_KIND) {
	case SORO_SYNDROME_ACK:
		return true;
	case SORO_SYNDROME_RNR:
		return kind == SORO_ACK;
	case SORO_SYNDROME_NAK:
		return kind == SORO_ACK && (syndrome & SORO_SYNDROME_VALUE) < SORO_NAK_COUNT;
	default:
		return false;
	}
}

static const u8 *parse_reth(struct soro_pkt *pkt, const u8 *p)
{
	pkt->reth.va = get_unaligned_be64(p);
	pkt->reth.rkey = get_unaligned_be32(p + 8);
	pkt->reth.len = get_unaligned_be32(p + 12);
	return p + SORO_RETH_BYTES;
}

static const u8 *parse_atomic(struct soro_pkt *pkt, const u8 *p)
{
	pkt->atomic.va = get_unaligned_be64(p);
	pkt->atomic.rkey = get_unaligned_be32(p + 8);
	pkt->atomic.swap_add = get_unaligned_be64(p + 12);
	pkt->atomic.compare = get_unaligned_be64(p + 20);
	return p + SORO_ATOMICETH_BYTES;
}

/* All of hdr_len bytes are there. */
static enum soro_drop parse_extensions(struct soro_pkt *pkt, const u8 *p)
{
	u16 headers = pkt->row->headers;

	if (!(headers & ~SORO_HDR_PAYLOAD))
		return SORO_DROP_NONE;
	if (headers & SORO_HDR_DETH) {
		pkt->deth.qkey = get_unaligned_be32(p);
		pkt->deth.sqpn = get_unaligned_be24(p + 5);
		p += SORO_DETH_BYTES;
	}
	if (headers & SORO_HDR_FETH) {
		pkt->feth_type = p[3] & FETH_TYPE;
		pkt->feth_level = (p[3] & FETH_LEVEL) >> FETH_LEVEL_SHIFT;
		p += SORO_FETH_BYTES;
	}
	if (headers & SORO_HDR_RETH)
		p = parse_reth(pkt, p);
	if (headers & SORO_HDR_ATOMICETH)
		p = parse_atomic(pkt, p);
	if (headers & SORO_HDR_AETH) {
		pkt->syndrome = p[0];
		pkt->msn = get_unaligned_be24(p + 1);
		if (!syndrome_ok(pkt->syndrome, pkt->row->kind))
			return SORO_DROP_SYNDROME;
		p += SORO_AETH_BYTES;
	}
	if (headers & SORO_HDR_ATOMICACKETH) {
		pkt->atomic_orig = get_unaligned_be64(p);
		p += SORO_ATOMICACKETH_BYTES;
	}
	if (headers & SORO_HDR_IMM)
		memcpy(&pkt->imm, p, SORO_IMM_BYTES);
	else if (headers & SORO_HDR_IETH)
		pkt->inv_rkey = get_unaligned_be32(p);
	return SORO_DROP_NONE;
}

/**
 * soro_packet_parse() - take a packet apart and check its form
 * @pkt: result; members that the opcode has no header for are not written, nor
 *	are @pkt->offset and @pkt->data
 * @hdr: first bytes of the packet, from the BTH on
 * @hdr_avail: bytes at @hdr: the whole packet or at least %SORO_HDR_MAX of it
 * @pkt_len: length of the packet, BTH to ICRC
 *
 * Does not look at payload and ICRC.
 *
 * Context: any.
 * Return: SORO_DROP_NONE, or why the packet must be dropped; then @pkt holds
 * at most the fields of the BTH, for a trace, and @pkt->row is NULL unless the
 * opcode was a valid one.
 */
enum soro_drop soro_packet_parse(struct soro_pkt *pkt, const u8 *hdr, u32 hdr_avail, u32 pkt_len)
{
	enum soro_drop drop;

	pkt->row = NULL;
	if (hdr_avail < SORO_BTH_BYTES || pkt_len < SORO_BTH_BYTES + SORO_ICRC_BYTES)
		return SORO_DROP_SHORT;

	parse_bth(pkt, hdr);
	pkt->row = soro_opcode_row(pkt->opcode);
	if (!pkt->row)
		return SORO_DROP_OPCODE;
	if (hdr[1] & BTH_TVER)
		return SORO_DROP_TVER;

	pkt->payload_len = 0;
	pkt->hdr_len = soro_opcode_hdr_bytes(pkt->row);
	if (hdr_avail < pkt->hdr_len || pkt_len < pkt->hdr_len + SORO_ICRC_BYTES)
		return SORO_DROP_SHORT;
	if (!qpn_ok(pkt))
		return SORO_DROP_NO_QP;

	drop = parse_payload(pkt, pkt_len - pkt->hdr_len - SORO_ICRC_BYTES);
	if (drop)
		return drop;
	return parse_extensions(pkt, hdr + SORO_BTH_BYTES);
}

/**
 * soro_packet_parse_next() - parse a packet that differs from the one before only behind QPN
 * @pkt: result, as soro_packet_parse() leaves it
 * @before: parsed and good, of the same length, with its @data
 * @hdr: the packet, from the BTH on
 *
 * Most packets of a train are MIDDLEs that differ in nothing but the PSN.
 *
 * Context: any.
 * Return: false if it is not such a packet: soro_packet_parse() has to look at it.
 */
bool soro_packet_parse_next(struct soro_pkt *pkt, const struct soro_pkt *before, const u8 *hdr)
{
	if (memcmp(hdr, before->data, BTH_ACKREQ_BYTE) || before->row->headers & ~SORO_HDR_PAYLOAD)
		return false;
	pkt->psn = get_unaligned_be24(hdr + 9);
	pkt->qpn = before->qpn;
	pkt->pkey = before->pkey;
	pkt->payload_len = before->payload_len;
	pkt->hdr_len = before->hdr_len;
	pkt->opcode = before->opcode;
	pkt->flags = before->flags & ~SORO_PKT_ACKREQ;
	if (hdr[BTH_ACKREQ_BYTE] & BTH_ACKREQ)
		pkt->flags |= SORO_PKT_ACKREQ;
	pkt->pad = before->pad;
	pkt->row = before->row;
	return true;
}

static void build_bth(u8 *p, const struct soro_pkt *pkt)
{
	p[0] = pkt->opcode;
	p[1] = (pkt->flags & SORO_PKT_SE ? BTH_SE : 0) |
	       (pkt->flags & SORO_PKT_MIG ? BTH_MIG : 0) |
	       soro_packet_pad(pkt->payload_len) << BTH_PAD_SHIFT;
	put_unaligned_be16(pkt->pkey, p + 2);
	p[4] = (pkt->flags & SORO_PKT_FECN ? BTH_FECN : 0) |
	       (pkt->flags & SORO_PKT_BECN ? BTH_BECN : 0);
	put_unaligned_be24(pkt->qpn, p + 5);
	p[8] = pkt->flags & SORO_PKT_ACKREQ ? BTH_ACKREQ : 0;
	put_unaligned_be24(pkt->psn, p + 9);
}

static u8 *build_reth(u8 *p, const struct soro_pkt *pkt)
{
	put_unaligned_be64(pkt->reth.va, p);
	put_unaligned_be32(pkt->reth.rkey, p + 8);
	put_unaligned_be32(pkt->reth.len, p + 12);
	return p + SORO_RETH_BYTES;
}

static u8 *build_atomic(u8 *p, const struct soro_pkt *pkt)
{
	put_unaligned_be64(pkt->atomic.va, p);
	put_unaligned_be32(pkt->atomic.rkey, p + 8);
	put_unaligned_be64(pkt->atomic.swap_add, p + 12);
	put_unaligned_be64(pkt->atomic.compare, p + 20);
	return p + SORO_ATOMICETH_BYTES;
}

static u8 *build_extensions(u8 *p, const struct soro_pkt *pkt, u16 headers)
{
	if (!(headers & ~SORO_HDR_PAYLOAD))
		return p;
	if (headers & SORO_HDR_DETH) {
		put_unaligned_be32(pkt->deth.qkey, p);
		put_unaligned_be32(pkt->deth.sqpn & SORO_QPN_MASK, p + 4);
		p += SORO_DETH_BYTES;
	}
	if (headers & SORO_HDR_FETH) {
		put_unaligned_be32((pkt->feth_type & FETH_TYPE) |
				   (pkt->feth_level << FETH_LEVEL_SHIFT & FETH_LEVEL), p);
		p += SORO_FETH_BYTES;
	}
	if (headers & SORO_HDR_RETH)
		p = build_reth(p, pkt);
	if (headers & SORO_HDR_ATOMICETH)
		p = build_atomic(p, pkt);
	if (headers & SORO_HDR_AETH) {
		p[0] = pkt->syndrome;
		put_unaligned_be24(pkt->msn, p + 1);
		p += SORO_AETH_BYTES;
	}
	if (headers & SORO_HDR_ATOMICACKETH) {
		put_unaligned_be64(pkt->atomic_orig, p);
		p += SORO_ATOMICACKETH_BYTES;
	}
	if (headers & SORO_HDR_IMM) {
		memcpy(p, &pkt->imm, SORO_IMM_BYTES);
		p += SORO_IMM_BYTES;
	}
	if (headers & SORO_HDR_IETH) {
		put_unaligned_be32(pkt->inv_rkey, p);
		p += SORO_IETH_BYTES;
	}
	if (headers & SORO_HDR_CNP) {
		memset(p, 0, SORO_CNP_BYTES);
		p += SORO_CNP_BYTES;
	}
	return p;
}

/**
 * soro_packet_build() - write BTH and extension headers
 * @buf: room for %SORO_HDR_MAX bytes
 * @pkt: what to write. The headers follow from @pkt->opcode and the pad count
 *	from @pkt->payload_len; @pkt->row, pad, hdr_len, offset and data are not read.
 *
 * Reserved bits are sent as 0. Payload, pad and ICRC are the caller's.
 *
 * Context: any.
 * Return: bytes written, 0 when the opcode is none.
 */
unsigned int soro_packet_build(u8 *buf, const struct soro_pkt *pkt)
{
	const struct soro_opcode_row *row = soro_opcode_row(pkt->opcode);

	BUILD_BUG_ON(SORO_BTH_BYTES + SORO_RETH_BYTES + SORO_FETH_BYTES > SORO_HDR_MAX);
	BUILD_BUG_ON(SORO_BTH_BYTES + SORO_CNP_BYTES > SORO_HDR_MAX);

	if (!row)
		return 0;
	build_bth(buf, pkt);
	return build_extensions(buf + SORO_BTH_BYTES, pkt, row->headers) - buf;
}

/**
 * soro_packet_build_next() - write the headers of a packet that differs only in its PSN
 * @buf: room for a BTH
 * @before: BTH of a packet without extension headers that asks for no ACK
 * @psn: of the new packet
 *
 * Context: any.
 * Return: bytes written.
 */
unsigned int soro_packet_build_next(u8 *buf, const u8 *before, u32 psn)
{
	memcpy(buf, before, SORO_BTH_BYTES);
	put_unaligned_be24(psn, buf + 9);
	return SORO_BTH_BYTES;
}

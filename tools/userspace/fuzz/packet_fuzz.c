// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: any bytes through soro_packet_parse(), any fields through
 * soro_packet_build(), any operation through the opcode table.
 *
 * First byte: what follows. Parse: two bytes of packet length, then what is
 * there of the packet. Build: the fields. Opcode: an operation.
 */
#include <linux/kernel.h>

#include "input.h"
#include "wire/packet.h"

#define NEVER_WRITTEN	0x5a

/* Reserved bits are lost on the way through struct soro_pkt, and nothing else. */
static void clear_reserved(u8 *hdr, const struct soro_opcode_row *row)
{
	u8 *p = hdr + SORO_BTH_BYTES;

	hdr[4] &= 0xc0;
	hdr[8] &= 0x80;
	if (row->headers & SORO_HDR_DETH)
		p[4] = 0;
	if (row->headers & SORO_HDR_FETH) {
		memset(p, 0, 3);
		p[3] &= 0x3f;
	}
	if (row->headers & SORO_HDR_CNP)
		memset(p, 0, SORO_CNP_BYTES);
}

static void check_payload(const struct soro_pkt *pkt)
{
	const struct soro_opcode_row *row = pkt->row;

	must(pkt->payload_len <= SORO_PAYLOAD_MAX, "payload");
	must(pkt->pad == soro_packet_pad(pkt->payload_len), "pad");
	if (!(row->headers & SORO_HDR_PAYLOAD))
		must(!pkt->payload_len, "payload of an opcode that has none");
	if (!(row->pos & SORO_LAST))
		must(!pkt->pad, "FIRST and MIDDLE are not padded");
}

static void check_accepted(const struct soro_pkt *pkt, const u8 *hdr, u32 pkt_len)
{
	const struct soro_opcode_row *row = pkt->row;
	u8 kind;

	must(row && row == soro_opcode_row(hdr[0]) && pkt->opcode == hdr[0], "row");
	must(pkt->hdr_len == soro_opcode_hdr_bytes(row) && pkt->hdr_len <= SORO_HDR_MAX, "hdr_len");
	must((u32)pkt->hdr_len + pkt->payload_len + pkt->pad + SORO_ICRC_BYTES == pkt_len,
	     "parts make the whole");
	must(soro_packet_bytes(row, pkt->payload_len) == pkt_len, "length");
	check_payload(pkt);
	must(pkt->qpn && pkt->qpn <= SORO_QPN_MASK, "QPN");
	must(pkt->qpn != SORO_QPN_MASK || row->transport == SORO_UD, "multicast is UD");
	must(pkt->psn < 1U << 24, "PSN");
	must(!(hdr[1] & 0x0f), "transport version");
	if (!(row->headers & SORO_HDR_AETH))
		return;
	must(row->response && pkt->msn < 1U << 24, "AETH");
	kind = pkt->syndrome & SORO_SYNDROME_KIND;
	must(kind == SORO_SYNDROME_ACK || row->kind == SORO_ACK, "only an ACK says no");
	must(kind == SORO_SYNDROME_ACK || kind == SORO_SYNDROME_RNR ||
	     (kind == SORO_SYNDROME_NAK && (pkt->syndrome & SORO_SYNDROME_VALUE) < SORO_NAK_COUNT),
	     "syndrome");
}

/* A packet that was accepted is built again, byte for byte, and parsed again. */
static void check_again(const struct soro_pkt *pkt, const u8 *hdr, u32 pkt_len)
{
	u8 built[SORO_HDR_MAX], was[SORO_HDR_MAX];
	struct soro_pkt again;
	u32 n;

	memset(built, NEVER_WRITTEN, sizeof(built));
	n = soro_packet_build(built, pkt);
	must(n == pkt->hdr_len, "built length");
	memcpy(was, hdr, n);
	clear_reserved(was, pkt->row);
	must(!memcmp(built, was, n), "built bytes");
	memset(&again, NEVER_WRITTEN, sizeof(again));
	must(soro_packet_parse(&again, built, n, pkt_len) == SORO_DROP_NONE, "parsed again");
	must(!memcmp(&again, pkt, sizeof(again)), "parsed again, equal");
}

static void check_dropped(const struct soro_pkt *pkt, enum soro_drop drop, const u8 *hdr, u32 avail)
{
	must(drop > SORO_DROP_NONE && drop < SORO_DROP_COUNT, "reason");
	must(!pkt->row || (avail >= SORO_BTH_BYTES && pkt->row == soro_opcode_row(hdr[0])),
	     "row of a dropped packet");
}

/* The length is the truth about the packet, of which at least the headers are there. */
static void fuzz_parse(struct input *in)
{
	u32 pkt_len = input_u16(in);
	u32 avail = min_t(size_t, pkt_len, in->left);
	u8 *hdr = malloc(avail ? avail : 1);	/* of this size, so that ASan sees one byte more */
	struct soro_pkt pkt;
	enum soro_drop drop;

	if (!hdr)
		return;
	memcpy(hdr, in->at, avail);
	memset(&pkt, NEVER_WRITTEN, sizeof(pkt));
	drop = soro_packet_parse(&pkt, hdr, avail, pkt_len);
	must(pkt.offset == 0x01010101U * NEVER_WRITTEN, "offset is the caller's");
	if (drop) {
		check_dropped(&pkt, drop, hdr, avail);
	} else {
		check_accepted(&pkt, hdr, pkt_len);
		check_again(&pkt, hdr, pkt_len);
	}
	free(hdr);
}

static void fill_extensions(struct input *in, struct soro_pkt *pkt, u16 headers)
{
	if (headers & SORO_HDR_IETH)
		pkt->inv_rkey = input_u32(in);
	else
		input_fill(in, &pkt->imm, sizeof(pkt->imm));
	pkt->syndrome = input_u8(in);
	pkt->msn = input_u32(in);
	pkt->feth_type = input_u8(in);
	pkt->feth_level = input_u8(in);
	if (headers & SORO_HDR_ATOMICETH) {
		pkt->atomic.va = input_u64(in);
		pkt->atomic.swap_add = input_u64(in);
		pkt->atomic.compare = input_u64(in);
		pkt->atomic.rkey = input_u32(in);
	} else if (headers & SORO_HDR_RETH) {
		pkt->reth.va = input_u64(in);
		pkt->reth.rkey = input_u32(in);
		pkt->reth.len = input_u32(in);
	} else if (headers & SORO_HDR_ATOMICACKETH) {
		pkt->atomic_orig = input_u64(in);
	} else {
		pkt->deth.qkey = input_u32(in);
		pkt->deth.sqpn = input_u32(in);
	}
}

static void check_extensions(const struct soro_pkt *a, const struct soro_pkt *b, u16 headers)
{
	if (headers & SORO_HDR_DETH)
		must(a->deth.qkey == b->deth.qkey &&
		     (a->deth.sqpn & SORO_QPN_MASK) == b->deth.sqpn, "DETH");
	if (headers & SORO_HDR_FETH)
		must((a->feth_type & 0xf) == b->feth_type && (a->feth_level & 3) == b->feth_level,
		     "FETH");
	if (headers & SORO_HDR_RETH)
		must(a->reth.va == b->reth.va && a->reth.rkey == b->reth.rkey &&
		     a->reth.len == b->reth.len, "RETH");
	if (headers & SORO_HDR_ATOMICETH)
		must(a->atomic.va == b->atomic.va && a->atomic.rkey == b->atomic.rkey &&
		     a->atomic.swap_add == b->atomic.swap_add &&
		     a->atomic.compare == b->atomic.compare, "AtomicETH");
	if (headers & SORO_HDR_AETH)
		must(a->syndrome == b->syndrome && (a->msn & 0xffffff) == b->msn, "AETH");
	if (headers & SORO_HDR_ATOMICACKETH)
		must(a->atomic_orig == b->atomic_orig, "AtomicAckETH");
	if (headers & (SORO_HDR_IMM | SORO_HDR_IETH))
		must(a->imm == b->imm, "immediate data or key");
}

/* A packet behind @before, as long, with other bytes: the short way to parse it is right. */
static void check_next(struct input *in, struct soro_pkt *before, const u8 *buf, u32 n, u32 bytes)
{
	struct soro_pkt got = {}, want;
	u8 next[SORO_HDR_MAX], built[SORO_BTH_BYTES];
	u32 psn = input_u32(in);
	enum soro_drop why;

	memcpy(next, buf, n);
	soro_packet_build_next(built, buf, psn);
	memcpy(next, built, sizeof(built));
	next[8] ^= input_u8(in);
	next[input_below(in, SORO_BTH_BYTES)] ^= input_u8(in);
	before->data = buf;
	why = soro_packet_parse(&want, next, n, bytes);
	if (!soro_packet_parse_next(&got, before, next))
		return;
	must(!why && !(want.row->headers & ~SORO_HDR_PAYLOAD), "a packet like the one before");
	must(got.psn == want.psn && got.qpn == want.qpn && got.pkey == want.pkey &&
	     got.flags == want.flags && got.opcode == want.opcode && got.pad == want.pad &&
	     got.payload_len == want.payload_len && got.hdr_len == want.hdr_len &&
	     got.row == want.row, "parsed the short way");
}

static void fuzz_build(struct input *in)
{
	struct soro_pkt pkt = { .opcode = input_u8(in) }, back;
	const struct soro_opcode_row *row = soro_opcode_row(pkt.opcode);
	u8 buf[SORO_HDR_MAX + 1];
	u32 n;

	pkt.flags = input_u8(in) & 0x1f;
	pkt.pkey = input_u16(in);
	pkt.psn = input_u32(in);
	pkt.qpn = input_u32(in);
	pkt.payload_len = input_u16(in);
	fill_extensions(in, &pkt, row ? row->headers : 0);
	memset(buf, NEVER_WRITTEN, sizeof(buf));
	n = soro_packet_build(buf, &pkt);
	must(buf[n] == NEVER_WRITTEN, "built beyond its length");
	if (!row) {
		must(!n, "built an opcode that is none");
		return;
	}
	must(n == soro_opcode_hdr_bytes(row), "length of what was built");
	if (soro_packet_parse(&back, buf, n, soro_packet_bytes(row, pkt.payload_len)))
		return;
	must(back.psn == (pkt.psn & 0xffffff) && back.qpn == (pkt.qpn & SORO_QPN_MASK) &&
	     back.pkey == pkt.pkey && back.flags == pkt.flags && back.opcode == pkt.opcode &&
	     back.payload_len == pkt.payload_len, "BTH there and back");
	check_extensions(&pkt, &back, row->headers);
	check_next(in, &back, buf, n, soro_packet_bytes(row, pkt.payload_len));
}

/* From operation to opcode and back; what has no opcode is told so. */
static void fuzz_opcode(struct input *in)
{
	u8 transport = input_u8(in), kind = input_u8(in), pos = input_u8(in);
	u16 headers = input_u16(in);
	u8 opcode = soro_opcode_make(transport, kind, pos, headers);
	const struct soro_opcode_row *row = soro_opcode_row(opcode);
	u16 variant = SORO_HDR_IMM | SORO_HDR_IETH;

	must(!row == (opcode == SORO_OPCODE_NONE), "an opcode or none");
	if (row)
		must(row->transport == transport && row->kind == kind && row->pos == pos &&
		     (row->headers & variant) == (headers & variant), "operation of the opcode");
	row = soro_opcode_row(pos);	/* any byte */
	if (!row)
		return;
	must(soro_opcode_make(row->transport, row->kind, row->pos, row->headers) == pos,
	     "opcode of the operation");
	must(soro_opcode_hdr_bytes(row) >= SORO_BTH_BYTES &&
	     soro_opcode_hdr_bytes(row) <= SORO_HDR_MAX, "length of headers");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .at = data, .left = size };

	switch (input_below(&in, 4)) {
	case 0:
		fuzz_build(&in);
		break;
	case 1:
		fuzz_opcode(&in);
		break;
	default:
		fuzz_parse(&in);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of parse and build: every opcode there and back, fixed bytes from
 * the field tables of IBA 9.2 and 9.3, and every way to be malformed.
 */
#include <kunit/test.h>
#include <asm/byteorder.h>
#include "packet.h"

/* Headers as they arrive; the parser never needs more. */
struct wire {
	u8 bytes[SORO_HDR_MAX];
	unsigned int hdr_len;
};

static struct soro_pkt sample(u8 opcode, unsigned int payload_len)
{
	struct soro_pkt pkt = {
		.opcode = opcode,
		.psn = 0xfedcba,
		.qpn = 0x00abcd,
		.pkey = 0x8001,
		.flags = SORO_PKT_MIG,
		.payload_len = payload_len,
		.msn = 0x765432,
	};

	return pkt;
}

static struct wire build(struct kunit *test, const struct soro_pkt *pkt)
{
	struct wire wire;

	memset(&wire, 0xee, sizeof(wire));
	wire.hdr_len = soro_packet_build(wire.bytes, pkt);
	KUNIT_ASSERT_GT(test, wire.hdr_len, 0U);
	KUNIT_ASSERT_LE(test, wire.hdr_len, SORO_HDR_MAX);
	return wire;
}

/* Parse as the receive path does; the copy is exact, so that ASan sees a read too far. */
static enum soro_drop parse(struct kunit *test, struct soro_pkt *pkt, const struct wire *wire,
			    unsigned int pkt_len)
{
	unsigned int avail = min_t(unsigned int, pkt_len, SORO_HDR_MAX);
	u8 *exact = kunit_kzalloc(test, avail ?: 1, GFP_KERNEL);
	enum soro_drop drop;

	KUNIT_ASSERT_NOT_NULL(test, exact);
	memcpy(exact, wire->bytes, avail);
	memset(pkt, 0x5a, sizeof(*pkt));
	drop = soro_packet_parse(pkt, exact, avail, pkt_len);
	kunit_kfree(test, exact);
	return drop;
}

static u8 opcode_of(u8 kind, u8 pos)
{
	return soro_opcode_make(SORO_RC, kind, pos, 0);
}

/* A payload that every rule allows. */
static unsigned int good_payload(const struct soro_opcode_row *row)
{
	if (!(row->headers & SORO_HDR_PAYLOAD))
		return 0;
	if (row->kind == SORO_ATOMIC_WRITE)
		return 8;
	return row->pos & SORO_LAST ? 333 : 1024;
}

static void expect_same(struct kunit *test, const struct soro_pkt *got, const struct soro_pkt *want,
			u16 headers)
{
	const char *name = got->row->name;

	KUNIT_EXPECT_EQ_MSG(test, got->psn, want->psn, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, got->qpn, want->qpn, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, got->pkey, want->pkey, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, got->flags, want->flags, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, got->opcode, want->opcode, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, got->payload_len, want->payload_len, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, got->offset, 0x5a5a5a5aU, "%s: offset is the caller's", name);
	if (headers & SORO_HDR_DETH) {
		KUNIT_EXPECT_EQ_MSG(test, got->deth.qkey, want->deth.qkey, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->deth.sqpn, want->deth.sqpn, "%s", name);
	}
	if (headers & SORO_HDR_FETH) {
		KUNIT_EXPECT_EQ_MSG(test, got->feth_type, want->feth_type, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->feth_level, want->feth_level, "%s", name);
	}
	if (headers & SORO_HDR_RETH) {
		KUNIT_EXPECT_EQ_MSG(test, got->reth.va, want->reth.va, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->reth.rkey, want->reth.rkey, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->reth.len, want->reth.len, "%s", name);
	}
	if (headers & SORO_HDR_ATOMICETH) {
		KUNIT_EXPECT_EQ_MSG(test, got->atomic.va, want->atomic.va, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->atomic.rkey, want->atomic.rkey, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->atomic.swap_add, want->atomic.swap_add, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->atomic.compare, want->atomic.compare, "%s", name);
	}
	if (headers & SORO_HDR_AETH) {
		KUNIT_EXPECT_EQ_MSG(test, got->syndrome, want->syndrome, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, got->msn, want->msn, "%s", name);
	}
	if (headers & SORO_HDR_ATOMICACKETH)
		KUNIT_EXPECT_EQ_MSG(test, got->atomic_orig, want->atomic_orig, "%s", name);
	if (headers & SORO_HDR_IMM)
		KUNIT_EXPECT_EQ_MSG(test, be32_to_cpu(got->imm), be32_to_cpu(want->imm), "%s",
				    name);
	if (headers & SORO_HDR_IETH)
		KUNIT_EXPECT_EQ_MSG(test, got->inv_rkey, want->inv_rkey, "%s", name);
}

static void fill_headers(struct soro_pkt *pkt, u16 headers)
{
	pkt->flags = SORO_PKT_SE | SORO_PKT_ACKREQ | SORO_PKT_BECN;
	pkt->syndrome = 0x0d;
	pkt->feth_type = SORO_FLUSH_PERSISTENT;
	pkt->feth_level = SORO_FLUSH_REGION;
	pkt->inv_rkey = 0x89abcdef;
	if (headers & SORO_HDR_RETH) {
		pkt->reth.va = 0x0123456789abcdefULL;
		pkt->reth.rkey = 0xdeadbeef;
		pkt->reth.len = SORO_MSG_MAX;
	} else if (headers & SORO_HDR_ATOMICETH) {
		pkt->atomic.va = 0x0123456789abcdefULL;
		pkt->atomic.rkey = 0xdeadbeef;
		pkt->atomic.swap_add = 0xf0e1d2c3b4a59687ULL;
		pkt->atomic.compare = 0x1122334455667788ULL;
	} else if (headers & SORO_HDR_ATOMICACKETH) {
		pkt->atomic_orig = 0xf0e1d2c3b4a59687ULL;
	} else if (headers & SORO_HDR_DETH) {
		pkt->deth.qkey = 0x80010000;
		pkt->deth.sqpn = 0xfedcba;
	}
}

static void every_opcode_there_and_back(struct kunit *test)
{
	unsigned int opcode, rows = 0;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct soro_opcode_row *row = soro_opcode_row(opcode);
		struct soro_pkt want, got;
		struct wire wire;

		if (!row)
			continue;
		rows++;
		want = sample(opcode, good_payload(row));
		fill_headers(&want, row->headers);
		wire = build(test, &want);
		KUNIT_EXPECT_EQ(test, wire.hdr_len, soro_opcode_hdr_bytes(row));

		KUNIT_ASSERT_EQ_MSG(test, 0,
				    parse(test, &got, &wire,
					  soro_packet_bytes(row, want.payload_len)),
				    "%s", row->name);
		KUNIT_EXPECT_PTR_EQ(test, got.row, row);
		KUNIT_EXPECT_EQ(test, got.hdr_len, wire.hdr_len);
		KUNIT_EXPECT_EQ(test, got.pad, soro_packet_pad(want.payload_len));
		expect_same(test, &got, &want, row->headers);
	}
	KUNIT_EXPECT_EQ(test, rows, 40U);
}

/* Independent of parse: the bytes of a WRITE ONLY WITH IMMEDIATE and a FETCH ADD. */
static void bytes_are_those_of_the_specification(struct kunit *test)
{
	static const u8 write[] = {
		0x0b, 0x80 | 0x40 | 0x30, 0x80, 0x01, 0x00, 0x00, 0xab, 0xcd,
		0x80, 0xfe, 0xdc, 0xba,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x12, 0x13, 0x14, 0x00, 0x00, 0x00, 0x05,
		0xca, 0xfe, 0xba, 0xbe,
	};
	static const u8 fetch_add[] = {
		0x14, 0x40, 0x80, 0x01, 0x40 | 0x80, 0x00, 0xab, 0xcd,
		0x00, 0xfe, 0xdc, 0xba,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x11, 0x12, 0x13, 0x14,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
		0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
	};
	struct soro_pkt pkt = sample(0x0b, 5);
	struct wire wire;

	pkt.flags = SORO_PKT_SE | SORO_PKT_MIG | SORO_PKT_ACKREQ;
	pkt.reth.va = 0x0102030405060708ULL;
	pkt.reth.rkey = 0x11121314;
	pkt.reth.len = 5;
	pkt.imm = cpu_to_be32(0xcafebabe);
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, wire.hdr_len, sizeof(write));
	KUNIT_EXPECT_EQ(test, memcmp(wire.bytes, write, sizeof(write)), 0);

	pkt = sample(0x14, 0);
	pkt.flags = SORO_PKT_MIG | SORO_PKT_FECN | SORO_PKT_BECN;
	pkt.atomic.va = 0x0102030405060708ULL;
	pkt.atomic.rkey = 0x11121314;
	pkt.atomic.swap_add = 0x2122232425262728ULL;
	pkt.atomic.compare = 0x3132333435363738ULL;
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, wire.hdr_len, sizeof(fetch_add));
	KUNIT_EXPECT_EQ(test, memcmp(wire.bytes, fetch_add, sizeof(fetch_add)), 0);
}

static void build_refuses_no_opcode(struct kunit *test)
{
	struct soro_pkt pkt = sample(SORO_OPCODE_NONE, 0);
	u8 buf[SORO_HDR_MAX];

	KUNIT_EXPECT_EQ(test, soro_packet_build(buf, &pkt), 0U);
}

/* Bits above a field's width never leak into its neighbour. */
static void build_masks_wide_values(struct kunit *test)
{
	struct soro_pkt pkt = sample(0x64, 0), got;
	struct wire wire;

	pkt.psn = 0xff000001;
	pkt.qpn = 0xff000002;
	pkt.deth.qkey = 3;
	pkt.deth.sqpn = 0xff000004;
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, wire.bytes[4], 0);
	KUNIT_EXPECT_EQ(test, wire.bytes[8], 0);
	KUNIT_EXPECT_EQ(test, wire.bytes[SORO_BTH_BYTES + 4], 0);
	KUNIT_ASSERT_EQ(test, 0, parse(test, &got, &wire, wire.hdr_len + SORO_ICRC_BYTES));
	KUNIT_EXPECT_EQ(test, got.psn, 1U);
	KUNIT_EXPECT_EQ(test, got.qpn, 2U);
	KUNIT_EXPECT_EQ(test, got.deth.sqpn, 4U);
}

/* Reserved bits of received headers are ignored (IBA 9.2, 9.3). */
static void reserved_bits_are_ignored(struct kunit *test)
{
	struct soro_pkt pkt = sample(0x64, 0), got;
	struct wire wire;

	pkt.deth.qkey = 3;
	pkt.deth.sqpn = 4;
	wire = build(test, &pkt);
	wire.bytes[4] |= 0x3f;
	wire.bytes[8] |= 0x7f;
	wire.bytes[SORO_BTH_BYTES + 4] = 0xff;
	KUNIT_ASSERT_EQ(test, 0, parse(test, &got, &wire, wire.hdr_len + SORO_ICRC_BYTES));
	KUNIT_EXPECT_EQ(test, got.flags, SORO_PKT_MIG);
	KUNIT_EXPECT_EQ(test, got.psn, pkt.psn);
	KUNIT_EXPECT_EQ(test, got.deth.sqpn, 4U);
}

static void unknown_opcodes_are_dropped(struct kunit *test)
{
	unsigned int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		struct soro_pkt pkt = sample(0x04, 0), got;
		struct wire wire = build(test, &pkt);

		if (soro_opcode_row(opcode))
			continue;
		wire.bytes[0] = opcode;
		KUNIT_EXPECT_EQ(test, SORO_DROP_OPCODE, parse(test, &got, &wire, 1000));
		KUNIT_EXPECT_NULL(test, got.row);
	}
}

static void version_must_be_zero(struct kunit *test)
{
	struct soro_pkt pkt = sample(0x04, 0), got;
	struct wire wire = build(test, &pkt);
	unsigned int tver;

	for (tver = 1; tver < 16; tver++) {
		wire.bytes[1] = tver;
		KUNIT_EXPECT_EQ(test, SORO_DROP_TVER, parse(test, &got, &wire, 16));
	}
}

/* Every opcode at every length from nothing to its minimum. */
static void short_packets_are_dropped(struct kunit *test)
{
	unsigned int opcode, len;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct soro_opcode_row *row = soro_opcode_row(opcode);
		struct soro_pkt pkt = sample(opcode, 0), got;
		struct wire wire;

		if (!row)
			continue;
		fill_headers(&pkt, row->headers);
		wire = build(test, &pkt);
		for (len = 0; len < wire.hdr_len + SORO_ICRC_BYTES; len++)
			KUNIT_EXPECT_EQ_MSG(test, SORO_DROP_SHORT, parse(test, &got, &wire, len),
					    "%s, %u bytes", row->name, len);
	}
}

static void lost_headers_are_dropped(struct kunit *test)
{
	struct soro_pkt pkt = sample(opcode_of(SORO_CMP_SWP, SORO_ONLY), 0), got;
	struct wire wire = build(test, &pkt);
	unsigned int avail;

	for (avail = 0; avail < wire.hdr_len; avail++)
		KUNIT_EXPECT_EQ(test, SORO_DROP_SHORT,
				soro_packet_parse(&got, wire.bytes, avail,
						  wire.hdr_len + SORO_ICRC_BYTES));
}

static void pad_must_fit_the_length(struct kunit *test)
{
	unsigned int rest, pad;

	for (rest = 0; rest < 16; rest++)
		for (pad = 0; pad < 4; pad++) {
			struct soro_pkt pkt = sample(0x04, 0), got;
			struct wire wire = build(test, &pkt);
			bool good = rest % 4 == 0 && pad <= rest;
			enum soro_drop drop;

			wire.bytes[1] = pad << 4;
			drop = parse(test, &got, &wire, wire.hdr_len + rest + SORO_ICRC_BYTES);
			KUNIT_EXPECT_EQ_MSG(test, drop, good ? SORO_DROP_NONE : SORO_DROP_PAD,
					    "%u bytes, pad %u", rest, pad);
			if (good)
				KUNIT_EXPECT_EQ(test, got.payload_len, rest - pad);
		}
}

static void full_packets_have_no_pad(struct kunit *test)
{
	static const u8 opcodes[] = { 0x00, 0x01, 0x06, 0x07, 0x0d, 0x0e,
				      0x20, 0x21, 0x26, 0x27 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		const struct soro_opcode_row *row = soro_opcode_row(opcodes[i]);
		struct soro_pkt pkt = sample(opcodes[i], 1024), got;
		struct wire wire = build(test, &pkt);
		unsigned int len = soro_packet_bytes(row, 1024);

		KUNIT_EXPECT_EQ_MSG(test, 0, parse(test, &got, &wire, len), "%s", row->name);
		wire.bytes[1] |= 1 << 4;
		KUNIT_EXPECT_EQ_MSG(test, SORO_DROP_PAD, parse(test, &got, &wire, len), "%s",
				    row->name);
	}
}

/* IBA 9.4: some opcodes have no payload, and 4096 is the largest PMTU. */
static void payload_length_fits_the_opcode(struct kunit *test)
{
	unsigned int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct soro_opcode_row *row = soro_opcode_row(opcode);
		struct soro_pkt pkt = sample(opcode, 0), got;
		enum soro_drop full = SORO_DROP_NONE;
		struct wire wire;

		if (!row)
			continue;
		wire = build(test, &pkt);
		if (!(row->headers & SORO_HDR_PAYLOAD))
			full = SORO_DROP_LENGTH;

		KUNIT_EXPECT_EQ_MSG(test, SORO_DROP_NONE,
				    parse(test, &got, &wire, soro_packet_bytes(row, 0)),
				    "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, full,
				    parse(test, &got, &wire, soro_packet_bytes(row, 4096)),
				    "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, SORO_DROP_LENGTH,
				    parse(test, &got, &wire, soro_packet_bytes(row, 4100)),
				    "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, SORO_DROP_LENGTH,
				    parse(test, &got, &wire, 0xfffffffc - (-wire.hdr_len & 3)),
				    "%s", row->name);
	}
}

static void pad_without_payload(struct kunit *test)
{
	struct soro_pkt pkt = sample(opcode_of(SORO_ACK, SORO_ONLY), 0), got;
	struct wire wire = build(test, &pkt);

	wire.bytes[1] |= 3 << 4;
	KUNIT_EXPECT_EQ(test, SORO_DROP_PAD,
			parse(test, &got, &wire, wire.hdr_len + SORO_ICRC_BYTES));
}

static void destination_qp_exists(struct kunit *test)
{
	struct soro_pkt pkt = sample(0x04, 0), got;
	struct wire wire;

	pkt.qpn = 0;
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, SORO_DROP_NO_QP, parse(test, &got, &wire, 16));
	pkt.qpn = 0xffffff;
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, SORO_DROP_NO_QP, parse(test, &got, &wire, 16));

	pkt.opcode = 0x64;
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, 0, parse(test, &got, &wire, 24));
	pkt.qpn = 0;
	wire = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, SORO_DROP_NO_QP, parse(test, &got, &wire, 24));
}

static bool syndrome_allowed(unsigned int syndrome, u8 kind)
{
	if (syndrome <= 0x1f)				/* ACK with credits */
		return true;
	if (kind != SORO_ACK)
		return false;
	return (syndrome >= 0x20 && syndrome <= 0x3f) ||	/* RNR NAK with timer */
	       (syndrome >= 0x60 && syndrome <= 0x63);		/* NAK, four codes of RC */
}

static void syndromes_are_checked(struct kunit *test)
{
	static const u8 opcodes[] = { 0x0d, 0x0f, 0x10, 0x11, 0x12 };
	unsigned int i, syndrome;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		for (syndrome = 0; syndrome < 256; syndrome++) {
			const struct soro_opcode_row *row = soro_opcode_row(opcodes[i]);
			struct soro_pkt pkt = sample(opcodes[i], good_payload(row)), got;
			struct wire wire;

			pkt.syndrome = syndrome;
			wire = build(test, &pkt);
			KUNIT_EXPECT_EQ_MSG(test, parse(test, &got, &wire,
							soro_packet_bytes(row, pkt.payload_len)),
					    syndrome_allowed(syndrome, row->kind) ?
					    SORO_DROP_NONE : SORO_DROP_SYNDROME,
					    "%s, syndrome 0x%02x", row->name, syndrome);
		}
}

/*
 * Whatever the bytes: no read beyond what is there, and what is kept adds up.
 * A linear congruential generator makes the same packets everywhere.
 */
static void random_bytes_are_survived(struct kunit *test)
{
	u32 seed = 0x50726f6d, round;

	for (round = 0; round < 20000; round++) {
		struct soro_pkt got;
		struct wire wire;
		unsigned int i, len;

		for (i = 0; i < sizeof(wire.bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			wire.bytes[i] = seed >> 24;
		}
		wire.bytes[1] &= 0xf0;
		len = (seed >> 8) % (round % 2 ? 64 : SORO_PACKET_MAX + 64);
		if (parse(test, &got, &wire, len))
			continue;
		KUNIT_EXPECT_EQ(test, len,
				got.hdr_len + got.payload_len + got.pad + SORO_ICRC_BYTES);
		KUNIT_EXPECT_LE(test, got.payload_len, SORO_PAYLOAD_MAX);
		KUNIT_EXPECT_LE(test, got.pad, 3);
	}
}

/* Behind a packet of every opcode, one with another PSN and AckReq; the full parse is right. */
static void next_is_as_parsed(struct kunit *test)
{
	unsigned int opcode, taken = 0;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct soro_opcode_row *row = soro_opcode_row(opcode);
		struct soro_pkt before, want, got;
		struct wire first, second;
		unsigned int len;
		bool alike;

		if (!row)
			continue;
		want = sample(opcode, good_payload(row));
		first = build(test, &want);
		want.psn = 0x000001;
		want.flags |= SORO_PKT_ACKREQ;
		second = build(test, &want);
		second.bytes[8] |= 0x55;	/* reserved bits */
		len = first.hdr_len + want.payload_len + soro_packet_pad(want.payload_len) +
		      SORO_ICRC_BYTES;
		KUNIT_ASSERT_EQ(test, parse(test, &before, &first, len), SORO_DROP_NONE);
		KUNIT_ASSERT_EQ(test, parse(test, &want, &second, len), SORO_DROP_NONE);
		before.data = first.bytes;

		memset(&got, 0x5a, sizeof(got));
		alike = soro_packet_parse_next(&got, &before, second.bytes);
		KUNIT_EXPECT_EQ_MSG(test, alike, !(row->headers & ~SORO_HDR_PAYLOAD), "%s",
				    row->name);
		if (!alike)
			continue;
		expect_same(test, &got, &want, row->headers);
		KUNIT_EXPECT_EQ_MSG(test, got.hdr_len, want.hdr_len, "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, got.pad, want.pad, "%s", row->name);
		KUNIT_EXPECT_PTR_EQ(test, got.row, want.row);
		taken++;
	}
	KUNIT_EXPECT_GT(test, taken, 5U);
}

/* Whatever bit of the first eight bytes differs, the packet has to be looked at. */
static void next_differs_in_nothing_else(struct kunit *test)
{
	struct soro_pkt pkt = sample(opcode_of(SORO_SEND, 0), 1024);
	struct wire first = build(test, &pkt), second;
	struct soro_pkt before, got;
	unsigned int bit;

	KUNIT_ASSERT_EQ(test, parse(test, &before, &first, 1024 + 16), SORO_DROP_NONE);
	before.data = first.bytes;
	for (bit = 0; bit < 64; bit++) {
		second = first;
		second.bytes[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE_MSG(test, soro_packet_parse_next(&got, &before, second.bytes),
				       "bit %u", bit);
	}
}

static void next_is_as_built(struct kunit *test)
{
	struct soro_pkt pkt = sample(opcode_of(SORO_WRITE, 0), 1024);
	struct wire first = build(test, &pkt), want;
	u8 got[SORO_BTH_BYTES];

	pkt.psn = 0x010203;
	want = build(test, &pkt);
	KUNIT_EXPECT_EQ(test, soro_packet_build_next(got, first.bytes, pkt.psn), want.hdr_len);
	KUNIT_EXPECT_EQ(test, memcmp(got, want.bytes, SORO_BTH_BYTES), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_opcode_there_and_back),
	KUNIT_CASE(bytes_are_those_of_the_specification),
	KUNIT_CASE(build_refuses_no_opcode),
	KUNIT_CASE(build_masks_wide_values),
	KUNIT_CASE(reserved_bits_are_ignored),
	KUNIT_CASE(unknown_opcodes_are_dropped),
	KUNIT_CASE(version_must_be_zero),
	KUNIT_CASE(short_packets_are_dropped),
	KUNIT_CASE(lost_headers_are_dropped),
	KUNIT_CASE(pad_must_fit_the_length),
	KUNIT_CASE(full_packets_have_no_pad),
	KUNIT_CASE(payload_length_fits_the_opcode),
	KUNIT_CASE(pad_without_payload),
	KUNIT_CASE(destination_qp_exists),
	KUNIT_CASE(syndromes_are_checked),
	KUNIT_CASE(random_bytes_are_survived),
	KUNIT_CASE(next_is_as_parsed),
	KUNIT_CASE(next_differs_in_nothing_else),
	KUNIT_CASE(next_is_as_built),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_packet",
	.test_cases = cases,
};

kunit_test_suites(&suite);

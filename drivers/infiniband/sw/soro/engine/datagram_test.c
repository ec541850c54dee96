// SPDX-License-Identifier: GPL-2.0
/* The rules of datagrams. */
#include <kunit/test.h>
#include "datagram.h"

static struct soro_datagram receiver(void)
{
	return (struct soro_datagram) { .qkey = 0x11111111 };
}

static struct soro_pkt packet(u8 opcode, u32 payload_len)
{
	return (struct soro_pkt) {
		.opcode = opcode,
		.row = soro_opcode_row(opcode),
		.payload_len = payload_len,
		.deth = { .qkey = 0x11111111, .sqpn = 17 },
	};
}

static u8 ud_send(u16 headers)
{
	return soro_opcode_make(SORO_UD, SORO_SEND, SORO_ONLY, headers);
}

static void takes_what_fits(struct kunit *test)
{
	struct soro_datagram dg = receiver();
	struct soro_pkt pkt = packet(ud_send(0), 1024);

	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_NONE);
	pkt = packet(ud_send(SORO_HDR_IMM), 0);
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_NONE);
	pkt = packet(ud_send(0), 1025);
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_LENGTH);
}

static void ignores_psn_and_ackreq(struct kunit *test)
{
	struct soro_datagram dg = receiver();
	struct soro_pkt pkt = packet(ud_send(0), 4);

	pkt.psn = 0xabcdef;
	pkt.flags = SORO_PKT_ACKREQ;
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_NONE);
}

static void wants_its_key(struct kunit *test)
{
	struct soro_datagram dg = receiver();
	struct soro_pkt pkt = packet(ud_send(0), 4);

	pkt.deth.qkey ^= 0x80000000;
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_QKEY);
}

static void wants_datagrams(struct kunit *test)
{
	struct soro_datagram dg = receiver();
	struct soro_pkt pkt = packet(soro_opcode_make(SORO_UC, SORO_SEND, SORO_ONLY, 0), 4);

	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_QP_TYPE);
}

static void takes_mads_of_one_length(struct kunit *test)
{
	struct soro_datagram dg = receiver();
	struct soro_pkt pkt = packet(ud_send(0), SORO_MAD_BYTES);

	dg.mads = true;
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_NONE);
	pkt.payload_len = SORO_MAD_BYTES - 1;
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_LENGTH);
	pkt.payload_len = SORO_MAD_BYTES + 1;
	KUNIT_EXPECT_EQ(test, soro_datagram_check(&dg, &pkt, 1024), SORO_DROP_LENGTH);
}

static void sends_what_fits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_datagram_sendable(SORO_SEND, 0, 1024), SORO_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, soro_datagram_sendable(SORO_SEND, 1024, 1024), SORO_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, soro_datagram_sendable(SORO_SEND, 1025, 1024), SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, soro_datagram_sendable(SORO_SEND, 1ULL << 32, 1024), SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, soro_datagram_sendable(SORO_WRITE, 4, 1024), SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, soro_datagram_sendable(SORO_READ_REQ, 4, 1024), SORO_ST_LOC_QP_OP);
}

static void protects_controlled_keys(struct kunit *test)
{
	struct soro_datagram dg = receiver();

	KUNIT_EXPECT_EQ(test, soro_datagram_qkey(&dg, 0x7fffffff), 0x7fffffffU);
	KUNIT_EXPECT_EQ(test, soro_datagram_qkey(&dg, 0x80000000), 0x11111111U);
}

static void counts_in_24_bits(struct kunit *test)
{
	struct soro_datagram dg = { .psn = 0xffffff };

	KUNIT_EXPECT_EQ(test, soro_datagram_psn(&dg), 0xffffffU);
	KUNIT_EXPECT_EQ(test, soro_datagram_psn(&dg), 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(takes_what_fits),
	KUNIT_CASE(ignores_psn_and_ackreq),
	KUNIT_CASE(wants_its_key),
	KUNIT_CASE(wants_datagrams),
	KUNIT_CASE(takes_mads_of_one_length),
	KUNIT_CASE(sends_what_fits),
	KUNIT_CASE(protects_controlled_keys),
	KUNIT_CASE(counts_in_24_bits),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_datagram",
	.test_cases = cases,
};

kunit_test_suites(&suite);

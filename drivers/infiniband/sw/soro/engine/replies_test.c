// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what an RC responder keeps and answers: READ responses, repeated READs. */
#include "engine_test.h"

/* ---- order ---- */

/* A READ advances the expected PSN by its response; what comes after waits its turn. */
static void read_then_ack(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	put_read(f, 1, 1, 0, 4 * PMTU + 1);
	put(f, 2, SORO_SEND, SORO_ONLY, 0, 6, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 3U);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 7));
	expect_response(test, 1, 1, 0, PMTU, true, false);
	KUNIT_EXPECT_EQ(test, f->reply.msn, 3U);
	expect_response(test, 2, 4, PMTU, 3 * PMTU + 1, false, true);
	expect_ack(test, ACK, 6);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* A response acknowledges what came before it: one answer is enough. */
static void read_subsumes_ack(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	put_read(f, 1, 1, 0, 5);
	feed(f, 2);
	expect_response(test, 1, 1, 0, 5, true, true);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* ---- trains ---- */

/* Equal sizes: FIRST alone or with LAST, LAST with MIDDLEs if its AETH fits. */
static void response_trains(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 2 * PMTU);
	feed(f, 1);
	expect_response(test, 0, 2, 0, 2 * PMTU, true, true);

	put_read(f, 0, 2, 0, 4 * PMTU);
	feed(f, 1);
	expect_response(test, 2, 1, 0, PMTU, true, false);
	expect_response(test, 3, 2, PMTU, 2 * PMTU, false, false);
	expect_response(test, 5, 1, 3 * PMTU, PMTU, false, true);

	put_read(f, 0, 6, 0, 4 * PMTU - 4);
	feed(f, 1);
	expect_response(test, 6, 1, 0, PMTU, true, false);
	expect_response(test, 7, 3, PMTU, 3 * PMTU - 4, false, true);

	put_read(f, 0, 10, 0, 4 * PMTU - 3);
	feed(f, 1);
	expect_response(test, 10, 1, 0, PMTU, true, false);
	expect_response(test, 11, 2, PMTU, 2 * PMTU, false, false);
	expect_response(test, 13, 1, 3 * PMTU, PMTU - 3, false, true);
}

static void response_limits(struct kunit *test)
{
	const struct soro_train_limits narrow = { .packets = 64, .bytes = 2 * (PMTU + 16) + 15 };
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 6 * PMTU);
	feed(f, 1);
	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &narrow, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.n, 2U);
	/* not handed over: still owed as it was */
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &f->limits, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.n, 4U);
}

/* 2^31 bytes at PMTU 256: half of the PSN space in one READ. */
static void longest_read(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->rsp.cfg.pmtu_bytes = 256;
	put_read(f, 0, 0, 0, SORO_MSG_MAX);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 1 << 23));
	f->rsp.kept[0].cursor = (1 << 23) - 3;
	f->rsp.kept[0].restart = false;
	expect_response(test, (1 << 23) - 3, 2, SORO_MSG_MAX - 3 * 256, 512, false, false);
	expect_response(test, (1 << 23) - 1, 1, SORO_MSG_MAX - 256, 256, false, true);
	put_read(f, 0, 0, 0, SORO_MSG_MAX);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
}

/* ---- repeated READs ---- */

/* A duplicate READ may ask for a part; only that is owed again, and opens with a FIRST. */
static void read_in_part_again(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 5 * PMTU + 3);
	put_read(f, 1, 6, 0, 7);
	feed(f, 2);
	while (reply(f))
		;
	put_read(f, 0, 3, 3 * PMTU, 2 * PMTU + 3);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_TRUE(test, f->step.kept);
	expect_response(test, 3, 1, 3 * PMTU, PMTU, true, false);
	expect_response(test, 4, 2, 4 * PMTU, PMTU + 3, false, true);
	KUNIT_EXPECT_FALSE(test, reply(f));

	put_read(f, 0, 1, PMTU, PMTU + 9);
	feed(f, 1);
	expect_response(test, 1, 2, PMTU, PMTU + 9, true, true);
	KUNIT_EXPECT_FALSE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 7));
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 2U);
}

/* Kept READs may cover more than all PSNs: the repeat means the newest that has its PSN. */
static void repeat_after_a_whole_turn(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	u32 i, last = 0;

	f->rsp.cfg.reads_max = SORO_READS_MAX;
	for (i = 0; i < 9; i++) {
		last = i * (SORO_MSG_MAX / PMTU);
		put_read(f, 0, last, i, SORO_MSG_MAX);
		feed(f, 1);
		while (reply(f))
			;
	}
	KUNIT_EXPECT_EQ(test, f->acts, 9U);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_EQ(test, f->acts, 10U);
	expect_response(test, last, 1, 8, PMTU, true, false);
}

/* A duplicate that is no part of the READ at its PSN is no duplicate. */
static void read_of_something_else(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	u32 i;

	put_read(f, 0, 0, 0, 3 * PMTU);
	feed(f, 1);
	while (reply(f))
		;
	put_read(f, 0, 1, 0, PMTU);			/* address */
	put_read(f, 1, 1, PMTU, 2 * PMTU + 1);		/* length */
	put_read(f, 2, 1, PMTU, 0);			/* nothing */
	put_read(f, 3, 0, 0, PMTU)->reth.rkey++;	/* key */
	put_read(f, 4, -1, 0, PMTU);			/* before any READ */
	for (i = 0; i < 5; i++) {
		soro_responder_judge(&f->rsp, f->pkts + i, 1, &f->step);
		KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	}
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* Memory that is gone when a READ is repeated: the peer may be done with it, nobody is at fault. */
static void repeated_read_checks_the_key(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 3 * PMTU);
	feed(f, 1);
	while (reply(f))
		;
	f->bad_key = true;
	put_read(f, 0, 1, PMTU, 2 * PMTU);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_DROP);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	expect_silence(test);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 3, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 1);
	expect_ack(test, ACK, 3);
}

/* The same when its key goes after the duplicate was accepted, here by the SEND behind it. */
static void repeated_read_loses_its_key(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 3 * PMTU);
	feed(f, 1);
	while (reply(f))
		;
	put_read(f, 0, 0, 0, 3 * PMTU);
	put(f, 1, SORO_SEND, SORO_ONLY, SORO_HDR_IETH, 3, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 2);
	KUNIT_EXPECT_TRUE(test, f->step.has_inv);
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &f->limits, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.kind, SORO_READ_RESP);
	KUNIT_EXPECT_FALSE(test, soro_responder_unreadable(&f->rsp, &f->reply));
	expect_ack(test, ACK, 3);
	expect_silence(test);
}

/* That an answered READ is owed again for a late duplicate is no fault of the peer. */
static void late_duplicate_costs_nothing(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 5);
	put_read(f, 1, 1, 0, 5);
	feed(f, 2);
	while (reply(f))
		;
	put_read(f, 2, 2, 0, 5);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 3));
	expect_response(test, 1, 1, 0, 5, true, true);
	expect_response(test, 2, 1, 0, 5, true, true);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* ---- faults ---- */

static void too_many_reads(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 5);
	put_read(f, 1, 1, 0, 5);
	put_read(f, 2, 2, 0, 5);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	/* the accepted ones are answered first */
	expect_response(test, 0, 1, 0, 5, true, true);
	expect_response(test, 1, 1, 0, 5, true, true);
	expect_fault(test, SORO_FAULT_READS, 2);
}

/* A READ whose memory goes away ends in a NAK where it stands; later ones are silent. */
static void unreadable(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_read(f, 0, 0, 0, 3 * PMTU);
	put_read(f, 1, 3, 0, 5);
	feed(f, 2);
	expect_response(test, 0, 1, 0, PMTU, true, false);
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &f->limits, &f->reply));
	KUNIT_EXPECT_TRUE(test, soro_responder_unreadable(&f->rsp, &f->reply));
	expect_ack(test, soro_fault_row(SORO_FAULT_ACCESS)->syndrome, 1);
	KUNIT_EXPECT_TRUE(test, f->reply.fatal);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(read_then_ack),
	KUNIT_CASE(read_subsumes_ack),
	KUNIT_CASE(response_trains),
	KUNIT_CASE(response_limits),
	KUNIT_CASE(longest_read),
	KUNIT_CASE(read_in_part_again),
	KUNIT_CASE(repeat_after_a_whole_turn),
	KUNIT_CASE(read_of_something_else),
	KUNIT_CASE(repeated_read_checks_the_key),
	KUNIT_CASE(repeated_read_loses_its_key),
	KUNIT_CASE(late_duplicate_costs_nothing),
	KUNIT_CASE(too_many_reads),
	KUNIT_CASE(unreadable),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_replies",
	.init = setup_responder,
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what an RC requester sends: trains, AckReq, window, READs. */
#include "engine_test.h"

/* ---- trains ---- */

static void send_is_one_train(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 4 * PMTU + 1, 0);
	expect_train(test, 0, 5, 0, 4 * PMTU + 1, true);
	KUNIT_EXPECT_TRUE(test, f->train.first);
	KUNIT_EXPECT_TRUE(test, f->train.last);
	expect_wait(test, SORO_WAIT_EMPTY);
}

static void write_first_goes_alone(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_WRITE, 4 * PMTU, 0);
	expect_train(test, 0, 1, 0, PMTU, false);
	KUNIT_EXPECT_TRUE(test, f->train.first);
	KUNIT_EXPECT_FALSE(test, f->train.last);
	expect_train(test, 1, 3, PMTU, 3 * PMTU, true);
	KUNIT_EXPECT_FALSE(test, f->train.first);
	KUNIT_EXPECT_TRUE(test, f->train.last);
	post(f, SORO_WRITE, 0, 0);
	expect_train(test, 4, 1, 0, 0, true);
}

/* Immediate data may make the LAST longer than a full packet: then it goes alone. */
static void immediate_in_a_train(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 3 * PMTU, SORO_WQE_IMM);
	expect_train(test, 0, 2, 0, 2 * PMTU, false);
	expect_train(test, 2, 1, 2 * PMTU, PMTU, true);
	post(f, SORO_SEND, 3 * PMTU - 3, SORO_WQE_IMM);
	expect_train(test, 3, 2, 0, 2 * PMTU, false);
	expect_train(test, 5, 1, 2 * PMTU, PMTU - 3, true);
	post(f, SORO_SEND, 3 * PMTU - 4, SORO_WQE_IMM);
	expect_train(test, 6, 3, 0, 3 * PMTU - 4, true);
}

static void limits_are_kept(struct kunit *test)
{
	const struct soro_train_limits packets = { .packets = 3, .bytes = 65000 };
	const struct soro_train_limits bytes = { .packets = 64, .bytes = 3 * PACKET - 1 };
	const struct soro_train_limits tiny = { .packets = 1, .bytes = 10 };
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 9 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &packets, false, 1, &f->train));
	KUNIT_EXPECT_EQ(test, f->train.n, 3U);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &bytes, false, 1, &f->train));
	KUNIT_EXPECT_EQ(test, f->train.n, 2U);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &tiny, false, 1, &f->train));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	/* planned is not sent */
	KUNIT_EXPECT_EQ(test, f->req.nxt, START);
}

/* ---- AckReq ---- */

static void ack_is_asked_for(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->more = true;
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 0, 1, 0, 5, false);
	post(f, SORO_SEND, 5, SORO_WQE_SIGNALED);
	expect_train(test, 1, 1, 0, 5, true);
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 2, 1, 0, 5, false);
	f->more = false;
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 3, 1, 0, 5, true);
}

static void ack_is_asked_for_by_slots(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	f->more = true;
	for (i = 0; i < SLOTS / 2; i++) {
		post(f, SORO_SEND, 5, 0);
		KUNIT_ASSERT_TRUE(test, send(f));
		KUNIT_EXPECT_EQ(test, f->train.ackreq, i == SLOTS / 2 - 1);
	}
}

static void ack_is_asked_for_by_window(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	bool last = false;
	u32 asked = 0;

	f->more = true;
	post(f, SORO_SEND, 1 << 20, 0);
	while (send(f)) {
		last = f->train.ackreq;
		asked += last;
	}
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_WINDOW);
	KUNIT_EXPECT_TRUE(test, last);
	KUNIT_EXPECT_GE(test, asked, 3U);
	KUNIT_EXPECT_LE(test, (f->req.nxt - f->req.una) & SORO_PSN_MASK,
			SORO_WINDOW_INIT_BYTES / PMTU);
}

/* Nothing that follows could ask: the WQE before a failed one does. */
static void ack_is_asked_for_before_an_error(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	soro_requester_fail(&f->req, 1, SORO_ST_LOC_PROT);
	expect_train(test, 0, 1, 0, 5, true);
	expect_wait(test, SORO_WAIT_FAILED);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_PROT, true);
}

/* The copy of the second fails when the first is on its way without having asked. */
static void ack_is_asked_for_after_an_error(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->more = true;
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 0, 1, 0, 5, false);
	post(f, SORO_SEND, 5, 0);
	soro_requester_fail(&f->req, 1, SORO_ST_LOC_PROT);
	expect_train(test, 0, 1, 0, 5, true);
	KUNIT_EXPECT_TRUE(test, f->train.resend);
}

/* ---- READs ---- */

static void read_limit_and_fence(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_SEND, 5, SORO_WQE_FENCE);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_READS);
	receive_responses(f, 0, 0, 1, 5);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_FENCE);
	receive_responses(f, 1, 0, 1, 5);
	expect_wait(test, SORO_WAIT_FENCE);
	receive_responses(f, 2, 0, 1, 5);
	expect_train(test, 3, 1, 0, 5, true);
}

/* Many requests on the wire, one after the other; a part is asked for again to its end. */
static void longest_read(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 trains = 0, at = 0;

	f->req.cfg.pmtu_bytes = 256;
	post(f, SORO_READ_REQ, SORO_MESSAGE_MAX, 0);
	while (at < 1U << 23) {
		trains += send_all(f);
		if (at == 64) {
			KUNIT_ASSERT_TRUE(test, expire(f));
			KUNIT_ASSERT_TRUE(test, send(f));
			KUNIT_EXPECT_EQ(test, f->train.npsn, SORO_READ_PSN_MAX - 64);
			KUNIT_EXPECT_EQ(test, f->train.offset, 64U * 256);
		}
		put_responses(f, at, 0, PKTS, PKTS * 256 + 1);
		if (!((at + PKTS) % SORO_READ_PSN_MAX)) {
			f->pkts[PKTS - 1].opcode = soro_opcode_make(SORO_RC, SORO_READ_RESP,
								    SORO_LAST, 0);
			f->pkts[PKTS - 1].row = soro_opcode_row(f->pkts[PKTS - 1].opcode);
		}
		judge(f, PKTS);
		KUNIT_ASSERT_EQ(test, f->step.verdict, SORO_REQ_PLACE);
		KUNIT_ASSERT_EQ(test, f->step.n, (u32)PKTS);
		KUNIT_ASSERT_EQ(test, f->step.offset, at * 256);
		soro_requester_commit(&f->req, &f->step, f->now);
		at += PKTS;
	}
	KUNIT_EXPECT_EQ(test, trains, 2U);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* ---- window ---- */

static void window_grows_and_falls(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	post(f, SORO_SEND, 1 << 28, 0);
	for (i = 0; i < 8; i++) {
		send_all(f);
		KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_WINDOW);
		receive_ack(f, ACK, (f->req.nxt - START - 1) & SORO_PSN_MASK);
	}
	KUNIT_EXPECT_EQ(test, f->req.window_bytes, (u32)SORO_WINDOW_MAX_BYTES);
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, f->req.window_bytes, (u32)SORO_WINDOW_MIN_BYTES);
}

/* 2^31 bytes at PMTU 256 are half of the PSN space. */
static void longest_send(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u64 bytes = 0;

	f->req.cfg.pmtu_bytes = 256;
	post(f, SORO_SEND, SORO_MESSAGE_MAX, 0);
	while (!soro_requester_pop(&f->req, &f->done)) {
		KUNIT_ASSERT_TRUE(test, send(f));
		KUNIT_ASSERT_EQ(test, f->train.offset, bytes);
		bytes += f->train.bytes;
		receive_ack(f, ACK, (f->req.nxt - START - 1) & SORO_PSN_MASK);
	}
	KUNIT_EXPECT_EQ(test, bytes, (u64)SORO_MESSAGE_MAX);
	KUNIT_EXPECT_EQ(test, f->req.nxt, soro_psn_add(START, 1 << 23));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(send_is_one_train),
	KUNIT_CASE(write_first_goes_alone),
	KUNIT_CASE(immediate_in_a_train),
	KUNIT_CASE(limits_are_kept),
	KUNIT_CASE(ack_is_asked_for),
	KUNIT_CASE(ack_is_asked_for_by_slots),
	KUNIT_CASE(ack_is_asked_for_by_window),
	KUNIT_CASE(ack_is_asked_for_before_an_error),
	KUNIT_CASE(ack_is_asked_for_after_an_error),
	KUNIT_CASE(read_limit_and_fence),
	KUNIT_CASE(longest_read),
	KUNIT_CASE(window_grows_and_falls),
	KUNIT_CASE(longest_send),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_plan",
	.init = setup_requester,
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the life of a send WQE: deadlines, configuration, errors, order of completion. */
#include "engine_test.h"

/* ---- deadlines ---- */

static void timeout_goes_back_in_singles(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 4 * PMTU, 0);
	send_all(f);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + TIMEOUT);
	KUNIT_EXPECT_FALSE(test, soro_requester_timeout(&f->req, f->now + TIMEOUT - 1));
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 0, 1, 0, PMTU, true);
	KUNIT_EXPECT_TRUE(test, f->train.resend);
	expect_wait(test, SORO_WAIT_HOLE);
	receive_ack(f, ACK, 0);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 2);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	receive_ack(f, ACK, 2);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	KUNIT_EXPECT_EQ(test, f->req.resent, 4ULL);
}

/* The answer was only late: nothing more is sent again, however often the deadline passed. */
static void late_answer_ends_the_resend(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 8 * PMTU, 0);
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	receive_ack(f, ACK, 7);
	KUNIT_EXPECT_EQ(test, send_all(f), 0U);
	KUNIT_EXPECT_EQ(test, f->req.resent, 2ULL);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

static void retries_end(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, ACK, 0);
	KUNIT_EXPECT_TRUE(test, expire(f));
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_none(test);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_wait(test, SORO_WAIT_FAILED);
	expect_done(test, 1, SORO_ST_RETRY_EXC, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
	post(f, SORO_SEND, 5, 0);
	expect_done(test, 2, SORO_ST_FLUSH, true);
	KUNIT_EXPECT_FALSE(test, f->done.error);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* A path that takes nothing: the deadline runs from the first attempt. */
static void deadline_needs_no_answer_to_start(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
	post(f, SORO_READ_REQ, 5, 0);
	for (i = 0; i < 3; i++) {
		send_all(f);
		KUNIT_ASSERT_TRUE(test, expire(f));
	}
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

/* The timeout grows to four times what the user asked for, no further (IBA 9.7.6.1.3). */
static void timeout_grows_fourfold(struct kunit *test)
{
	static const u32 times[] = { 1, 2, 4, 4, 4, 4, 4, 4 };
	struct requester_fixture *f = test->priv;
	u32 i;

	f->req.cfg.retry_cnt = 7;
	soro_requester_init(&f->req, START);
	post(f, SORO_SEND, 5, 0);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		send_all(f);
		KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req),
				f->now + times[i] * TIMEOUT);
		KUNIT_ASSERT_TRUE(test, expire(f));
	}
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

/* What failed while it was sent again is no success, though an ACK for it comes late. */
static void late_ack_of_what_failed(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, SORO_WQE_SIGNALED);
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	soro_requester_fail(&f->req, 1, SORO_ST_LOC_PROT);
	receive_ack(f, ACK, 1);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_PROT, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
}

/* ---- configuration ---- */

/* In SQD the counts may be lowered: what is left follows at once. */
static void lower_counts(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	struct soro_requester_config cfg = f->req.cfg;

	post(f, SORO_SEND, 5, 0);
	send_all(f);
	cfg.retry_cnt = 1;
	cfg.rnr_retry = 0;
	soro_requester_configure(&f->req, &cfg, f->now);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 1);
	KUNIT_EXPECT_EQ(test, f->req.rnr_left, 0);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + 2 * TIMEOUT);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

static void changed_in_sqd(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	struct soro_requester_config cfg = f->req.cfg;

	/* a timeout where there was none */
	f->req.cfg.timeout_ns = 0;
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
	soro_requester_configure(&f->req, &cfg, f->now);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + TIMEOUT);

	/* no READs any more: the one that was not sent fails in its turn */
	post(f, SORO_READ_REQ, 5, 0);
	cfg.reads_max = 0;
	soro_requester_configure(&f->req, &cfg, f->now);
	send_all(f);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_QP_OP, true);
}

/* ---- order of completion ---- */

static void bad_wqes_complete_in_turn(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.cfg.reads_max = 0;
	post(f, SORO_SEND, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_SEND, 5, 0);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	expect_none(test);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_QP_OP, true);
	expect_done(test, 2, SORO_ST_FLUSH, true);
}

static void too_long_or_unknown(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, post(f, SORO_SEND, SORO_MESSAGE_MAX + 1, 0)->status,
			SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, post(f, SORO_ACK, 8, 0)->status, SORO_ST_LOC_QP_OP);
	expect_wait(test, SORO_WAIT_FAILED);
}

static void flush_ends_everything(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, ACK, 0);
	soro_requester_flush(&f->req);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_FLUSH, true);
	KUNIT_EXPECT_FALSE(test, f->done.error);
	expect_none(test);
	expect_wait(test, SORO_WAIT_FAILED);
}

static void flush_keeps_an_error_that_is_due(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_OPERATION, 0);
	soro_requester_flush(&f->req);
	expect_done(test, 0, SORO_ST_REM_OP, true);
	expect_done(test, 1, SORO_ST_FLUSH, true);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(timeout_goes_back_in_singles),
	KUNIT_CASE(late_answer_ends_the_resend),
	KUNIT_CASE(retries_end),
	KUNIT_CASE(deadline_needs_no_answer_to_start),
	KUNIT_CASE(timeout_grows_fourfold),
	KUNIT_CASE(late_ack_of_what_failed),
	KUNIT_CASE(lower_counts),
	KUNIT_CASE(changed_in_sqd),
	KUNIT_CASE(bad_wqes_complete_in_turn),
	KUNIT_CASE(too_long_or_unknown),
	KUNIT_CASE(flush_ends_everything),
	KUNIT_CASE(flush_keeps_an_error_that_is_due),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_requester",
	.init = setup_requester,
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of SEND with invalidate, on both sides. */
#include "engine_test.h"

static void invalidate_requests(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	struct soro_wqe *wqe = post(f, SORO_SEND, 2 * PMTU, SORO_WQE_INV | SORO_WQE_SIGNALED);

	KUNIT_EXPECT_EQ(test, wqe->status, SORO_ST_SUCCESS);
	expect_train(test, 0, 1, 0, PMTU, false);	/* the LAST is longer: it goes alone */
	expect_train(test, 1, 1, PMTU, PMTU, true);
	post(f, SORO_SEND, PMTU + 8, SORO_WQE_INV | SORO_WQE_SIGNALED);
	expect_train(test, 2, 2, 0, PMTU + 8, true);
}

static void only_invalidates(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, SORO_HDR_IETH, 0, 8)->inv_rkey = RKEY;
	f->pkts[0].flags = SORO_PKT_ACKREQ;
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RECV);
	KUNIT_EXPECT_TRUE(test, f->step.invalidate);
	KUNIT_EXPECT_EQ(test, f->step.inv_rkey, (u32)RKEY);
	execute(f);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_TRUE(test, f->step.has_inv);
	KUNIT_EXPECT_FALSE(test, f->step.has_imm);
	expect_ack(test, ACK, 0);

	/* Again: acknowledged, not executed (IBA C9-105). */
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_FALSE(test, f->step.invalidate);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_ack(test, ACK, 0);
}

static void last_invalidates(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_MIDDLE, 0, 1, PMTU);
	put(f, 2, SORO_SEND, SORO_LAST, SORO_HDR_IETH, 2, 8)->inv_rkey = RKEY;
	soro_responder_judge(&f->rsp, f->pkts, 3, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.n, 2U);	/* the LAST does more: it stands alone */
	KUNIT_EXPECT_FALSE(test, f->step.invalidate);
	execute(f);
	soro_responder_judge(&f->rsp, f->pkts + 2, 1, &f->step);
	KUNIT_EXPECT_TRUE(test, f->step.invalidate);
	KUNIT_EXPECT_EQ(test, f->step.offset, 2U * PMTU);
	execute(f);
	KUNIT_EXPECT_TRUE(test, f->step.has_inv);
	KUNIT_EXPECT_EQ(test, f->step.length, 2U * PMTU + 8);
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 1U);
}

static void invalidation_that_fails(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	struct soro_rsp_answer answer = { .recv_found = true, .recv_capacity = 100 };

	put(f, 0, SORO_SEND, SORO_ONLY, SORO_HDR_IETH, 0, 8)->inv_rkey = RKEY;
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_ASSERT_EQ(test, soro_responder_resolve(&f->rsp, &f->step, &answer), SORO_RSP_EXECUTE);
	soro_responder_refuse(&f->rsp, &f->step, SORO_FAULT_ACCESS);
	expect_fault(test, SORO_FAULT_ACCESS, 0);
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 0U);
}

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(invalidate_requests),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "soro_invalidate_requester",
	.init = setup_requester,
	.test_cases = requester_cases,
};

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(only_invalidates),
	KUNIT_CASE(last_invalidates),
	KUNIT_CASE(invalidation_that_fails),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "soro_invalidate_responder",
	.init = setup_responder,
	.test_cases = responder_cases,
};

kunit_test_suites(&requester_suite, &responder_suite);

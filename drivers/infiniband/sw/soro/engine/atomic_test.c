// SPDX-License-Identifier: GPL-2.0
/* Unit tests of CMP_SWP, FETCH_ADD and ATOMIC WRITE in both halves. */
#include "engine_test.h"

/* ---- responder ---- */

static void put_atomic(struct responder_fixture *f, u8 kind, u32 ahead, u64 va)
{
	struct soro_pkt *pkt = put(f, 0, kind, SORO_ONLY, 0, ahead, 0);

	if (kind == SORO_ATOMIC_WRITE) {
		pkt->reth.va = va;
		pkt->reth.rkey = RKEY;
		pkt->reth.len = 8;
		pkt->payload_len = 8;
	} else {
		pkt->atomic.va = va;
		pkt->atomic.rkey = RKEY;
		pkt->atomic.swap_add = 5;
	}
}

static void expect_reply(struct kunit *test, u8 kind, u32 ahead, u64 orig)
{
	struct responder_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.kind, kind);
	KUNIT_EXPECT_EQ(test, f->reply.psn, soro_psn_add(START, ahead));
	KUNIT_EXPECT_EQ(test, f->reply.n, 1U);
	KUNIT_EXPECT_EQ(test, f->reply.range.bytes, 0U);
	KUNIT_EXPECT_TRUE(test, f->reply.first && f->reply.last);
	if (kind == SORO_ATOMIC_ACK)
		KUNIT_EXPECT_EQ(test, f->reply.orig, orig);
}

struct atomic {
	const char *what;
	u8 kind, act, right, answer;
};

static const struct atomic atomics[] = {
	{ "CMP_SWP", SORO_CMP_SWP, SORO_ACT_ATOMIC, SORO_RIGHT_ATOMIC, SORO_ATOMIC_ACK },
	{ "FETCH_ADD", SORO_FETCH_ADD, SORO_ACT_ATOMIC, SORO_RIGHT_ATOMIC, SORO_ATOMIC_ACK },
	{ "ATOMIC_WRITE", SORO_ATOMIC_WRITE, SORO_ACT_STORE, SORO_RIGHT_WRITE, SORO_READ_RESP },
};

static void name_atomic(const struct atomic *atomic, char *desc)
{
	strscpy(desc, atomic->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(atomics, atomics, name_atomic);

static void executed_once(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct responder_fixture *f = test->priv;

	put_atomic(f, a->kind, 0, VA);
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RANGE);
	KUNIT_EXPECT_EQ(test, f->step.range.va, VA);
	KUNIT_EXPECT_EQ(test, f->step.range.bytes, 8U);
	KUNIT_EXPECT_EQ(test, f->step.range.rkey, RKEY);
	KUNIT_EXPECT_EQ(test, f->step.range.right, a->right);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.act, a->act);
	KUNIT_EXPECT_FALSE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 1));
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 1U);
	expect_reply(test, a->answer, 0, ORIG);
	expect_silence(test);

	/* again, also when its key is gone: the saved result */
	f->bad_key = true;
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_reply(test, a->answer, 0, ORIG);
	expect_silence(test);
}

static void results_are_kept_apart(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_atomic(f, SORO_FETCH_ADD, 0, VA);
	feed(f, 1);
	put_atomic(f, SORO_CMP_SWP, 1, VA);
	feed(f, 1);
	expect_reply(test, SORO_ATOMIC_ACK, 0, ORIG);
	expect_reply(test, SORO_ATOMIC_ACK, 1, ORIG + 1);
	put_atomic(f, SORO_FETCH_ADD, 0, VA);
	feed(f, 1);
	expect_reply(test, SORO_ATOMIC_ACK, 0, ORIG);
	expect_silence(test);
}

/* Another one than was executed, or one that is not kept any more: silence (IBA 9.7.5). */
static void unknown_duplicate(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	u32 i;

	put_atomic(f, SORO_FETCH_ADD, 0, VA);
	feed(f, 1);
	expect_reply(test, SORO_ATOMIC_ACK, 0, ORIG);
	put_atomic(f, SORO_CMP_SWP, 0, VA);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	put_atomic(f, SORO_FETCH_ADD, 0, VA + 8);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	put_atomic(f, SORO_ATOMIC_WRITE, 0, VA);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	for (i = 1; i < 3; i++) {
		put_atomic(f, SORO_FETCH_ADD, i, VA);
		feed(f, 1);
		expect_reply(test, SORO_ATOMIC_ACK, i, ORIG + i);
	}
	put_atomic(f, SORO_FETCH_ADD, 0, VA);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	KUNIT_EXPECT_EQ(test, f->acts, 3U);
	expect_silence(test);
}

static void expect_refused(struct kunit *test, u8 fault)
{
	struct responder_fixture *f = test->priv;

	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	KUNIT_EXPECT_EQ(test, f->step.fault, fault);
	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_TRUE(test, f->reply.fatal);
	KUNIT_EXPECT_EQ(test, f->reply.psn, START);
	soro_responder_init(&f->rsp, START);
}

static void refused(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct responder_fixture *f = test->priv;
	u32 i;

	for (i = 1; i < 8; i++) {
		put_atomic(f, a->kind, 0, VA + i);
		expect_refused(test, SORO_FAULT_MISALIGNED);
	}
	put_atomic(f, a->kind, 0, VA);
	f->bad_key = true;
	expect_refused(test, SORO_FAULT_ACCESS);
	f->bad_key = false;
	f->rsp.cfg.reads_max = 0;
	expect_refused(test, SORO_FAULT_NOT_ENABLED);
	f->rsp.cfg.reads_max = 2;
	f->rsp.cfg.allow_atomic = a->kind == SORO_ATOMIC_WRITE;
	f->rsp.cfg.allow_write = a->kind != SORO_ATOMIC_WRITE;
	expect_refused(test, SORO_FAULT_NOT_ENABLED);
}

static void atomic_write_of_another_length(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_atomic(f, SORO_ATOMIC_WRITE, 0, VA);
	f->pkts->reth.len = 16;
	expect_refused(test, SORO_FAULT_LENGTH);
}

static void atomic_write_with_another_payload(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_atomic(f, SORO_ATOMIC_WRITE, 0, VA);
	f->pkts->payload_len = 0;
	expect_refused(test, SORO_FAULT_LENGTH);
}

static void too_many(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 3; i++) {
		put_atomic(f, i == 1 ? SORO_ATOMIC_WRITE : SORO_CMP_SWP, i, VA);
		feed(f, 1);
	}
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_READS);
}

/* The memory turned out not to be aligned: the NAK is that of the address. */
static void memory_not_aligned(struct kunit *test)
{
	struct soro_rsp_answer answer = {};
	struct responder_fixture *f = test->priv;

	put_atomic(f, SORO_CMP_SWP, 0, VA);
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_ASSERT_EQ(test, soro_responder_resolve(&f->rsp, &f->step, &answer),
			SORO_RSP_EXECUTE);
	soro_responder_refuse(&f->rsp, &f->step, SORO_FAULT_MISALIGNED);
	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, SORO_SYNDROME_NAK | SORO_NAK_INVALID);
}

/* ---- requester ---- */

static void receive(struct requester_fixture *f, u8 kind, u8 pos, u32 ahead, u32 len)
{
	put_packet(f->pkts, kind, pos, 0, ahead, len);
	f->pkts->syndrome = ACK;
	if (kind == SORO_ATOMIC_ACK)
		f->pkts->atomic_orig = ORIG;
	judge(f, 1);
}

static void expect_status(struct kunit *test, u8 status)
{
	struct requester_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_EXPECT_EQ(test, f->done.status, status);
}

static void result_completes(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct requester_fixture *f = test->priv;

	post(f, a->kind, 8, SORO_WQE_SIGNALED);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	KUNIT_EXPECT_EQ(test, f->train.npsn, 1U);
	KUNIT_EXPECT_TRUE(test, f->train.first && f->train.last);
	KUNIT_EXPECT_FALSE(test, f->train.ackreq);
	KUNIT_EXPECT_NE(test, soro_requester_deadline(&f->req), 0ULL);

	/* An ACK says that it was executed, but brings no result: ask again (IBA 9.7.5). */
	receive(f, SORO_ACK, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_TRUE(test, f->step.implied);
	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.resend);

	receive(f, a->answer, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_EQ(test, f->step.verdict,
			a->answer == SORO_ATOMIC_ACK ? SORO_REQ_STORE : SORO_REQ_PLACE);
	KUNIT_EXPECT_EQ(test, f->step.slot, 0U);
	KUNIT_EXPECT_EQ(test, f->step.bytes, 0U);
	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
	soro_requester_commit(&f->req, &f->step, 3);
	expect_status(test, SORO_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->req.reads, 0U);
	receive(f, a->answer, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
}

static void wrong_answer(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct requester_fixture *f = test->priv;
	bool is_write = a->kind == SORO_ATOMIC_WRITE;

	post(f, a->kind, 8, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, is_write ? SORO_ATOMIC_ACK : SORO_READ_RESP, SORO_ONLY, 0, 0);
	expect_status(test, SORO_ST_BAD_RESP);
}

static void data_for_an_atomic_write(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_ATOMIC_WRITE, 8, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, SORO_READ_RESP, SORO_ONLY, 0, 8);
	expect_status(test, SORO_ST_BAD_RESP);
}

static void result_for_a_read(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 8, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, SORO_ATOMIC_ACK, SORO_ONLY, 0, 0);
	expect_status(test, SORO_ST_BAD_RESP);
}

static void limit_and_fence(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_CMP_SWP, 8, 0);
	post(f, SORO_ATOMIC_WRITE, 8, 0);
	post(f, SORO_FETCH_ADD, 8, 0);
	KUNIT_EXPECT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, send(f));
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_READS);
	receive(f, SORO_ATOMIC_ACK, SORO_ONLY, 0, 0);
	soro_requester_commit(&f->req, &f->step, 3);
	KUNIT_EXPECT_TRUE(test, send(f));
	post(f, SORO_SEND, 8, SORO_WQE_FENCE);
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_FENCE);
}

static void bad_wqe(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct requester_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, post(f, a->kind, 7, 0)->status, SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, post(f, a->kind, 9, 0)->status, SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, post(f, a->kind, 8, 0)->status, SORO_ST_SUCCESS);
	f->req.cfg.reads_max = 0;
	KUNIT_EXPECT_EQ(test, post(f, a->kind, 8, 0)->status, SORO_ST_LOC_QP_OP);
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE_PARAM(executed_once, atomics_gen_params),
	KUNIT_CASE(results_are_kept_apart),
	KUNIT_CASE(unknown_duplicate),
	KUNIT_CASE_PARAM(refused, atomics_gen_params),
	KUNIT_CASE(atomic_write_of_another_length),
	KUNIT_CASE(atomic_write_with_another_payload),
	KUNIT_CASE(too_many),
	KUNIT_CASE(memory_not_aligned),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "soro_atomic_responder",
	.init = setup_responder,
	.test_cases = responder_cases,
};

static struct kunit_case requester_cases[] = {
	KUNIT_CASE_PARAM(result_completes, atomics_gen_params),
	KUNIT_CASE_PARAM(wrong_answer, atomics_gen_params),
	KUNIT_CASE(data_for_an_atomic_write),
	KUNIT_CASE(result_for_a_read),
	KUNIT_CASE(limit_and_fence),
	KUNIT_CASE_PARAM(bad_wqe, atomics_gen_params),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "soro_atomic_requester",
	.init = setup_requester,
	.test_cases = requester_cases,
};

kunit_test_suites(&responder_suite, &requester_suite);

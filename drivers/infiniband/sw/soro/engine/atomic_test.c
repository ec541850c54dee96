// SPDX-License-Identifier: GPL-2.0
/* Unit tests of CMP_SWP, FETCH_ADD and ATOMIC WRITE in both halves. */
#include <kunit/test.h>
#include <linux/string.h>
#include "requester.h"
#include "responder.h"
#include "../wire/psn.h"

#define START	0xfffffeU	/* the wrap is always near */
#define VA	0x10000008ULL
#define RKEY	0x1234
#define SLOTS	8
#define ORIG	0x0123456789abcdefULL

static const struct soro_train_limits wide = { .packets = 64, .bytes = 65000 };

struct fixture {
	struct soro_responder rsp;
	struct soro_requester req;
	struct soro_wqe wqes[SLOTS];
	struct soro_rsp_step step;
	struct soro_req_step digest;
	struct soro_reply reply;
	struct soro_train train;
	struct soro_req_done done;
	struct soro_pkt pkt;
	bool bad_key;
	u32 acts;
};

static int setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -1;
	f->rsp.cfg = (struct soro_responder_config) {
		.pmtu_bytes = 1024, .reads_max = 2,
		.allow_write = true, .allow_read = true, .allow_atomic = true,
	};
	soro_responder_init(&f->rsp, START);
	f->req.wqes = f->wqes;
	f->req.stride = sizeof(f->wqes[0]);
	f->req.mask = SLOTS - 1;
	soro_requester_reset(&f->req);
	f->req.cfg = (struct soro_requester_config) {
		.pmtu_bytes = 1024, .timeout_ns = 1000000, .retry_cnt = 2, .reads_max = 2,
	};
	soro_requester_init(&f->req, START);
	f->req.unlimited = true;
	test->priv = f;
	return 0;
}

/* ---- responder ---- */

static void put(struct fixture *f, u8 kind, u32 ahead, u64 va)
{
	memset(&f->pkt, 0, sizeof(f->pkt));
	f->pkt.opcode = soro_opcode_make(SORO_RC, kind, SORO_ONLY, 0);
	f->pkt.row = soro_opcode_row(f->pkt.opcode);
	f->pkt.psn = soro_psn_add(START, ahead);
	if (kind == SORO_ATOMIC_WRITE) {
		f->pkt.reth.va = va;
		f->pkt.reth.rkey = RKEY;
		f->pkt.reth.len = 8;
		f->pkt.payload_len = 8;
	} else {
		f->pkt.atomic.va = va;
		f->pkt.atomic.rkey = RKEY;
		f->pkt.atomic.swap_add = 5;
	}
}

/* What the driver does; each act finds another value. */
static void feed(struct fixture *f)
{
	struct soro_rsp_answer answer = { .fault = f->bad_key ? SORO_FAULT_ACCESS : 0 };

	soro_responder_judge(&f->rsp, &f->pkt, 1, &f->step);
	if (f->step.verdict != SORO_RSP_EXECUTE ||
	    soro_responder_resolve(&f->rsp, &f->step, &answer) != SORO_RSP_EXECUTE)
		return;
	f->step.orig = ORIG + f->acts++;
	soro_responder_commit(&f->rsp, &f->step);
}

static void expect_reply(struct kunit *test, u8 kind, u32 ahead, u64 orig)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &wide, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.kind, kind);
	KUNIT_EXPECT_EQ(test, f->reply.psn, soro_psn_add(START, ahead));
	KUNIT_EXPECT_EQ(test, f->reply.n, 1U);
	KUNIT_EXPECT_EQ(test, f->reply.range.bytes, 0U);
	KUNIT_EXPECT_TRUE(test, f->reply.first && f->reply.last);
	if (kind == SORO_ATOMIC_ACK)
		KUNIT_EXPECT_EQ(test, f->reply.orig, orig);
	soro_responder_replied(&f->rsp, &f->reply);
}

static void expect_silence(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, soro_responder_reply(&f->rsp, &wide, &f->reply));
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
	struct fixture *f = test->priv;

	put(f, a->kind, 0, VA);
	soro_responder_judge(&f->rsp, &f->pkt, 1, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RANGE);
	KUNIT_EXPECT_EQ(test, f->step.range.va, VA);
	KUNIT_EXPECT_EQ(test, f->step.range.bytes, 8U);
	KUNIT_EXPECT_EQ(test, f->step.range.rkey, RKEY);
	KUNIT_EXPECT_EQ(test, f->step.range.right, a->right);
	feed(f);
	KUNIT_EXPECT_EQ(test, f->step.act, a->act);
	KUNIT_EXPECT_FALSE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 1));
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 1U);
	expect_reply(test, a->answer, 0, ORIG);
	expect_silence(test);

	/* again, also when its key is gone: the saved result */
	f->bad_key = true;
	feed(f);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_reply(test, a->answer, 0, ORIG);
	expect_silence(test);
}

static void results_are_kept_apart(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, SORO_FETCH_ADD, 0, VA);
	feed(f);
	put(f, SORO_CMP_SWP, 1, VA);
	feed(f);
	expect_reply(test, SORO_ATOMIC_ACK, 0, ORIG);
	expect_reply(test, SORO_ATOMIC_ACK, 1, ORIG + 1);
	put(f, SORO_FETCH_ADD, 0, VA);
	feed(f);
	expect_reply(test, SORO_ATOMIC_ACK, 0, ORIG);
	expect_silence(test);
}

/* Another one than was executed, or one that is not kept any more: silence (IBA 9.7.5). */
static void unknown_duplicate(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	put(f, SORO_FETCH_ADD, 0, VA);
	feed(f);
	expect_reply(test, SORO_ATOMIC_ACK, 0, ORIG);
	put(f, SORO_CMP_SWP, 0, VA);
	feed(f);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	put(f, SORO_FETCH_ADD, 0, VA + 8);
	feed(f);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	put(f, SORO_ATOMIC_WRITE, 0, VA);
	feed(f);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	for (i = 1; i < 3; i++) {
		put(f, SORO_FETCH_ADD, i, VA);
		feed(f);
		expect_reply(test, SORO_ATOMIC_ACK, i, ORIG + i);
	}
	put(f, SORO_FETCH_ADD, 0, VA);
	feed(f);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	KUNIT_EXPECT_EQ(test, f->acts, 3U);
	expect_silence(test);
}

static void expect_fault(struct kunit *test, u8 fault)
{
	struct fixture *f = test->priv;

	feed(f);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	KUNIT_EXPECT_EQ(test, f->step.fault, fault);
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &wide, &f->reply));
	KUNIT_EXPECT_TRUE(test, f->reply.fatal);
	KUNIT_EXPECT_EQ(test, f->reply.psn, START);
	soro_responder_replied(&f->rsp, &f->reply);
	soro_responder_init(&f->rsp, START);
}

static void refused(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct fixture *f = test->priv;
	u32 i;

	for (i = 1; i < 8; i++) {
		put(f, a->kind, 0, VA + i);
		expect_fault(test, SORO_FAULT_MISALIGNED);
	}
	put(f, a->kind, 0, VA);
	f->bad_key = true;
	expect_fault(test, SORO_FAULT_ACCESS);
	f->bad_key = false;
	f->rsp.cfg.reads_max = 0;
	expect_fault(test, SORO_FAULT_NOT_ENABLED);
	f->rsp.cfg.reads_max = 2;
	f->rsp.cfg.allow_atomic = a->kind == SORO_ATOMIC_WRITE;
	f->rsp.cfg.allow_write = a->kind != SORO_ATOMIC_WRITE;
	expect_fault(test, SORO_FAULT_NOT_ENABLED);
}

static void atomic_write_of_another_length(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, SORO_ATOMIC_WRITE, 0, VA);
	f->pkt.reth.len = 16;
	expect_fault(test, SORO_FAULT_LENGTH);
}

static void too_many(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 3; i++) {
		put(f, i == 1 ? SORO_ATOMIC_WRITE : SORO_CMP_SWP, i, VA);
		feed(f);
	}
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_READS);
}

/* The memory turned out not to be aligned: the NAK is that of the address. */
static void memory_not_aligned(struct kunit *test)
{
	struct soro_rsp_answer answer = {};
	struct fixture *f = test->priv;

	put(f, SORO_CMP_SWP, 0, VA);
	soro_responder_judge(&f->rsp, &f->pkt, 1, &f->step);
	KUNIT_ASSERT_EQ(test, soro_responder_resolve(&f->rsp, &f->step, &answer),
			SORO_RSP_EXECUTE);
	soro_responder_refuse(&f->rsp, &f->step, SORO_FAULT_MISALIGNED);
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &wide, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, SORO_SYNDROME_NAK | SORO_NAK_INVALID);
}

/* ---- requester ---- */

static struct soro_wqe *post(struct fixture *f, u8 kind, u32 bytes, u8 flags)
{
	struct soro_wqe *wqe = soro_requester_slot(&f->req, f->req.tail);

	*wqe = (struct soro_wqe) { .va = VA, .bytes = bytes, .kind = kind, .flags = flags };
	soro_requester_take(&f->req);
	return wqe;
}

static bool send(struct fixture *f)
{
	if (!soro_requester_plan(&f->req, &wide, false, 1, &f->train))
		return false;
	soro_requester_sent(&f->req, &f->train, 1);
	return true;
}

static void receive(struct fixture *f, u8 kind, u8 pos, u32 ahead, u32 len)
{
	memset(&f->pkt, 0, sizeof(f->pkt));
	f->pkt.opcode = soro_opcode_make(SORO_RC, kind, pos, 0);
	f->pkt.row = soro_opcode_row(f->pkt.opcode);
	f->pkt.psn = soro_psn_add(START, ahead);
	f->pkt.payload_len = len;
	f->pkt.syndrome = SORO_SYNDROME_ACK | SORO_CREDIT_NONE;
	if (kind == SORO_ATOMIC_ACK)
		f->pkt.atomic_orig = ORIG;
	soro_requester_judge(&f->req, &f->pkt, 1, 2, &f->digest);
}

static void expect_done(struct kunit *test, u8 status)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_EXPECT_EQ(test, f->done.status, status);
}

static void result_completes(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct fixture *f = test->priv;

	post(f, a->kind, 8, SORO_WQE_SIGNALED);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	KUNIT_EXPECT_EQ(test, f->train.npsn, 1U);
	KUNIT_EXPECT_TRUE(test, f->train.first && f->train.last);
	KUNIT_EXPECT_FALSE(test, f->train.ackreq);
	KUNIT_EXPECT_NE(test, soro_requester_deadline(&f->req), 0ULL);

	/* An ACK says that it was executed, but brings no result: ask again (IBA 9.7.5). */
	receive(f, SORO_ACK, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_TRUE(test, f->digest.implied);
	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.resend);

	receive(f, a->answer, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_EQ(test, f->digest.verdict,
			a->answer == SORO_ATOMIC_ACK ? SORO_REQ_STORE : SORO_REQ_PLACE);
	KUNIT_EXPECT_EQ(test, f->digest.slot, 0U);
	KUNIT_EXPECT_EQ(test, f->digest.bytes, 0U);
	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
	soro_requester_commit(&f->req, &f->digest, 3);
	expect_done(test, SORO_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->req.reads, 0U);
	receive(f, a->answer, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_EQ(test, f->digest.drop, SORO_DROP_STALE);
}

static void wrong_answer(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct fixture *f = test->priv;
	bool is_write = a->kind == SORO_ATOMIC_WRITE;

	post(f, a->kind, 8, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, is_write ? SORO_ATOMIC_ACK : SORO_READ_RESP, SORO_ONLY, 0, 0);
	expect_done(test, SORO_ST_BAD_RESP);
}

static void data_for_an_atomic_write(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_ATOMIC_WRITE, 8, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, SORO_READ_RESP, SORO_ONLY, 0, 8);
	expect_done(test, SORO_ST_BAD_RESP);
}

static void result_for_a_read(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_READ_REQ, 8, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, SORO_ATOMIC_ACK, SORO_ONLY, 0, 0);
	expect_done(test, SORO_ST_BAD_RESP);
}

static void limit_and_fence(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_CMP_SWP, 8, 0);
	post(f, SORO_ATOMIC_WRITE, 8, 0);
	post(f, SORO_FETCH_ADD, 8, 0);
	KUNIT_EXPECT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, send(f));
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_READS);
	receive(f, SORO_ATOMIC_ACK, SORO_ONLY, 0, 0);
	soro_requester_commit(&f->req, &f->digest, 3);
	KUNIT_EXPECT_TRUE(test, send(f));
	post(f, SORO_SEND, 8, SORO_WQE_FENCE);
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_FENCE);
}

static void bad_wqe(struct kunit *test)
{
	const struct atomic *a = test->param_value;
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, post(f, a->kind, 7, 0)->status, SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, post(f, a->kind, 9, 0)->status, SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, post(f, a->kind, 8, 0)->status, SORO_ST_SUCCESS);
	f->req.cfg.reads_max = 0;
	KUNIT_EXPECT_EQ(test, post(f, a->kind, 8, 0)->status, SORO_ST_LOC_QP_OP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(executed_once, atomics_gen_params),
	KUNIT_CASE(results_are_kept_apart),
	KUNIT_CASE(unknown_duplicate),
	KUNIT_CASE_PARAM(refused, atomics_gen_params),
	KUNIT_CASE(atomic_write_of_another_length),
	KUNIT_CASE(too_many),
	KUNIT_CASE(memory_not_aligned),
	KUNIT_CASE_PARAM(result_completes, atomics_gen_params),
	KUNIT_CASE_PARAM(wrong_answer, atomics_gen_params),
	KUNIT_CASE(data_for_an_atomic_write),
	KUNIT_CASE(result_for_a_read),
	KUNIT_CASE(limit_and_fence),
	KUNIT_CASE_PARAM(bad_wqe, atomics_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_atomic",
	.init = setup,
	.test_cases = cases,
};

kunit_test_suites(&suite);

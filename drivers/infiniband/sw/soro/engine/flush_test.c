// SPDX-License-Identifier: GPL-2.0
/* Unit tests of FLUSH (IBA A19) in both halves. */
#include "engine_test.h"

/* ---- responder ---- */

static struct soro_pkt *put_flush(struct responder_fixture *f, u32 ahead, u8 type, u8 level)
{
	struct soro_pkt *pkt = put(f, 0, SORO_FLUSH, SORO_ONLY, 0, ahead, 0);

	f->rsp.cfg.allow_flush = true;
	pkt->feth_type = type;
	pkt->feth_level = level;
	pkt->reth.va = VA;
	pkt->reth.rkey = RKEY;
	pkt->reth.len = 5000;
	return pkt;
}

static void executed_once(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_flush(f, 0, SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE);
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RANGE);
	KUNIT_EXPECT_EQ(test, f->step.range.va, VA);
	KUNIT_EXPECT_EQ(test, f->step.range.bytes, 5000U);
	KUNIT_EXPECT_EQ(test, f->step.range.rkey, RKEY);
	KUNIT_EXPECT_EQ(test, f->step.range.right, SORO_RIGHT_FLUSH);
	KUNIT_EXPECT_FALSE(test, f->step.range.whole);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.act, SORO_ACT_FLUSH);
	KUNIT_EXPECT_FALSE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 1));
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 1U);
	expect_response(test, 0, 1, 0, 0, true, true);
	expect_silence(test);

	/* again, also when its key is gone: it was done */
	f->bad_key = true;
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_response(test, 0, 1, 0, 0, true, true);
	expect_silence(test);
}

/* A region is flushed whatever address and length say; no bytes still need a key. */
static void whole_region_and_no_bytes(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	struct soro_pkt *pkt = put_flush(f, 0, SORO_FLUSH_GLOBAL, SORO_FLUSH_REGION);

	pkt->reth.len = U32_MAX;
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.range.whole);
	KUNIT_EXPECT_EQ(test, f->step.act, SORO_ACT_FLUSH);
	expect_response(test, 0, 1, 0, 0, true, true);
	put_flush(f, 1, SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE)->reth.len = 0;
	f->bad_key = true;
	feed(f, 1);
	expect_fault(test, SORO_FAULT_ACCESS, 1);
}

struct refusal {
	const char *what;
	u8 type, level;
	bool denied, no_resource;
};

static const struct refusal refusals[] = {
	{ "right not granted", SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE, true, false },
	{ "no responder resources", SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE, false, true },
	{ "no type", 0, SORO_FLUSH_RANGE, false, false },
	{ "persistence", SORO_FLUSH_PERSISTENT, SORO_FLUSH_RANGE, false, false },
	{ "both types", SORO_FLUSH_GLOBAL | SORO_FLUSH_PERSISTENT, SORO_FLUSH_REGION, false,
	  false },
	{ "reserved type", 4, SORO_FLUSH_RANGE, false, false },
	{ "reserved level", SORO_FLUSH_GLOBAL, 2, false, false },
	{ "highest level", SORO_FLUSH_GLOBAL, 3, false, false },
};

static void name_refusal(const struct refusal *refusal, char *desc)
{
	strscpy(desc, refusal->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refusals, refusals, name_refusal);

static void refused(struct kunit *test)
{
	const struct refusal *r = test->param_value;
	struct responder_fixture *f = test->priv;

	put_flush(f, 0, r->type, r->level);
	f->rsp.cfg.allow_flush = !r->denied;
	f->rsp.cfg.reads_max = r->no_resource ? 0 : 2;
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	expect_fault(test, SORO_FAULT_NOT_ENABLED, 0);
}

static void too_many(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 3; i++) {
		put_flush(f, i, SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE);
		feed(f, 1);
	}
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_READS);
}

/* Another one than was executed: silence (IBA 9.7.5). */
static void unknown_duplicate(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_flush(f, 0, SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE);
	feed(f, 1);
	expect_response(test, 0, 1, 0, 0, true, true);
	f->pkts->reth.va++;
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	put_read(f, 0, 0, 0, 8);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	expect_silence(test);
}

/* ---- requester ---- */

static struct soro_wqe *post_flush(struct requester_fixture *f, u8 type, u8 level, u8 flags)
{
	struct soro_wqe *wqe = soro_requester_slot(&f->req, f->req.tail);

	memset(wqe, 0, sizeof(*wqe));
	wqe->kind = SORO_FLUSH;
	wqe->flags = flags;
	wqe->flush_bytes = U32_MAX;
	wqe->flush_type = type;
	wqe->flush_level = level;
	soro_requester_take(&f->req);
	return wqe;
}

static void respond(struct requester_fixture *f, u8 kind, u8 pos, u32 ahead, u32 len)
{
	put_packet(f->pkts, kind, pos, 0, ahead, len);
	f->pkts->syndrome = ACK;
	judge(f, 1);
}

static void response_completes(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post_flush(f, SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE, SORO_WQE_SIGNALED);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	KUNIT_EXPECT_EQ(test, f->train.npsn, 1U);
	KUNIT_EXPECT_EQ(test, f->train.bytes, 0U);
	KUNIT_EXPECT_FALSE(test, f->train.ackreq);

	/* An ACK says that it came, not that it is done: ask again. */
	respond(f, SORO_ACK, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_TRUE(test, f->step.implied);
	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.resend);

	respond(f, SORO_READ_RESP, SORO_ONLY, 0, 0);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_PLACE);
	KUNIT_EXPECT_EQ(test, f->step.bytes, 0U);
	soro_requester_commit(&f->req, &f->step, 3);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	KUNIT_EXPECT_EQ(test, f->req.reads, 0U);
}

static void expect_bad(struct kunit *test, u8 kind, u32 len)
{
	struct requester_fixture *f = test->priv;

	post_flush(f, SORO_FLUSH_GLOBAL, SORO_FLUSH_RANGE, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	respond(f, kind, SORO_ONLY, 0, len);
	expect_done(test, 0, SORO_ST_BAD_RESP, true);
}

static void wrong_answer(struct kunit *test)
{
	expect_bad(test, SORO_READ_RESP, 8);
}

static void result_of_an_atomic(struct kunit *test)
{
	expect_bad(test, SORO_ATOMIC_ACK, 0);
}

static void limit_and_fence(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 3; i++)
		post_flush(f, SORO_FLUSH_GLOBAL, SORO_FLUSH_REGION, 0);
	KUNIT_EXPECT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, send(f));
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_READS);
	respond(f, SORO_READ_RESP, SORO_ONLY, 0, 0);
	soro_requester_commit(&f->req, &f->step, 3);
	KUNIT_EXPECT_TRUE(test, send(f));
	post(f, SORO_SEND, 8, SORO_WQE_FENCE);
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_FENCE);
}

/* What the peer would refuse anyway; what it may grant is its affair. */
static void bad_wqe(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, post_flush(f, 0, 0, 0)->status, SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, post_flush(f, 4, 0, 0)->status, SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, post_flush(f, SORO_FLUSH_GLOBAL, 2, 0)->status, SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, post_flush(f, SORO_FLUSH_PERSISTENT, SORO_FLUSH_REGION, 0)->status,
			SORO_ST_SUCCESS);
	f->req.cfg.reads_max = 0;
	KUNIT_EXPECT_EQ(test, post_flush(f, SORO_FLUSH_GLOBAL, 0, 0)->status, SORO_ST_LOC_QP_OP);
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(executed_once),
	KUNIT_CASE(whole_region_and_no_bytes),
	KUNIT_CASE_PARAM(refused, refusals_gen_params),
	KUNIT_CASE(too_many),
	KUNIT_CASE(unknown_duplicate),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "soro_flush_responder",
	.init = setup_responder,
	.test_cases = responder_cases,
};

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(response_completes),
	KUNIT_CASE(wrong_answer),
	KUNIT_CASE(result_of_an_atomic),
	KUNIT_CASE(limit_and_fence),
	KUNIT_CASE(bad_wqe),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "soro_flush_requester",
	.init = setup_requester,
	.test_cases = requester_cases,
};

kunit_test_suites(&responder_suite, &requester_suite);

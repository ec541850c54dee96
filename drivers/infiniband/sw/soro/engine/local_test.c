// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of requests that nothing is sent for (invalidation, bind, registration): order,
 * completion, and what goes out again around them.
 */
#include "engine_test.h"

#define SIGNALED	SORO_WQE_SIGNALED
#define DRAIN		SORO_WQE_DRAIN

/* The next thing to do is the local request in @slot: do it. */
static void expect_local(struct kunit *test, u32 slot)
{
	struct requester_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &f->limits, f->more, f->now,
						    &f->train));
	KUNIT_ASSERT_EQ(test, f->train.kind, SORO_LOCAL);
	KUNIT_EXPECT_EQ(test, f->train.slot, slot);
	KUNIT_EXPECT_EQ(test, f->train.n, 0U);
	soro_requester_executed(&f->req, slot, f->more);
}

static void alone(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_LOCAL, 0, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED | DRAIN);
	post(f, SORO_LOCAL, 0, 0);
	expect_local(test, 0);
	expect_local(test, 1);
	expect_local(test, 2);
	expect_wait(test, SORO_WAIT_EMPTY);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	expect_done(test, 2, SORO_ST_SUCCESS, false);
	expect_none(test);
	KUNIT_EXPECT_EQ(test, f->req.nxt, START);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* It takes effect before what follows it is sent, and completes behind what was before it. */
static void order(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 8, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED);
	post(f, SORO_SEND, 8, SIGNALED);
	expect_train(test, 0, 1, 0, 8, true);
	expect_local(test, 1);
	expect_train(test, 1, 1, 0, 8, true);
	expect_none(test);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	expect_none(test);
	receive_ack(f, ACK, 1);
	expect_done(test, 2, SORO_ST_SUCCESS, true);
	KUNIT_EXPECT_EQ(test, f->req.acked, f->req.tail);
}

/* An invalidation waits for all before it: what is sent again reads the memory (IBA 10.6.5.1). */
static void invalidation_waits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 8, SIGNALED);
	post(f, SORO_READ_REQ, 8, 0);
	post(f, SORO_LOCAL, 0, SIGNALED | DRAIN);
	post(f, SORO_SEND, 8, SIGNALED);
	expect_train(test, 0, 1, 0, 8, true);
	expect_train(test, 1, 1, 0, 8, false);
	expect_wait(test, SORO_WAIT_FENCE);
	receive_ack(f, ACK, 0);
	expect_wait(test, SORO_WAIT_FENCE);
	receive_responses(f, 1, 0, 1, 8);
	expect_local(test, 2);
	expect_train(test, 2, 1, 0, 8, true);
}

/* Not for READs only: a SEND or WRITE that is lost reads its memory again. */
static void invalidation_waits_for_messages(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 8, 0);
	post(f, SORO_WRITE, 8, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED | DRAIN);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	receive_responses(f, 0, 0, 1, 8);
	KUNIT_EXPECT_EQ(test, f->req.reads, 0U);
	expect_wait(test, SORO_WAIT_FENCE);
	receive_ack(f, ACK, 1);
	expect_local(test, 2);
}

/* A fence holds back any: READs before it must be complete (IBA 10.8.3.3). */
static void fence(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 8, 0);
	post(f, SORO_LOCAL, 0, SIGNALED | SORO_WQE_FENCE);
	expect_train(test, 0, 1, 0, 8, false);
	expect_wait(test, SORO_WAIT_FENCE);
	receive_responses(f, 0, 0, 1, 8);
	expect_local(test, 1);
}

/* Nobody else would ask for the answer that it waits for. */
static void asks(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->more = true;
	post(f, SORO_SEND, 8, 0);
	post(f, SORO_SEND, 8, 0);
	expect_train(test, 0, 1, 0, 8, false);
	expect_train(test, 1, 1, 0, 8, false);
	post(f, SORO_LOCAL, 0, DRAIN);
	expect_train(test, 0, 1, 0, 8, true);	/* the oldest alone */
	KUNIT_EXPECT_TRUE(test, f->train.resend);
	expect_wait(test, SORO_WAIT_HOLE);
	receive_ack(f, ACK, 1);
	expect_local(test, 2);

	post(f, SORO_SEND, 8, 0);
	expect_train(test, 2, 1, 0, 8, false);
	post(f, SORO_LOCAL, 0, 0);
	expect_local(test, 4);			/* nobody waits for it, and more follows */
	post(f, SORO_LOCAL, 0, SIGNALED);
	expect_local(test, 5);
	expect_train(test, 2, 1, 0, 8, true);
	receive_ack(f, ACK, 2);
	KUNIT_EXPECT_EQ(test, f->req.acked, f->req.tail);

	post(f, SORO_SEND, 8, 0);
	expect_train(test, 3, 1, 0, 8, false);
	f->more = false;			/* the end of the queue */
	post(f, SORO_LOCAL, 0, 0);
	expect_local(test, 7);
	expect_train(test, 3, 1, 0, 8, true);
}

/* Slots that are full of it do not keep what is before it from being acknowledged. */
static void asks_when_slots_run_out(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	f->more = true;
	post(f, SORO_SEND, 8, 0);
	expect_train(test, 0, 1, 0, 8, false);
	for (i = 1; i < SLOTS / 2; i++) {
		post(f, SORO_LOCAL, 0, 0);
		expect_local(test, i);
	}
	expect_train(test, 0, 1, 0, 8, true);
}

/* What was executed is not executed again when all is sent again. */
static void once(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 round;

	f->req.cfg.retry_cnt = 7;
	f->req.retry_left = 7;
	post(f, SORO_SEND, 8, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED);
	post(f, SORO_SEND, 8, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED);
	expect_train(test, 0, 1, 0, 8, true);
	expect_local(test, 1);
	expect_local(test, 2);
	expect_train(test, 1, 1, 0, 8, true);
	expect_local(test, 4);
	for (round = 0; round < 2; round++) {
		receive_ack(f, NAK, 0);
		expect_train(test, 0, 1, 0, 8, true);
		expect_train(test, 1, 1, 0, 8, true);
		expect_wait(test, SORO_WAIT_EMPTY);
		expect_none(test);
	}
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 0, 1, 0, 8, true);
	expect_wait(test, SORO_WAIT_HOLE);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	expect_done(test, 2, SORO_ST_SUCCESS, true);
	expect_none(test);
	receive_ack(f, ACK, 1);
	expect_done(test, 3, SORO_ST_SUCCESS, true);
	expect_done(test, 4, SORO_ST_SUCCESS, true);
	expect_none(test);
}

/* A fatal NAK finds the message that it is for, whatever lies before it. */
static void nak_behind_it(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_LOCAL, 0, SIGNALED);
	post(f, SORO_SEND, 8, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED);
	post(f, SORO_SEND, 8, SIGNALED);
	expect_local(test, 0);
	expect_train(test, 0, 1, 0, 8, true);
	expect_local(test, 2);
	expect_train(test, 1, 1, 0, 8, true);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_ACCESS, 1);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	expect_done(test, 2, SORO_ST_SUCCESS, true);
	expect_done(test, 3, SORO_ST_REM_ACCESS, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
	expect_none(test);
}

static void fails(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->more = true;
	post(f, SORO_SEND, 8, 0);
	expect_train(test, 0, 1, 0, 8, false);
	post(f, SORO_LOCAL, 0, 0);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &f->limits, true, f->now, &f->train));
	KUNIT_ASSERT_EQ(test, f->train.kind, SORO_LOCAL);
	soro_requester_fail(&f->req, 1, SORO_ST_MW_BIND);
	post(f, SORO_SEND, 8, 0);
	expect_none(test);
	expect_train(test, 0, 1, 0, 8, true);	/* it is in turn when that is acknowledged */
	expect_wait(test, SORO_WAIT_FAILED);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_MW_BIND, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
	expect_done(test, 2, SORO_ST_FLUSH, true);
	expect_none(test);
}

/* The peer's message numbers do not count it. */
static void credits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.unlimited = false;
	post(f, SORO_LOCAL, 0, 0);
	post(f, SORO_SEND, 8, 0);
	post(f, SORO_LOCAL, 0, 0);
	post(f, SORO_LOCAL, 0, 0);
	post(f, SORO_SEND, 8, 0);
	post(f, SORO_SEND, 8, 0);
	expect_local(test, 0);
	expect_train(test, 0, 1, 0, 8, true);
	expect_local(test, 2);
	expect_local(test, 3);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, SORO_SYNDROME_ACK | 1, 1, 0);
	expect_train(test, 1, 1, 0, 8, true);
	expect_wait(test, SORO_WAIT_CREDITS);
	/* An ACK of the first message that knows that the second was executed too. */
	receive_aeth(f, SORO_SYNDROME_ACK | 1, 2, 1);
	KUNIT_EXPECT_EQ(test, f->req.limit, 3U);
	expect_train(test, 2, 1, 0, 8, true);
}

static void credits_ahead_of_the_ack(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	u32 i;

	f->more = true;
	for (i = 0; i < 3; i++) {
		post(f, SORO_SEND, 8, 0);
		expect_train(test, i, 1, 0, 8, false);
		post(f, SORO_LOCAL, 0, 0);
		expect_local(test, 2 * i + 1);
	}
	f->req.unlimited = false;
	receive_aeth(f, SORO_SYNDROME_ACK | 1, 3, 0);	/* executed: all three */
	KUNIT_EXPECT_EQ(test, f->req.limit, 4U);
}

static void unreliable(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.cfg.unreliable = true;
	post(f, SORO_SEND, 8, SIGNALED);
	post(f, SORO_LOCAL, 0, SIGNALED | DRAIN);
	post(f, SORO_SEND, 8, SIGNALED);
	expect_train(test, 0, 1, 0, 8, false);
	expect_local(test, 1);
	expect_train(test, 1, 1, 0, 8, false);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	expect_done(test, 2, SORO_ST_SUCCESS, true);
	expect_none(test);
}

/* Any mixture, with losses: executed once and in order, complete in order, and all is over. */
static void any_mixture(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 state = 42, posted = 0, popped = 0, executed = 0, steps;

	f->req.cfg.retry_cnt = 7;
	for (steps = 0; steps < 20000; steps++) {
		bool local = draw(&state, 2);
		u32 what = draw(&state, 8);

		if (what < 3 && soro_requester_room(&f->req)) {
			post(f, local ? SORO_LOCAL : SORO_SEND, local ? 0 : draw(&state, 3 * PMTU),
			     (draw(&state, 2) ? SIGNALED : 0) |
			     (local && draw(&state, 2) ? DRAIN : 0));
			posted++;
		} else if (what < 6) {
			f->more = draw(&state, 2);
			if (!soro_requester_plan(&f->req, &f->limits, f->more, f->now, &f->train))
				continue;
			if (f->train.kind != SORO_LOCAL) {
				soro_requester_sent(&f->req, &f->train, f->now);
				continue;
			}
			KUNIT_ASSERT_GE(test, f->train.slot, executed);
			executed = f->train.slot + 1;
			soro_requester_executed(&f->req, f->train.slot, f->more);
		} else if (what == 6 && f->req.una != f->req.psn) {
			u32 sent = (f->req.psn - f->req.una) & SORO_PSN_MASK;
			u32 psn = soro_psn_add(f->req.una, draw(&state, sent));

			f->pkts[0] = (struct soro_pkt) {};
			receive_ack(f, draw(&state, 3) || !f->req.retry_left ? ACK : NAK,
				    (psn - START) & SORO_PSN_MASK);
		} else if (f->req.retry_left && soro_requester_deadline(&f->req) &&
			   !draw(&state, 4)) {
			expire(f);
		}
		while (soro_requester_pop(&f->req, &f->done)) {
			KUNIT_ASSERT_EQ(test, f->done.status, SORO_ST_SUCCESS);
			KUNIT_ASSERT_EQ(test, f->done.slot, popped);
			popped++;
		}
	}
	f->more = false;
	for (steps = 0; steps < 1000 && popped < posted; steps++) {
		while (soro_requester_plan(&f->req, &f->limits, false, f->now, &f->train)) {
			if (f->train.kind == SORO_LOCAL)
				soro_requester_executed(&f->req, f->train.slot, false);
			else
				soro_requester_sent(&f->req, &f->train, f->now);
		}
		if (f->req.una != f->req.psn)
			receive_ack(f, ACK, (f->req.psn - 1 - START) & SORO_PSN_MASK);
		while (soro_requester_pop(&f->req, &f->done))
			popped++;
	}
	KUNIT_EXPECT_EQ(test, popped, posted);
	KUNIT_EXPECT_GT(test, posted, 2000U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(alone),
	KUNIT_CASE(order),
	KUNIT_CASE(invalidation_waits),
	KUNIT_CASE(invalidation_waits_for_messages),
	KUNIT_CASE(fence),
	KUNIT_CASE(asks),
	KUNIT_CASE(asks_when_slots_run_out),
	KUNIT_CASE(once),
	KUNIT_CASE(nak_behind_it),
	KUNIT_CASE(fails),
	KUNIT_CASE(credits),
	KUNIT_CASE(credits_ahead_of_the_ack),
	KUNIT_CASE(unreliable),
	KUNIT_CASE(any_mixture),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_local",
	.init = setup_requester,
	.test_cases = cases,
};

kunit_test_suites(&suite);

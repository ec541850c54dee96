// SPDX-License-Identifier: GPL-2.0
/*
 * Flushing: IBA 10.3.1.7, all work of a QP in the error state completes with
 * "flushed", in order, on both queues, whenever it was posted.
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define COUNT 8

static void expect_flushed(struct end *end, bool recv, unsigned int first, unsigned int count)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		if (!end_expect_status(end, recv, i, IBV_WC_WR_FLUSH_ERR,
				       recv ? "flushed receive" : "flushed send"))
			return;
	}
}

static bool post_sends(struct end *end, unsigned int first, unsigned int count, unsigned int flags)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		struct ibv_send_wr wr = { .wr_id = i, .opcode = IBV_WR_SEND, .send_flags = flags };

		if (!CHECK(!end_post_send(end, &wr), "post_send"))
			return false;
	}
	return true;
}

static bool post_recvs(struct end *end, unsigned int first, unsigned int count)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		if (!CHECK(!end_post_recv(end, i, NULL, 0), "post_recv"))
			return false;
	}
	return true;
}

/* @flags 0: unsignalled work is flushed with a completion too. */
static void test_modify_to_error(struct env *env, long flags)
{
	struct pair_opts opts = pair_defaults(env);
	struct end *end;
	struct pair pair;

	if (!pair_open(&pair, env, &opts))
		return;
	end = &pair.end[0];
	/* The peer has no receive: the sends cannot be done by themselves. */
	if (post_recvs(end, 100, COUNT) && post_sends(end, 0, COUNT, flags) &&
	    CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR")) {
		expect_flushed(end, false, 0, COUNT);
		expect_flushed(end, true, 100, COUNT);
		end_expect_none(end, "after the flush");
	}
	pair_close(&pair);
}

static void test_post_in_error(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct end *end;
	struct pair pair;
	int round;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	end = &pair.end[0];
	CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
	for (round = 0; round < 3 && !tap_failed(); round++) {
		if (!post_sends(end, 10 * round, 4, IBV_SEND_SIGNALED))
			break;
		expect_flushed(end, false, 10 * round, 4);
		/* No doorbell tells of these (the library has none for receives). */
		if (!post_recvs(end, 100 + 10 * round, 4))
			break;
		expect_flushed(end, true, 100 + 10 * round, 4);
	}
	end_expect_none(end, "after the flush");
	pair_close(&pair);
}

/* More than the queues hold: entries must be given back when they are flushed. */
static void test_ring_in_error(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct end *end;
	struct pair pair;
	int round;

	(void)arg;
	opts.send_wr = opts.recv_wr = 4;
	if (!pair_open(&pair, env, &opts))
		return;
	end = &pair.end[0];
	CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
	for (round = 0; round < 5 && !tap_failed(); round++) {
		if (!post_sends(end, 10 * round, 4, 0) || !post_recvs(end, 100 + 10 * round, 4))
			break;
		expect_flushed(end, false, 10 * round, 4);
		expect_flushed(end, true, 100 + 10 * round, 4);
	}
	pair_close(&pair);
}

/* What was done before the error is reported as done, the rest as flushed. */
static void test_done_then_flushed(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	int i;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	if (post_recvs(&pair.end[1], 0, 3) &&
	    post_sends(&pair.end[0], 0, 6, IBV_SEND_SIGNALED)) {
		for (i = 0; i < 3; i++) {
			end_expect_status(&pair.end[0], false, i, IBV_WC_SUCCESS, "send");
			end_expect_status(&pair.end[1], true, i, IBV_WC_SUCCESS, "receive");
		}
		CHECK(!end_to_state(&pair.end[0], IBV_QPS_ERR), "to ERR");
		expect_flushed(&pair.end[0], false, 3, 3);
		end_expect_none(&pair.end[0], "after the flush");
		end_expect_none(&pair.end[1], "responder");
	}
	pair_close(&pair);
}

/* RESET discards silently (IBA 10.3.1.1), and leaves a QP as good as new. */
static void test_reset_discards(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	if (post_recvs(&pair.end[0], 100, COUNT) && post_sends(&pair.end[0], 0, COUNT, 0) &&
	    CHECK(!end_to_state(&pair.end[0], IBV_QPS_RESET) &&
		  !end_to_state(&pair.end[1], IBV_QPS_RESET), "to RESET")) {
		end_expect_none(&pair.end[0], "after RESET");
		if (pair_connect(&pair) && post_recvs(&pair.end[1], 50, 1) &&
		    post_sends(&pair.end[0], 60, 1, IBV_SEND_SIGNALED)) {
			end_expect_status(&pair.end[0], false, 60, IBV_WC_SUCCESS, "send");
			end_expect_status(&pair.end[1], true, 50, IBV_WC_SUCCESS, "receive");
		}
		end_expect_none(&pair.end[0], "at the end");
		end_expect_none(&pair.end[1], "at the end");
	}
	pair_close(&pair);
}

/* In INIT receives may be posted; the error state flushes them (IBA 10.3.1.2). */
static void test_flush_from_init(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;

	(void)arg;
	if (!pair_create(&pair, env, &opts))
		return;
	if (CHECK(!end_to_init(&pair.end[0], &opts, 0), "to INIT") &&
	    post_recvs(&pair.end[0], 100, COUNT)) {
		end_expect_none(&pair.end[0], "in INIT");
		CHECK(!end_to_state(&pair.end[0], IBV_QPS_ERR), "to ERR");
		expect_flushed(&pair.end[0], true, 100, COUNT);
	}
	pair_close(&pair);
}

const struct test flush_tests[] = {
	{ "flush/modify-to-error", test_modify_to_error, IBV_SEND_SIGNALED, 0 },
	{ "flush/unsignalled-too", test_modify_to_error, 0, 0 },
	{ "flush/posted-in-error", test_post_in_error, 0, 0 },
	{ "flush/rings-in-error", test_ring_in_error, 0, 0 },
	{ "flush/done-then-flushed", test_done_then_flushed, 0, 0 },
	{ "flush/reset-discards", test_reset_discards, 0, 0 },
	{ "flush/from-init", test_flush_from_init, 0, 0 },
	{ }
};

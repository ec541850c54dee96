// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues that run empty, reach their limit, and serve QPs that fail.
 */
#include <string.h>

#include "srq_fixture.h"
#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

/* Long enough for an event that should not come to come. */
#define QUIET_MSEC	100
#define LONG_BYTES	(4 * 1024 * 1024)
#define TRIES		20

/* ---- empty ---- */

static void test_empty(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct srq_pair shared;

	(void)arg;
	opts.rnr_retry = 1;
	if (!srq_pair_open(&shared, env, &opts))
		return;
	/* RC is told to wait, as long as it has agreed to. */
	if (srq_post_send(&shared.pair.end[0], NULL) && !env->lossy)
		end_expect_status(&shared.pair.end[0], false, 1, IBV_WC_RNR_RETRY_EXC_ERR,
				  "the queue is empty");
	end_expect_none(&shared.pair.end[1], "the queue is empty");
	srq_pair_close(&shared);
}

static void test_filled_in_time(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct srq_pair shared;

	(void)arg;
	if (!srq_pair_open(&shared, env, &opts))
		return;
	if (srq_post_send(&shared.pair.end[0], NULL)) {
		sleep_msec(QUIET_MSEC);
		end_expect_none(&shared.pair.end[0], "the queue is empty");
		srq_post_empty(shared.srq, 70, 1);
		end_expect_status(&shared.pair.end[0], false, 1, IBV_WC_SUCCESS, "send");
		end_expect_status(&shared.pair.end[1], true, 70, IBV_WC_SUCCESS, "receive");
	}
	srq_pair_close(&shared);
}

/* Nobody waits in UC and UD: what finds no receive is lost, and the next one finds it. */
static void test_empty_unreliable(struct env *env, long is_ud)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair *pair;
	struct buf area;
	struct ibv_sge sge;
	struct ud ud;
	struct pair uc;

	if (env->lossy) {
		tap_skip("messages may be lost here");
		return;
	}
	opts.uc = !is_ud;
	opts.srq = srq_open(&env->dev[1], 15, 4);
	if (!opts.srq)
		return;
	if (!buf_open(&area, env->dev[1].pd, 100, IBV_ACCESS_LOCAL_WRITE))
		goto out_srq;
	sge = (struct ibv_sge) { (uintptr_t)area.mem, area.len, area.mr->lkey };
	if (!(is_ud ? ud_open(&ud, env, &opts) : pair_open(&uc, env, &opts)))
		goto out_buf;
	pair = is_ud ? &ud.pair : &uc;
	for (int i = 0; i < 2 && !tap_failed(); i++) {
		struct ibv_send_wr wr = {
			.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		};

		if (is_ud)
			wr = ud_wr(&ud, 0, 1);
		CHECK(!i || !srq_post(opts.srq, 71, &sge, 1), "post_srq_recv");
		CHECK(!end_post_send(&pair->end[0], &wr), "post_send");
		end_expect_status(&pair->end[0], false, 1, IBV_WC_SUCCESS, "send");
		sleep_msec(QUIET_MSEC);
	}
	end_expect_status(&pair->end[1], true, 71, IBV_WC_SUCCESS, "receive");
	end_expect_none(&pair->end[1], "the message that found none");
	if (is_ud)
		ud_close(&ud);
	else
		pair_close(&uc);
out_buf:
	buf_close(&area);
out_srq:
	srq_close(opts.srq);
}

/* ---- limit ---- */

static bool limit_event(struct srq_pair *shared, unsigned int msec)
{
	return srq_event(shared->pair.end[1].dev, shared->srq, IBV_EVENT_SRQ_LIMIT_REACHED, msec);
}

static void test_limit(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct srq_pair shared;
	int i;

	(void)arg;
	if (!srq_pair_open(&shared, env, &opts))
		return;
	srq_post_empty(shared.srq, 0, 10);
	CHECK(!srq_set_limit(shared.srq, 7), "arm");
	srq_expect_attr(shared.srq, 15, 7, "armed");
	for (i = 0; i < 3; i++)
		srq_send_one(&shared.pair, i, "down to the limit");
	CHECK(!limit_event(&shared, QUIET_MSEC), "an event with as many receives as the limit");
	srq_expect_attr(shared.srq, 15, 7, "at the limit");
	srq_send_one(&shared.pair, 3, "below the limit");
	CHECK(limit_event(&shared, env->wait_msec), "no event below the limit");
	srq_expect_attr(shared.srq, 15, 0, "after the event");

	/* Once each time that it is set. */
	for (i = 4; i < 7; i++)
		srq_send_one(&shared.pair, i, "not armed");
	srq_post_empty(shared.srq, 10, 3);
	srq_send_one(&shared.pair, 7, "not armed");
	CHECK(!limit_event(&shared, QUIET_MSEC), "a second event");
	CHECK(!srq_set_limit(shared.srq, 5), "arm again");
	srq_send_one(&shared.pair, 8, "armed again");
	CHECK(limit_event(&shared, env->wait_msec), "no event after it was armed again");

	/* Armed too late: there are four. */
	CHECK(!srq_set_limit(shared.srq, 5), "arm late");
	CHECK(limit_event(&shared, env->wait_msec), "no event of a limit that is not kept already");
	srq_expect_attr(shared.srq, 15, 0, "armed late");

	/* Taken back. */
	CHECK(!srq_set_limit(shared.srq, 4), "arm");
	CHECK(!srq_set_limit(shared.srq, 0), "disarm");
	srq_send_one(&shared.pair, 9, "disarmed");
	CHECK(!limit_event(&shared, QUIET_MSEC), "an event of a limit that was taken back");
	srq_pair_close(&shared);
}

/* ---- QPs that fail ---- */

/* What is in the queue belongs to all: a QP in error takes nothing of it and says so. */
static void test_last_wqe(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct srq_pair shared;
	struct pair other;
	struct end *end;

	(void)arg;
	if (!srq_pair_open(&shared, env, &opts))
		return;
	end = &shared.pair.end[1];
	if (pair_open(&other, env, &opts)) {
		srq_post_empty(shared.srq, 0, 4);
		srq_send_one(&shared.pair, 0, "before the error");
		CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
		CHECK(srq_last_wqe_event(end, env->wait_msec), "no event of the last WQE");
		CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR again");
		CHECK(!srq_last_wqe_event(end, QUIET_MSEC), "a second event");
		end_expect_none(end, "in error");
		srq_send_one(&other, 1, "another QP");

		/* RESET leaves the queue alone, and the QP is good again. */
		CHECK(!end_to_state(end, IBV_QPS_RESET) &&
		      !end_to_state(&shared.pair.end[0], IBV_QPS_RESET), "to RESET");
		if (pair_connect(&shared.pair))
			srq_send_one(&shared.pair, 2, "after RESET");
		CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
		CHECK(srq_last_wqe_event(end, env->wait_msec), "no event in the second life");
		pair_close(&other);
	}
	srq_pair_close(&shared);
}

/*
 * How much of a message was there when it was stopped: all of it on a busy host, nothing where
 * its first packet was lost.
 */
enum middle { NOTHING, A_PART, ALL };

/* Both QPs are stopped while a long message is on its way, sooner with each try. */
static enum middle stop_in_the_middle(struct srq_pair *shared, struct bufs *bufs, bool lossy,
				      int tries)
{
	struct end *from = &shared->pair.end[0], *to = &shared->pair.end[1];
	struct ibv_sge recv = {
		(uintptr_t)bufs->rx[1].mem, LONG_BYTES, bufs->rx[1].mr->lkey,
	};
	struct ibv_sge send = {
		(uintptr_t)bufs->tx[0].mem, LONG_BYTES, bufs->tx[0].mr->lkey,
	};
	struct ibv_wc wc;

	CHECK(!srq_post(shared->srq, 20, &recv, 1), "post_srq_recv");
	srq_post_send(from, &send);
	sleep_msec(lossy ? 1 + (500 >> tries) : 1);
	CHECK(!end_to_state(from, IBV_QPS_ERR), "sender to ERR");
	sleep_msec(20);
	CHECK(!end_to_state(to, IBV_QPS_ERR), "receiver to ERR");
	if (!end_wait_wc(to, to->rcq, &wc)) {
		CHECK(lossy, "no completion of the receive in hand");
		return NOTHING;
	}
	CHECK(wc.wr_id == 20 && wc.qp_num == to->qp->qp_num, "another receive");
	if (wc.status == IBV_WC_SUCCESS)
		return ALL;
	CHECK(wc.status == IBV_WC_WR_FLUSH_ERR, "the receive in hand: %s",
	      ibv_wc_status_str(wc.status));
	return A_PART;
}

/* A receive that a message has taken is flushed to the CQ of the QP that took it. */
static bool try_in_hand(struct env *env, struct bufs *bufs, int tries)
{
	struct pair_opts opts = pair_defaults(env);
	struct srq_pair shared;
	enum middle arrived = NOTHING;
	struct pair other;

	if (!srq_pair_open(&shared, env, &opts))
		return true;
	if (pair_open(&other, env, &opts)) {
		struct end *end = &shared.pair.end[1];

		arrived = stop_in_the_middle(&shared, bufs, env->lossy, tries);
		CHECK(srq_last_wqe_event(end, env->wait_msec), "no event of the last WQE");
		end_expect_none(end, "after the flush");
		if (arrived != NOTHING)
			srq_post_empty(shared.srq, 21, 1);
		srq_send_one(&other, arrived != NOTHING ? 21 : 20, "another QP");
		pair_close(&other);
	}
	srq_pair_close(&shared);
	return arrived == A_PART;
}

static void test_in_hand(struct env *env, long arg)
{
	struct bufs bufs;
	int tries = 0;

	(void)arg;
	if (!bufs_open(&bufs, env, LONG_BYTES))
		return;
	while (!try_in_hand(env, &bufs, tries) && !tap_failed() && ++tries < TRIES)
		;
	CHECK(tries < TRIES, "all or nothing of the message was there each time");
	memcpy(bufs.rx[1].image, bufs.rx[1].map, bufs.rx[1].map_len);
	bufs_close(&bufs);
}

const struct test srq_state_tests[] = {
	{ "srq/empty", test_empty },
	{ "srq/filled-in-time", test_filled_in_time },
	{ "srq/empty-uc", test_empty_unreliable, false },
	{ "srq/empty-ud", test_empty_unreliable, true },
	{ "srq/limit", test_limit },
	{ "srq/last-wqe", test_last_wqe },
	{ "srq/in-hand", test_in_hand },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver not ready, and peers that do not answer.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

/* Scheduling of a slow guest, on top of the times that a QP's parameters give. */
#define SLACK_MSEC 8000

static struct ibv_send_wr simple_wr(enum op_id op, uint64_t wr_id)
{
	return (struct ibv_send_wr) {
		.wr_id = wr_id, .opcode = op_desc(op)->wr, .send_flags = IBV_SEND_SIGNALED,
	};
}

/*
 * RNR timer codes (IBA table 45) and times in microseconds. The requester
 * waits at least that long before each of its rnr_retry retries (9.7.5.2.8).
 */
static void test_rnr_exceeded(struct env *env, long op)
{
	static const struct { uint8_t code; unsigned int usec; } timers[] = {
		{ 1, 10 }, { 12, 640 }, { 26, 81920 },
	};
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	unsigned int i;

	for (i = 0; i < 3 && !tap_failed(); i++) {
		struct ibv_send_wr wr = simple_wr(op, 1), next = simple_wr(OP_WRITE, 2);
		uint64_t start, usec;

		opts.rnr_retry = 2;
		opts.min_rnr_timer = timers[i].code;
		if (!pair_open(&pair, env, &opts))
			return;
		wr.next = &next;
		start = now_usec();
		if (CHECK(!end_post_send(&pair.end[0], &wr), "post_send")) {
			end_expect_status(&pair.end[0], false, 1, IBV_WC_RNR_RETRY_EXC_ERR,
					  op_desc(op)->name);
			usec = now_usec() - start;
			CHECK(usec >= 2 * timers[i].usec,
			      "gave up after %llu us, two RNR waits of %u us are longer",
			      (unsigned long long)usec, timers[i].usec);
			end_expect_status(&pair.end[0], false, 2, IBV_WC_WR_FLUSH_ERR, "next");
			end_wait_state(&pair.end[0], IBV_QPS_ERR, "requester");
			/* The responder never had anything of it. */
			CHECK(end_state(&pair.end[1]) == IBV_QPS_RTS, "responder left RTS");
			end_expect_none(&pair.end[1], "responder");
		}
		pair_close(&pair);
	}
}

/* rnr_retry 7 is for ever: a receive posted late completes the message. */
static void test_rnr_late(struct env *env, long op)
{
	static const size_t lens[] = { 0, 10, 5000 };
	struct pair_opts opts = pair_defaults(env);
	struct buf src = { 0 }, dst = { 0 };
	struct pair pair;
	unsigned int i;

	if (!buf_open(&src, env->dev[0].pd, 8000, 0) ||
	    !buf_open(&dst, env->dev[1].pd, 8000,
		      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) ||
	    !pair_open(&pair, env, &opts))
		goto out_bufs;
	for (i = 0; i < 3 && !tap_failed(); i++) {
		struct ibv_send_wr wr = simple_wr(op, i), second = simple_wr(OP_WRITE, 10 + i);
		struct expect recv = {
			.wr_id = 20 + i, .opcode = op_desc(op)->recv_wc, .recv = true,
			.byte_len = lens[i], .has_imm = op_desc(op)->has_imm, .imm = 0xabcd,
		};
		struct layout from, to;
		struct ibv_wc wc;

		layout_make(&from, &src, lens[i], 1);
		layout_make(&to, &dst, lens[i], 1);
		wr.sg_list = from.sge;
		wr.num_sge = from.count;
		wr.imm_data = recv.imm;
		wr.wr.rdma.remote_addr = to.sge[0].addr;
		wr.wr.rdma.rkey = dst.mr->rkey;
		wr.next = &second;
		if (!CHECK(!end_post_send(&pair.end[0], &wr), "post_send"))
			break;
		/* Not only the first try must come too early. */
		sleep_msec(150);
		CHECK(!ibv_poll_cq(pair.end[0].scq, 1, &wc), "completion without a receive");
		CHECK(!end_post_recv(&pair.end[1], 20 + i, to.sge,
				     op_desc(op)->to_recv ? to.count : 0), "post_recv");
		end_expect(&pair.end[1], &recv, "late receive");
		end_expect_status(&pair.end[0], false, i, IBV_WC_SUCCESS, "the message");
		end_expect_status(&pair.end[0], false, 10 + i, IBV_WC_SUCCESS, "the next one");
		memcpy(dst.image + (to.sge[0].addr - (uintptr_t)dst.map),
		       (void *)(uintptr_t)from.sge[0].addr, lens[i]);
		layout_check(&to, "late receive");
	}
	pair_close(&pair);
out_bufs:
	buf_close(&src);
	buf_close(&dst);
}

/* A QP that waits for the RNR timer for ever can be destroyed, reset, put in error. */
static void test_rnr_destroy(struct env *env, long target)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr = simple_wr(OP_SEND, 1);
	struct pair pair;
	uint64_t start;

	if (!pair_open(&pair, env, &opts))
		return;
	if (CHECK(!end_post_send(&pair.end[0], &wr), "post_send")) {
		sleep_msec(50);
		start = now_msec();
		if (target < 0) {
			end_destroy_qp(&pair.end[0]);
		} else {
			CHECK(!end_to_state(&pair.end[0], target), "modify to %ld", target);
			if (target == IBV_QPS_ERR)
				end_expect_status(&pair.end[0], false, 1, IBV_WC_WR_FLUSH_ERR,
						  "SEND");
		}
		CHECK(now_msec() - start < SLACK_MSEC, "took %llu ms",
		      (unsigned long long)(now_msec() - start));
		end_expect_none(&pair.end[0], "at the end");
	}
	pair_close(&pair);
}

/*
 * A peer that is silent. IBA 9.7.6.1.3: the timeout is between T and 4 T,
 * T = 4.096 us << timeout, and there are retry_cnt retries.
 */
static void expect_timeout(struct pair *pair, enum op_id op)
{
	uint64_t unit = 4096ULL << pair->opts.timeout, low, high, msec, start = now_msec();
	struct ibv_send_wr wr = simple_wr(op, 1), next = simple_wr(OP_WRITE, 2);

	low = unit * (pair->opts.retry_cnt + 1) / 1000000;
	high = 4 * low + SLACK_MSEC;
	wr.next = &next;
	if (!CHECK(!end_post_send(&pair->end[0], &wr), "post_send"))
		return;
	end_expect_status(&pair->end[0], false, 1, IBV_WC_RETRY_EXC_ERR, op_desc(op)->name);
	msec = now_msec() - start;
	CHECK(msec >= low && msec <= high, "took %llu ms, not %llu to %llu",
	      (unsigned long long)msec, (unsigned long long)low, (unsigned long long)high);
	end_expect_status(&pair->end[0], false, 2, IBV_WC_WR_FLUSH_ERR, "next");
	end_wait_state(&pair->end[0], IBV_QPS_ERR, "requester");
}

static void test_silent_peer(struct env *env, long state)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	int i;

	opts.timeout = 14;
	opts.retry_cnt = 2;
	for (i = 0; i < 2 && !tap_failed(); i++) {
		if (!pair_create(&pair, env, &opts))
			return;
		CHECK(!end_to_init(&pair.end[0], &opts, opts.access[0]), "to INIT");
		CHECK(!end_to_rtr(&pair.end[0], &opts, pair.end[1].qp->qp_num), "to RTR");
		CHECK(!end_to_rts(&pair.end[0], &opts), "to RTS");
		if (state != IBV_QPS_RESET)
			CHECK(!end_to_init(&pair.end[1], &opts, opts.access[1]), "to INIT");
		if (state == IBV_QPS_ERR)
			CHECK(!end_to_state(&pair.end[1], IBV_QPS_ERR), "to ERR");
		if (!tap_failed())
			expect_timeout(&pair, i ? OP_READ : OP_WRITE);
		pair_close(&pair);
	}
}

static void test_no_peer(struct env *env, long in_flight)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	bool ok;

	opts.timeout = 13;
	opts.retry_cnt = 1;
	if (!pair_open(&pair, env, &opts))
		return;
	ok = true;
	if (in_flight) {
		struct ibv_send_wr wr = simple_wr(OP_WRITE, 7);

		ok = CHECK(!end_post_send(&pair.end[0], &wr), "post_send") &&
		     end_expect_status(&pair.end[0], false, 7, IBV_WC_SUCCESS, "WRITE");
	}
	end_destroy_qp(&pair.end[1]);
	if (ok)
		expect_timeout(&pair, OP_SEND);
	pair_close(&pair);
}

/* A peer that knows another partner stays silent too: QPN and addresses must match. */
static void test_stranger(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair a, b;

	(void)arg;
	/* The pair itself has the patience that a lossy path needs. */
	if (!pair_open(&a, env, &opts))
		return;
	opts.timeout = 13;
	opts.retry_cnt = 1;
	if (pair_create(&b, env, &opts)) {
		/* A third QP speaks to the responder of another pair, with a foreign PSN. */
		b.end[1].psn = a.end[1].psn;
		b.end[0].psn = (a.end[0].psn + 0x400000) & 0xffffff;
		CHECK(!end_to_init(&b.end[0], &opts, opts.access[0]), "to INIT");
		CHECK(!end_to_rtr(&b.end[0], &opts, a.end[1].qp->qp_num), "to RTR");
		CHECK(!end_to_rts(&b.end[0], &opts), "to RTS");
		if (!tap_failed())
			expect_timeout(&b, OP_WRITE);
		/* The pair itself goes on unharmed. */
		if (!tap_failed()) {
			struct ibv_send_wr wr = simple_wr(OP_WRITE, 9);

			CHECK(!end_post_send(&a.end[0], &wr), "post_send");
			end_expect_status(&a.end[0], false, 9, IBV_WC_SUCCESS, "the pair's own");
		}
		pair_close(&b);
	}
	pair_close(&a);
}

const struct test rc_retry_tests[] = {
	{ "rnr/exceeded-send", test_rnr_exceeded, OP_SEND, 0 },
	{ "rnr/exceeded-write_imm", test_rnr_exceeded, OP_WRITE_IMM, 0 },
	{ "rnr/late-send", test_rnr_late, OP_SEND, 0 },
	{ "rnr/late-send_imm", test_rnr_late, OP_SEND_IMM, 0 },
	{ "rnr/late-write_imm", test_rnr_late, OP_WRITE_IMM, 0 },
	{ "rnr/destroy", test_rnr_destroy, -1, 0 },
	{ "rnr/to-reset", test_rnr_destroy, IBV_QPS_RESET, 0 },
	{ "rnr/to-error", test_rnr_destroy, IBV_QPS_ERR, 0 },
	{ "retry/peer-in-reset", test_silent_peer, IBV_QPS_RESET, 0 },
	{ "retry/peer-in-init", test_silent_peer, IBV_QPS_INIT, 0 },
	{ "retry/peer-in-error", test_silent_peer, IBV_QPS_ERR, 0 },
	{ "retry/no-peer", test_no_peer, 0, 0 },
	{ "retry/peer-destroyed", test_no_peer, 1, 0 },
	{ "retry/stranger", test_stranger, 0, 0 },
	{ }
};

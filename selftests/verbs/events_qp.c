// SPDX-License-Identifier: GPL-2.0
/*
 * Asynchronous events of QPs (IBA 11.6.3): each that is due comes, once, to the program that
 * made the QP. Those of CQs are in cq_overflow.c.
 */
#include <errno.h>
#include <string.h>

#include "async.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define UC 1

/* IBA 11.6.3.1: packets come while the QP is in RTR. They are many, the event is one. */
static void test_established(struct env *env, long type)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *to = &pair.end[1];
	int i, round;

	if (type == UC && env->lossy) {
		tap_skip("UC loses messages here, see uc/stream");
		return;
	}
	opts.uc = type == UC;
	if (!pair_create(&pair, env, &opts))
		return;
	/* After a RESET it is news again. */
	for (round = 0; round < 2 && !tap_failed(); round++) {
		for (i = 0; i < 2; i++)
			CHECK(!end_to_init(&pair.end[i], &opts, opts.access[i]), "to INIT");
		for (i = 0; i < 2; i++)
			CHECK(!end_to_rtr(&pair.end[i], &opts, pair.end[!i].qp->qp_num), "to RTR");
		CHECK(!end_to_rts(&pair.end[0], &opts), "to RTS");
		async_expect_none(to->dev, to->qp, "before the first packet");
		for (i = 0; i < 3 && !tap_failed(); i++)
			end_follow(&pair.end[0], "in RTR");
		async_expect_one(to->dev, to->qp, IBV_EVENT_COMM_EST, env->wait_msec, "in RTR");
		CHECK(!end_to_rts(to, &opts), "to RTS");
		end_follow(&pair.end[0], "in RTS");
		async_expect_none(to->dev, to->qp, "in RTS");
		async_expect_none(pair.end[0].dev, pair.end[0].qp, "requester");
		for (i = 0; i < 2; i++)
			CHECK(!end_to_state(&pair.end[i], IBV_QPS_RESET), "to RESET");
	}
	pair_close(&pair);
}

/* A request that the responder must refuse. */
static bool provoke(struct pair *pair, enum ibv_wr_opcode opcode, struct buf *buf)
{
	struct ibv_sge sge = { (uintptr_t)buf->mem, 8, buf->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = 3, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)buf->mem, .rkey = 0xdead00 },
	};
	struct ibv_wc wc;

	return CHECK(!end_post_send(&pair->end[0], &wr), "post_send") &&
	       CHECK(end_wait_wc(&pair->end[0], pair->end[0].scq, &wc), "no completion") &&
	       CHECK(wc.wr_id == 3 && wc.status, "it succeeded");
}

/* What the peer did is told to the responder; the requester has its completion. */
static void test_refused(struct env *env, long access)
{
	struct pair_opts opts = pair_defaults(env);
	struct buf buf = { 0 };
	struct pair pair;
	struct end *to = &pair.end[1];

	if (access)
		opts.access[1] = access;
	if (!pair_open(&pair, env, &opts))
		return;
	if (buf_open(&buf, env->dev[0].pd, 64, IBV_ACCESS_LOCAL_WRITE) &&
	    provoke(&pair, access ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, &buf)) {
		async_expect_one(to->dev, to->qp, access ? IBV_EVENT_QP_REQ_ERR :
				 IBV_EVENT_QP_ACCESS_ERR, env->wait_msec, "responder");
		async_expect_none(pair.end[0].dev, pair.end[0].qp, "requester");
		end_wait_state(to, IBV_QPS_ERR, "responder");
	}
	pair_close(&pair);
	buf_close(&buf);
}

/* To be flushed, reset or destroyed is no event. */
static void test_silent(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *end = &pair.end[0];
	int i;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	end_follow(end, "traffic");
	for (i = 0; i < 4; i++)
		CHECK(!end_post_recv(end, i, NULL, 0), "post_recv");
	CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
	for (i = 0; i < 4; i++)
		end_expect_status(end, true, i, IBV_WC_WR_FLUSH_ERR, "receive");
	async_expect_none(end->dev, end->qp, "in ERR");
	CHECK(!end_to_state(end, IBV_QPS_RESET), "to RESET");
	async_expect_none(end->dev, end->qp, "in RESET");
	pair_close(&pair);
}

/* Events that nobody took go with the QP, and the destroy does not wait for them. */
static void test_untaken(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct pair pair;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	CHECK(!ibv_modify_qp(pair.end[0].qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY),
	      "to SQD");
	pair_close(&pair);
	device_drain_events(&env->dev[0]);
}

const struct test event_tests[] = {
	{ "async/comm-est", test_established, 0, 0 },
	{ "uc/async-comm-est", test_established, UC, 0 },
	{ "async/access-err", test_refused, 0, 0 },
	{ "async/req-err", test_refused, IBV_ACCESS_REMOTE_WRITE, 0 },
	{ "async/silent", test_silent, 0, 0 },
	{ "async/untaken", test_untaken, 0, 0 },
	{ }
};

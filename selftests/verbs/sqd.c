// SPDX-License-Identifier: GPL-2.0
/*
 * Send queue drained (IBA 10.3.1.5): what was begun is finished, then the event comes if it
 * was asked for; what is posted waits; attributes may change; RTS goes on.
 */
#include <errno.h>
#include <string.h>

#include "async.h"
#include "op.h"
#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define QUIET_MSEC 100

static int to_sqd(struct end *end, bool notify)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = notify };

	return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
}

static int query(struct end *end, struct ibv_qp_attr *attr)
{
	struct ibv_qp_init_attr init;

	return ibv_query_qp(end->qp, attr, (IBV_QP_DEST_QPN << 1) - 1, &init);
}

static bool expect_draining(struct end *end, int draining, const char *what)
{
	struct ibv_qp_attr attr;

	return CHECK(!query(end, &attr), "ibv_query_qp") &&
	       CHECK(attr.qp_state == IBV_QPS_SQD && attr.sq_draining == draining,
		     "%s: state %d, sq_draining %d", what, attr.qp_state, attr.sq_draining);
}

static bool post_send(struct end *end, uint64_t wr_id)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};

	return CHECK(!end_post_send(end, &wr), "post_send");
}

/* A request that has got a PSN is one that was begun. */
static bool wait_begun(struct end *end)
{
	uint64_t deadline = now_msec() + end->wait_msec;
	struct ibv_qp_attr attr;

	do {
		if (!CHECK(!query(end, &attr), "ibv_query_qp"))
			return false;
		if (attr.sq_psn != end->psn)
			return true;
		sleep_msec(1);
	} while (now_msec() < deadline);
	return CHECK(false, "a SEND was not begun");
}

/* The peer has no receive: SEND 1 is on its way when the state changes, SEND 2 comes after. */
static bool open_draining(struct pair *pair, struct env *env, bool notify)
{
	struct pair_opts opts = pair_defaults(env);
	struct end *end = &pair->end[0];

	if (!pair_open(pair, env, &opts))
		return false;
	if (post_send(end, 1) && wait_begun(end) && CHECK(!to_sqd(end, notify), "to SQD") &&
	    post_send(end, 2) && expect_draining(end, 1, "while a SEND waits") &&
	    async_expect_none(end->dev, end->qp, "before it has drained") &&
	    end_expect_none(end, "before it has drained"))
		return true;
	pair_close(pair);
	return false;
}

/* One receive lets it drain; the second request waits for RTS. */
static void drain_one(struct pair *pair, bool notify)
{
	struct end *end = &pair->end[0], *to = &pair->end[1];

	CHECK(!end_post_recv(to, 11, NULL, 0), "post_recv");
	CHECK(!end_post_recv(to, 12, NULL, 0), "post_recv");
	end_expect_status(end, false, 1, IBV_WC_SUCCESS, "what was begun");
	end_expect_status(to, true, 11, IBV_WC_SUCCESS, "its receive");
	if (notify)
		async_expect_one(end->dev, end->qp, IBV_EVENT_SQ_DRAINED, end->wait_msec,
				 "drained");
	else
		async_expect_none(end->dev, end->qp, "no event was asked for");
	expect_draining(end, 0, "when it has drained");
	sleep_msec(QUIET_MSEC);
	end_expect_none(end, "in SQD");
	end_expect_none(to, "in SQD");
}

static void test_draining(struct env *env, long notify)
{
	struct pair pair;
	struct end *end = &pair.end[0], *to = &pair.end[1];

	if (!open_draining(&pair, env, notify))
		return;
	drain_one(&pair, notify);
	/* The other direction goes on. */
	end_follow(to, "to a QP in SQD");
	if (CHECK(!end_to_state(end, IBV_QPS_RTS), "SQD to RTS")) {
		end_expect_status(end, false, 2, IBV_WC_SUCCESS, "what has waited");
		end_expect_status(to, true, 12, IBV_WC_SUCCESS, "its receive");
		async_expect_none(end->dev, end->qp, "in RTS");
		end_follow(end, "in RTS");
	}
	/* And again, when there is nothing to drain. */
	if (CHECK(!to_sqd(end, notify), "to SQD") && notify)
		async_expect_one(end->dev, end->qp, IBV_EVENT_SQ_DRAINED, env->wait_msec, "idle");
	pair_close(&pair);
}

/* RTS comes before the queue has drained: nothing is lost, and there is no event any more. */
static void test_resume_early(struct env *env, long arg)
{
	struct pair pair;
	struct end *end = &pair.end[0], *to = &pair.end[1];
	int i;

	(void)arg;
	if (!open_draining(&pair, env, true))
		return;
	CHECK(!end_to_state(end, IBV_QPS_RTS), "SQD to RTS");
	for (i = 1; i <= 2; i++) {
		CHECK(!end_post_recv(to, 10 + i, NULL, 0), "post_recv");
		end_expect_status(end, false, i, IBV_WC_SUCCESS, "send");
		end_expect_status(to, true, 10 + i, IBV_WC_SUCCESS, "receive");
	}
	async_expect_none(end->dev, end->qp, "in RTS");
	pair_close(&pair);
}

/* Error while it drains: all is flushed, in order. */
static void test_error(struct env *env, long arg)
{
	struct pair pair;
	struct end *end = &pair.end[0];

	(void)arg;
	if (!open_draining(&pair, env, true))
		return;
	CHECK(!end_to_state(end, IBV_QPS_ERR), "SQD to ERR");
	end_expect_status(end, false, 1, IBV_WC_WR_FLUSH_ERR, "what was begun");
	end_expect_status(end, false, 2, IBV_WC_WR_FLUSH_ERR, "what has waited");
	async_expect_none(end->dev, end->qp, "in ERR");
	pair_close(&pair);
}

/* Reset while it drains: all is forgotten, and a new connection works. */
static void test_reset(struct env *env, long arg)
{
	struct pair pair;
	int i;

	(void)arg;
	if (!open_draining(&pair, env, true))
		return;
	for (i = 0; i < 2; i++)
		CHECK(!end_to_state(&pair.end[i], IBV_QPS_RESET), "to RESET");
	end_expect_none(&pair.end[0], "in RESET");
	async_expect_none(pair.end[0].dev, pair.end[0].qp, "in RESET");
	if (pair_connect(&pair)) {
		end_follow(&pair.end[0], "new connection");
		end_follow(&pair.end[1], "new connection");
	}
	pair_close(&pair);
}

/* A long READ is finished before the event. */
static void test_read(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct buf local = { 0 }, remote = { 0 };
	struct pair pair;
	struct end *end = &pair.end[0];

	(void)arg;
	if (pair_open(&pair, env, &opts) &&
	    buf_open(&local, env->dev[0].pd, 1 << 20, IBV_ACCESS_LOCAL_WRITE) &&
	    buf_open(&remote, env->dev[1].pd, 1 << 20, IBV_ACCESS_REMOTE_READ)) {
		struct ibv_sge sge = { (uintptr_t)local.mem, 1 << 20, local.mr->lkey };
		struct ibv_send_wr wr = {
			.wr_id = 1, .opcode = IBV_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { (uintptr_t)remote.mem, remote.mr->rkey },
		};
		struct ibv_wc wc;

		CHECK(!end_post_send(end, &wr), "post_send");
		CHECK(!to_sqd(end, true), "to SQD");
		if (async_expect_one(end->dev, end->qp, IBV_EVENT_SQ_DRAINED, env->wait_msec,
				     "READ")) {
			/* It was begun, and is done; or it was not, and waits. */
			if (!ibv_poll_cq(end->scq, 1, &wc)) {
				CHECK(!end_to_state(end, IBV_QPS_RTS), "SQD to RTS");
				CHECK(end_wait_wc(end, end->scq, &wc), "no completion");
			}
			CHECK(!wc.status && wc.wr_id == 1, "status %d", wc.status);
			CHECK(!memcmp(local.mem, remote.mem, 1 << 20), "data");
			memcpy(local.image, local.map, local.map_len);
		}
	}
	pair_close(&pair);
	buf_close(&local);
	buf_close(&remote);
}

/* What may change in SQD does, and is in force afterwards. */
static void test_attributes(struct env *env, long arg)
{
	const int mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS | IBV_QP_MAX_QP_RD_ATOMIC |
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_AV | IBV_QP_PKEY_INDEX;
	struct ibv_qp_attr attr, rtr, seen;
	struct pair_opts opts;
	struct pair pair;
	struct end *end = &pair.end[0];

	(void)arg;
	opts = pair_defaults(env);
	if (!open_draining(&pair, env, true))
		return;
	drain_one(&pair, true);
	end_fill_rtr(end, &opts, end->peer->qp->qp_num, &rtr);
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_SQD, .timeout = 17, .retry_cnt = 3, .rnr_retry = 2,
		.min_rnr_timer = 7, .qp_access_flags = IBV_ACCESS_REMOTE_READ,
		.max_rd_atomic = 2, .max_dest_rd_atomic = 3, .ah_attr = rtr.ah_attr,
	};
	attr.ah_attr.grh.traffic_class = 0x20;
	CHECK(!ibv_modify_qp(end->qp, &attr, mask), "SQD to SQD");
	if (CHECK(!query(end, &seen), "ibv_query_qp"))
		CHECK(seen.qp_state == IBV_QPS_SQD && seen.timeout == 17 && seen.retry_cnt == 3 &&
		      seen.rnr_retry == 2 && seen.min_rnr_timer == 7 && seen.max_rd_atomic == 2 &&
		      seen.max_dest_rd_atomic == 3 && seen.ah_attr.grh.traffic_class == 0x20,
		      "timeout %u, retry %u, RNR %u, timer %u, READs %u and %u, class %u",
		      seen.timeout, seen.retry_cnt, seen.rnr_retry, seen.min_rnr_timer,
		      seen.max_rd_atomic, seen.max_dest_rd_atomic,
		      seen.ah_attr.grh.traffic_class);
	/* What a connection is made of stays. */
	attr.dest_qp_num = 0x123456;
	CHECK(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_DEST_QPN) == EINVAL,
	      "another peer was taken");
	attr.path_mtu = IBV_MTU_256;
	CHECK(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU) == EINVAL,
	      "another path MTU was taken");
	attr.sq_psn = 77;
	CHECK(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) == EINVAL,
	      "another PSN was taken");
	CHECK(!end_to_state(end, IBV_QPS_RTS), "SQD to RTS");
	end_expect_status(end, false, 2, IBV_WC_SUCCESS, "what has waited");
	end_expect_status(end->peer, true, 12, IBV_WC_SUCCESS, "its receive");
	end_follow(end, "in RTS");
	end_follow(end->peer, "in RTS");
	pair_close(&pair);
}

static void test_uc(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *end = &pair.end[0];

	(void)arg;
	if (env->lossy) {
		tap_skip("UC loses messages here, see uc/stream");
		return;
	}
	opts.uc = true;
	if (!pair_open(&pair, env, &opts))
		return;
	CHECK(!to_sqd(end, true), "to SQD");
	async_expect_one(end->dev, end->qp, IBV_EVENT_SQ_DRAINED, env->wait_msec, "UC");
	expect_draining(end, 0, "UC");
	CHECK(!end_post_recv(end->peer, 12, NULL, 0), "post_recv");
	post_send(end, 2);
	sleep_msec(QUIET_MSEC);
	end_expect_none(end, "in SQD");
	CHECK(!end_to_state(end, IBV_QPS_RTS), "SQD to RTS");
	end_expect_status(end, false, 2, IBV_WC_SUCCESS, "what has waited");
	end_expect_status(end->peer, true, 12, IBV_WC_SUCCESS, "its receive");
	pair_close(&pair);
}

static void test_ud(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr;
	struct end *end;
	struct ud ud;

	(void)arg;
	if (env->lossy) {
		tap_skip("datagrams are lost here");
		return;
	}
	if (!ud_open(&ud, env, &opts))
		return;
	end = &ud.pair.end[0];
	CHECK(!to_sqd(end, true), "to SQD");
	async_expect_one(end->dev, end->qp, IBV_EVENT_SQ_DRAINED, env->wait_msec, "UD");
	expect_draining(end, 0, "UD");
	ud_follow(&ud, 1, "to a QP in SQD");
	wr = ud_wr(&ud, 0, 2);
	CHECK(!end_post_send(end, &wr), "post_send");
	sleep_msec(QUIET_MSEC);
	end_expect_none(end, "in SQD");
	CHECK(!end_to_state(end, IBV_QPS_RTS), "SQD to RTS");
	end_expect_status(end, false, 2, IBV_WC_SUCCESS, "what has waited");
	ud_follow(&ud, 0, "in RTS");
	ud_close(&ud);
}

const struct test sqd_tests[] = {
	{ "sqd/draining", test_draining, 1, 0 },
	{ "sqd/draining-no-event", test_draining, 0, 0 },
	{ "sqd/resume-early", test_resume_early, 0, 0 },
	{ "sqd/error", test_error, 0, 0 },
	{ "sqd/reset", test_reset, 0, 0 },
	{ "sqd/read", test_read, 0, 0 },
	{ "sqd/attributes", test_attributes, 0, 0 },
	{ "uc/sqd", test_uc, 0, 0 },
	{ "ud/sqd", test_ud, 0, 0 },
	{ }
};

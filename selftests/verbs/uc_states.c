// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable connections (IBA 9.8.2): what they do not do, what becomes of messages that
 * nobody takes, and the state "send queue error".
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

static bool open_uc(struct pair *pair, struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	if (skip_if_lost(env, true))
		return false;
	opts.uc = true;
	return pair_open(pair, env, &opts);
}

/* Post a message of no bytes; it completes, whether somebody takes it or not. */
static bool send_empty(struct end *end, enum op_id id, uint64_t wr_id)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .opcode = op_desc(id)->wr, .send_flags = IBV_SEND_SIGNALED,
	};

	return CHECK(!end_post_send(end, &wr), "%s: post_send", op_desc(id)->name) &&
	       end_expect_status(end, false, wr_id, IBV_WC_SUCCESS, op_desc(id)->name);
}

static void test_attributes(struct env *env, long arg)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct pair pair;

	(void)arg;
	if (!open_uc(&pair, env))
		return;
	if (CHECK(!ibv_query_qp(pair.end[0].qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp"))
		CHECK(init.qp_type == IBV_QPT_UC && attr.qp_state == IBV_QPS_RTS &&
		      attr.path_mtu == pair.opts.pmtu && attr.sq_psn == pair.end[0].psn &&
		      attr.dest_qp_num == pair.end[1].qp->qp_num, "attributes");
	pair_close(&pair);
}

/* Attributes of retries and READs are RC's: there is no transition of UC that takes them. */
static void test_modify(struct env *env, long arg)
{
	static const int masks[] = {
		IBV_QP_TIMEOUT, IBV_QP_RETRY_CNT, IBV_QP_RNR_RETRY, IBV_QP_MAX_QP_RD_ATOMIC,
	};
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr;
	struct pair pair;
	unsigned int i;

	(void)arg;
	opts.uc = true;
	if (!pair_create(&pair, env, &opts))
		return;
	CHECK(!end_to_init(&pair.end[0], &opts, opts.access[0]), "to INIT");
	CHECK(!end_to_rtr(&pair.end[0], &opts, pair.end[1].qp->qp_num), "to RTR");
	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		int mask = end_fill_rts(&pair.end[0], &opts, &attr);

		CHECK(ibv_modify_qp(pair.end[0].qp, &attr, mask | masks[i]) == EINVAL,
		      "attribute 0x%x was taken", masks[i]);
	}
	CHECK(!end_to_rts(&pair.end[0], &opts), "to RTS");
	pair_close(&pair);
}

/* A queue without a receive loses the message; the next one arrives. */
static void test_no_receive(struct env *env, long id)
{
	const struct op_desc *op = op_desc(id);
	struct expect recv = {
		.wr_id = 7, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .recv = true,
		.byte_len = 3000,
	};
	struct ibv_send_wr wr = {
		.wr_id = 2, .num_sge = 1, .opcode = op->wr, .send_flags = IBV_SEND_SIGNALED,
	};
	struct layout src, dst;
	struct bufs bufs;
	struct pair pair;

	if (!open_uc(&pair, env))
		return;
	if (bufs_open(&bufs, env, 4096)) {
		/* lost, whole and in parts */
		layout_make(&src, &bufs.tx[0], 3000, 1);
		layout_make(&dst, &bufs.rx[1], 3000, 1);
		wr.sg_list = src.sge;
		wr.wr.rdma.remote_addr = dst.sge[0].addr;
		wr.wr.rdma.rkey = bufs.rx[1].mr->rkey;
		send_empty(&pair.end[0], id, 1);
		CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
		end_expect_status(&pair.end[0], false, 2, IBV_WC_SUCCESS, op->name);
		/* A WRITE's data arrives, its completion does not. */
		sleep_msec(100);
		end_expect_none(&pair.end[1], "responder");
		CHECK(end_state(&pair.end[1]) == IBV_QPS_RTS, "responder left RTS");
		if (op->is_remote)
			layout_adopt(&dst);

		wr.opcode = IBV_WR_SEND;
		CHECK(!end_post_recv_layout(&pair.end[1], 7, &dst), "post_recv");
		CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
		end_expect_status(&pair.end[0], false, 2, IBV_WC_SUCCESS, "next SEND");
		if (end_expect(&pair.end[1], &recv, "receive")) {
			layout_gather(&src, bufs.scratch);
			layout_expect(&dst, bufs.scratch);
		}
		end_expect_none(&pair.end[1], "at the end");
		bufs_close(&bufs);
	}
	pair_close(&pair);
}

/* Nobody is there: nothing is retried, and nothing fails. */
static void test_no_peer(struct env *env, long arg)
{
	struct pair pair;
	int i;

	(void)arg;
	if (!open_uc(&pair, env))
		return;
	end_destroy_qp(&pair.end[1]);
	for (i = 0; i < 100 && !tap_failed(); i++)
		send_empty(&pair.end[0], i % 4, i);
	CHECK(end_state(&pair.end[0]) == IBV_QPS_RTS, "requester left RTS");
	pair_close(&pair);
}

/* The peer has reset its QP and begins with another PSN: what it sends arrives. */
static void test_new_start(struct env *env, long arg)
{
	struct pair pair;
	struct end *from, *to;

	(void)arg;
	if (!open_uc(&pair, env))
		return;
	from = &pair.end[0];
	to = &pair.end[1];
	end_follow(from, "first start");
	CHECK(!end_to_state(from, IBV_QPS_RESET), "to RESET");
	from->psn = (from->psn - 100000) & 0xffffff;
	CHECK(!end_to_init(from, &pair.opts, pair.opts.access[0]), "to INIT");
	CHECK(!end_to_rtr(from, &pair.opts, to->qp->qp_num), "to RTR");
	CHECK(!end_to_rts(from, &pair.opts), "to RTS");
	end_follow(from, "second start");
	end_expect_none(to, "responder");
	pair_close(&pair);
}

static void test_receive_in_rtr(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *to;
	int i;

	(void)arg;
	if (skip_if_lost(env, true))
		return;
	opts.uc = true;
	if (!pair_create(&pair, env, &opts))
		return;
	to = &pair.end[1];
	for (i = 0; i < 2; i++)
		CHECK(!end_to_init(&pair.end[i], &opts, opts.access[i]), "to INIT");
	for (i = 0; i < 2; i++)
		CHECK(!end_to_rtr(&pair.end[i], &opts, pair.end[!i].qp->qp_num), "to RTR");
	CHECK(!end_to_rts(&pair.end[0], &opts), "to RTS");
	end_follow(&pair.end[0], "in RTR");
	CHECK(device_event(to->dev, to->qp, IBV_EVENT_COMM_EST, 2000), "no event COMM_EST");
	CHECK(!end_to_rts(to, &opts), "to RTS");
	end_follow(to, "the other way");
	pair_close(&pair);
}

/* ---- send queue error ---- */

static bool break_send_queue(struct end *end, enum ibv_wr_opcode opcode, struct ibv_sge *sge,
			     enum ibv_wc_status status)
{
	struct ibv_send_wr wr = { .wr_id = 31, .opcode = opcode, .sg_list = sge, .num_sge = 1 };

	/* the library looks at length and alignment of atomics */
	return CHECK(!end_post_send(end, &wr), "post_send of opcode %d", opcode) &&
	       end_expect_status(end, false, 31, status, "faulty request") &&
	       end_wait_state(end, IBV_QPS_SQE, "requester");
}

/* IBA 10.3.1: in SQE sends are flushed and receives go on; then back to RTS. */
static void check_send_queue_error(struct pair *pair, const char *what)
{
	struct end *end = &pair->end[0];
	struct ibv_send_wr wr = { .wr_id = 32, .opcode = IBV_WR_SEND };
	int i;

	for (i = 0; i < 2; i++) {
		CHECK(!end_post_send(end, &wr), "%s: post_send in SQE", what);
		end_expect_status(end, false, 32, IBV_WC_WR_FLUSH_ERR, what);
	}
	end_follow(end->peer, what);
	CHECK(end_state(end) == IBV_QPS_SQE, "%s: left SQE", what);
	CHECK(!end_to_state(end, IBV_QPS_RTS), "%s: SQE to RTS", what);
	end_follow(end, what);
	end_follow(end->peer, what);
	end_expect_none(end, what);
	end_expect_none(end->peer, what);
}

/* Provoke it by what UC has not. */
static void test_refused(struct env *env, long opcode)
{
	struct buf buf = { 0 };
	struct pair pair;

	if (!open_uc(&pair, env))
		return;
	if (buf_open(&buf, env->dev[0].pd, 8, IBV_ACCESS_LOCAL_WRITE)) {
		struct ibv_sge sge = { (uintptr_t)buf.mem, 8, buf.mr->lkey };

		if (break_send_queue(&pair.end[0], opcode, &sge, IBV_WC_LOC_QP_OP_ERR))
			check_send_queue_error(&pair, "after what UC has not");
	}
	pair_close(&pair);
	buf_close(&buf);
}

/* By a bad key, again and again, and then for good. */
static void test_sqe(struct env *env, long arg)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&sge, .length = 8, .lkey = 0xdead };
	struct pair pair;
	int i;

	(void)arg;
	if (!open_uc(&pair, env))
		return;
	for (i = 0; i < 3 && !tap_failed(); i++) {
		if (break_send_queue(&pair.end[0], IBV_WR_SEND, &sge, IBV_WC_LOC_PROT_ERR))
			check_send_queue_error(&pair, "after a bad key");
	}
	if (break_send_queue(&pair.end[0], IBV_WR_SEND, &sge, IBV_WC_LOC_PROT_ERR)) {
		CHECK(!end_post_recv(&pair.end[0], 41, NULL, 0), "post_recv");
		CHECK(!end_to_state(&pair.end[0], IBV_QPS_ERR), "SQE to ERR");
		end_expect_status(&pair.end[0], true, 41, IBV_WC_WR_FLUSH_ERR, "receive in ERR");
	}
	pair_close(&pair);
}

/* All keys are looked at before anything is sent; the receive is there for the next message. */
static void test_fails_when_taken(struct env *env, long arg)
{
	struct ibv_sge sge[2];
	struct ibv_send_wr wr = {
		.wr_id = 31, .opcode = IBV_WR_SEND, .sg_list = sge, .num_sge = 2,
	};
	struct buf good, gone;
	struct pair pair;

	(void)arg;
	if (!open_uc(&pair, env))
		return;
	if (buf_open(&good, env->dev[0].pd, 1 << 20, 0) &&
	    buf_open(&gone, env->dev[0].pd, 4096, 0)) {
		sge[0] = (struct ibv_sge) { (uintptr_t)good.mem, 1 << 20, good.mr->lkey };
		sge[1] = (struct ibv_sge) { (uintptr_t)gone.mem, 4096, gone.mr->lkey };
		CHECK(!end_post_recv(&pair.end[1], 502, NULL, 0), "post_recv");
		buf_dereg(&gone);
		CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
		end_expect_status(&pair.end[0], false, 31, IBV_WC_LOC_PROT_ERR, "long SEND");
		end_wait_state(&pair.end[0], IBV_QPS_SQE, "requester");
		end_expect_none(&pair.end[1], "responder");
		CHECK(!end_to_state(&pair.end[0], IBV_QPS_RTS), "SQE to RTS");
		/* takes the receive that was posted */
		if (send_empty(&pair.end[0], OP_SEND, 33))
			end_expect_status(&pair.end[1], true, 502, IBV_WC_SUCCESS, "receive");
	}
	buf_close(&good);
	buf_close(&gone);
	pair_close(&pair);
}

static void test_drain(struct env *env, long arg)
{
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	struct pair pair;

	(void)arg;
	if (!open_uc(&pair, env))
		return;
	CHECK(!end_to_state(&pair.end[0], IBV_QPS_SQD), "to SQD");
	CHECK(!end_post_recv(&pair.end[1], 2, NULL, 0), "post_recv");
	CHECK(!end_post_send(&pair.end[0], &wr), "post_send in SQD");
	sleep_msec(100);
	end_expect_none(&pair.end[0], "requester in SQD");
	end_follow(&pair.end[1], "to a QP in SQD");
	CHECK(!end_to_state(&pair.end[0], IBV_QPS_RTS), "SQD to RTS");
	end_expect_status(&pair.end[0], false, 1, IBV_WC_SUCCESS, "SEND after SQD");
	end_expect_status(&pair.end[1], true, 2, IBV_WC_SUCCESS, "receive after SQD");
	pair_close(&pair);
}

const struct test uc_state_tests[] = {
	{ "uc/attributes", test_attributes, 0, 0 },
	{ "uc/modify", test_modify, 0, 0 },
	{ "uc/no-receive-send", test_no_receive, OP_SEND, 0 },
	{ "uc/no-receive-write_imm", test_no_receive, OP_WRITE_IMM, 0 },
	{ "uc/no-peer", test_no_peer, 0, 0 },
	{ "uc/new-start", test_new_start, 0, 0 },
	{ "uc/receive-in-rtr", test_receive_in_rtr, 0, 0 },
	{ "uc/refused-read", test_refused, IBV_WR_RDMA_READ, 0 },
	{ "uc/refused-cmp-swp", test_refused, IBV_WR_ATOMIC_CMP_AND_SWP, 0 },
	{ "uc/refused-fetch-add", test_refused, IBV_WR_ATOMIC_FETCH_AND_ADD, 0 },
	{ "uc/sqe", test_sqe, 0, 0 },
	{ "uc/fails-when-taken", test_fails_when_taken, 0, 0 },
	{ "uc/drain", test_drain, 0, 0 },
	{ }
};

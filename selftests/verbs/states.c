// SPDX-License-Identifier: GPL-2.0
/*
 * The QP state machine: transitions that are allowed and refused, what
 * query_qp says, work in states that do not run it.
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

static bool one_each_way(struct pair *pair, const char *what)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct ibv_send_wr wr = {
			.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		};

		if (!CHECK(!end_post_recv(&pair->end[!i], 2, NULL, 0), "%s: post_recv", what) ||
		    !CHECK(!end_post_send(&pair->end[i], &wr), "%s: post_send", what) ||
		    !end_expect_status(&pair->end[i], false, 1, IBV_WC_SUCCESS, what) ||
		    !end_expect_status(&pair->end[!i], true, 2, IBV_WC_SUCCESS, what))
			return false;
	}
	return true;
}

static void test_cycle(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	int round, i;

	(void)arg;
	if (!pair_create(&pair, env, &opts))
		return;
	CHECK(end_state(&pair.end[0]) == IBV_QPS_RESET, "a new QP is not in RESET");
	for (round = 0; round < 4 && !tap_failed(); round++) {
		if (!pair_connect(&pair) || !one_each_way(&pair, "traffic"))
			break;
		/* Straight to RESET, or by way of ERR. */
		for (i = 0; i < 2; i++) {
			if (round & 1)
				CHECK(!end_to_state(&pair.end[i], IBV_QPS_ERR), "to ERR");
			CHECK(!end_to_state(&pair.end[i], IBV_QPS_RESET), "to RESET");
			CHECK(end_state(&pair.end[i]) == IBV_QPS_RESET, "not in RESET");
			pair.end[i].psn = rnd() & 0xffffff;
		}
	}
	pair_close(&pair);
}

/* All that is not newer than the extended query. */
#define ALL_ATTRS ((IBV_QP_DEST_QPN << 1) - 1)

#define EQUAL(field, value)							\
	CHECK((attr.field) == (value), "%s: " #field " is %lld, not %lld", what,	\
	      (long long)attr.field, (long long)(value))

static void check_query(struct end *end, const struct pair_opts *opts, int access,
			enum ibv_qp_state state, const char *what)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	memset(&attr, 0xee, sizeof(attr));
	memset(&init, 0xee, sizeof(init));
	if (!CHECK(!ibv_query_qp(end->qp, &attr, ALL_ATTRS, &init), "%s: ibv_query_qp", what))
		return;
	EQUAL(qp_state, state);
	EQUAL(cur_qp_state, state);
	EQUAL(cap.max_send_wr, end->cap.max_send_wr);
	EQUAL(cap.max_recv_wr, end->cap.max_recv_wr);
	EQUAL(cap.max_send_sge, end->cap.max_send_sge);
	EQUAL(cap.max_recv_sge, end->cap.max_recv_sge);
	EQUAL(cap.max_inline_data, end->cap.max_inline_data);
	CHECK(init.qp_type == IBV_QPT_RC && init.send_cq == end->scq && init.recv_cq == end->rcq &&
	      init.sq_sig_all == opts->sig_all, "%s: initial attributes", what);
	if (state == IBV_QPS_RESET)
		return;
	EQUAL(port_num, PORT_NUM);
	EQUAL(pkey_index, 0);
	attr.qp_access_flags &= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	EQUAL(qp_access_flags, (unsigned int)access);
	if (state == IBV_QPS_INIT)
		return;
	EQUAL(path_mtu, opts->pmtu);
	EQUAL(dest_qp_num, end->peer->qp->qp_num);
	EQUAL(max_dest_rd_atomic, opts->rd_atomic);
	EQUAL(min_rnr_timer, opts->min_rnr_timer);
	EQUAL(ah_attr.is_global, 1);
	EQUAL(ah_attr.port_num, PORT_NUM);
	EQUAL(ah_attr.grh.sgid_index, end->dev->gid_index);
	EQUAL(ah_attr.grh.hop_limit, 64);
	CHECK(!memcmp(&attr.ah_attr.grh.dgid, &end->peer->dev->gid, 16), "%s: dgid", what);
	if (state == IBV_QPS_RTR) {
		EQUAL(rq_psn, end->peer->psn);
		return;
	}
	EQUAL(timeout, opts->timeout);
	EQUAL(retry_cnt, opts->retry_cnt);
	EQUAL(rnr_retry, opts->rnr_retry);
	EQUAL(sq_psn, end->psn);
	EQUAL(max_rd_atomic, opts->rd_atomic);
}

static void test_query(struct env *env, long sig_all)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *end;
	int access;

	opts.sig_all = sig_all;
	opts.timeout = 17;
	opts.retry_cnt = 5;
	opts.rnr_retry = 6;
	opts.min_rnr_timer = 9;
	opts.access[0] = sig_all ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
	access = opts.access[0];
	if (!pair_create(&pair, env, &opts))
		return;
	end = &pair.end[0];
	check_query(end, &opts, access, IBV_QPS_RESET, "in RESET");
	CHECK(!end_to_init(end, &opts, access), "to INIT");
	check_query(end, &opts, access, IBV_QPS_INIT, "in INIT");
	CHECK(!end_to_init(&pair.end[1], &opts, access), "to INIT");
	CHECK(!end_to_rtr(end, &opts, pair.end[1].qp->qp_num), "to RTR");
	check_query(end, &opts, access, IBV_QPS_RTR, "in RTR");
	CHECK(!end_to_rts(end, &opts), "to RTS");
	check_query(end, &opts, access, IBV_QPS_RTS, "in RTS");
	CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
	CHECK(end_state(end) == IBV_QPS_ERR, "not in ERR");
	pair_close(&pair);
}

/* Refused, and the state is what it was. */
static void refuse(struct end *end, struct ibv_qp_attr attr, int mask, const char *what)
{
	int before = end_state(end);
	int err = ibv_modify_qp(end->qp, &attr, mask);

	CHECK(err > 0, "%s: %s", what, err ? "negative errno" : "was taken");
	CHECK(end_state(end) == before, "%s: state changed from %d to %d", what, before,
	      end_state(end));
}

#define INIT_MASK (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)

static void refuse_in_reset(struct end *end, const struct pair_opts *opts)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT_NUM };
	struct ibv_qp_attr rtr, rts;
	int rtr_mask = end_fill_rtr(end, opts, end->peer->qp->qp_num, &rtr);
	int rts_mask = end_fill_rts(end, opts, &rts);

	refuse(end, rtr, rtr_mask, "RESET to RTR");
	refuse(end, rts, rts_mask, "RESET to RTS");
	refuse(end, attr, INIT_MASK & ~IBV_QP_PORT, "INIT without a port");
	refuse(end, attr, INIT_MASK & ~IBV_QP_PKEY_INDEX, "INIT without a P_Key index");
	refuse(end, attr, INIT_MASK & ~IBV_QP_ACCESS_FLAGS, "INIT without access flags");
	refuse(end, attr, INIT_MASK | IBV_QP_DEST_QPN, "INIT with a destination");
	attr.port_num = 2;
	refuse(end, attr, INIT_MASK, "INIT with port 2");
	attr.port_num = 0;
	refuse(end, attr, INIT_MASK, "INIT with port 0");
	attr.port_num = PORT_NUM;
	attr.pkey_index = 1000;
	refuse(end, attr, INIT_MASK, "INIT with P_Key index 1000");
	attr.pkey_index = 0;
	attr.qp_state = IBV_QPS_SQD;
	refuse(end, attr, IBV_QP_STATE, "RESET to SQD");
	attr.qp_state = 17;
	refuse(end, attr, IBV_QP_STATE, "state 17");
}

static void refuse_in_init(struct end *end, const struct pair_opts *opts)
{
	uint32_t qpn = end->peer->qp->qp_num;
	struct ibv_qp_attr good, attr;
	int mask = end_fill_rtr(end, opts, qpn, &good);
	struct ibv_qp_attr rts;
	int rts_mask = end_fill_rts(end, opts, &rts);

	refuse(end, rts, rts_mask, "INIT to RTS");
	refuse(end, good, mask & ~IBV_QP_AV, "RTR without an address");
	refuse(end, good, mask & ~IBV_QP_PATH_MTU, "RTR without a path MTU");
	refuse(end, good, mask & ~IBV_QP_DEST_QPN, "RTR without a destination QPN");
	refuse(end, good, mask & ~IBV_QP_RQ_PSN, "RTR without a PSN");
	refuse(end, good, mask & ~IBV_QP_MIN_RNR_TIMER, "RTR without an RNR timer");
	refuse(end, good, mask | IBV_QP_SQ_PSN, "RTR with a send PSN");
	attr = good;
	attr.path_mtu = 0;
	refuse(end, attr, mask, "path MTU 0");
	attr.path_mtu = IBV_MTU_4096 + 1;
	refuse(end, attr, mask, "path MTU 6");
	attr = good;
	attr.ah_attr.is_global = 0;
	refuse(end, attr, mask, "RTR without a GRH");
	attr = good;
	attr.ah_attr.grh.sgid_index = 255;
	refuse(end, attr, mask, "GID index 255");
	attr = good;
	attr.ah_attr.port_num = 2;
	refuse(end, attr, mask, "address with port 2");
	if (end->dev->attr.max_qp_rd_atom < 255) {
		attr = good;
		attr.max_dest_rd_atomic = end->dev->attr.max_qp_rd_atom + 1;
		refuse(end, attr, mask, "more inbound READs than the device can");
	}
	attr = good;
	attr.min_rnr_timer = 32;
	refuse(end, attr, mask, "RNR timer 32");
}

static void refuse_in_rtr(struct end *end, const struct pair_opts *opts)
{
	struct ibv_qp_attr good, attr, rtr;
	int mask = end_fill_rts(end, opts, &good);
	int rtr_mask = end_fill_rtr(end, opts, end->peer->qp->qp_num, &rtr);

	refuse(end, rtr, rtr_mask, "RTR to RTR");
	refuse(end, good, mask & ~IBV_QP_TIMEOUT, "RTS without a timeout");
	refuse(end, good, mask & ~IBV_QP_RETRY_CNT, "RTS without a retry count");
	refuse(end, good, mask & ~IBV_QP_RNR_RETRY, "RTS without an RNR retry count");
	refuse(end, good, mask & ~IBV_QP_SQ_PSN, "RTS without a PSN");
	refuse(end, good, mask & ~IBV_QP_MAX_QP_RD_ATOMIC, "RTS without a READ limit");
	attr = good;
	attr.timeout = 32;
	refuse(end, attr, mask, "timeout 32");
	attr = good;
	attr.retry_cnt = 8;
	refuse(end, attr, mask, "retry count 8");
	attr = good;
	attr.rnr_retry = 8;
	refuse(end, attr, mask, "RNR retry count 8");
	if (end->dev->attr.max_qp_init_rd_atom < 255) {
		attr = good;
		attr.max_rd_atomic = end->dev->attr.max_qp_init_rd_atom + 1;
		refuse(end, attr, mask, "more READs than the device can");
	}
}

static void test_refused(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr rtr;
	struct pair pair;
	struct end *end;
	int mask;

	(void)arg;
	if (!pair_create(&pair, env, &opts))
		return;
	end = &pair.end[0];
	refuse_in_reset(end, &opts);
	CHECK(!end_to_init(end, &opts, opts.access[0]), "to INIT");
	CHECK(!end_to_init(&pair.end[1], &opts, opts.access[1]), "to INIT");
	refuse_in_init(end, &opts);
	CHECK(!end_to_rtr(end, &opts, pair.end[1].qp->qp_num), "to RTR");
	CHECK(!end_to_rtr(&pair.end[1], &opts, end->qp->qp_num), "to RTR");
	refuse_in_rtr(end, &opts);
	CHECK(!end_to_rts(end, &opts), "to RTS");
	CHECK(!end_to_rts(&pair.end[1], &opts), "to RTS");
	mask = end_fill_rtr(end, &opts, pair.end[1].qp->qp_num, &rtr);
	refuse(end, rtr, mask, "RTS to RTR");
	/* None of it has done any harm. */
	one_each_way(&pair, "after refusals");
	CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
	refuse(end, (struct ibv_qp_attr) { .qp_state = IBV_QPS_RTS }, IBV_QP_STATE, "ERR to RTS");
	pair_close(&pair);
}

/* Sends posted below RTS are refused (IBA 10.3.1.2) and never executed later. */
static void test_early_send(struct env *env, long state)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr = {
		.wr_id = 77, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	struct pair pair;
	struct end *end;

	if (!pair_create(&pair, env, &opts))
		return;
	end = &pair.end[0];
	if (state != IBV_QPS_RESET)
		CHECK(!end_to_init(end, &opts, opts.access[0]), "to INIT");
	if (state == IBV_QPS_RTR)
		CHECK(!end_to_rtr(end, &opts, pair.end[1].qp->qp_num), "to RTR");
	CHECK(end_post_send(end, &wr) > 0, "post_send below RTS was taken");
	if (state == IBV_QPS_RTR)
		CHECK(!end_to_state(end, IBV_QPS_RESET), "back to RESET");
	if (state == IBV_QPS_INIT)
		CHECK(!end_to_state(end, IBV_QPS_RESET), "back to RESET");
	if (pair_connect(&pair))
		one_each_way(&pair, "after an early send");
	end_expect_none(&pair.end[0], "at the end");
	end_expect_none(&pair.end[1], "at the end");
	pair_close(&pair);
}

/* A QP in RTR receives (IBA 10.3.1.3); the receive was posted in INIT. */
static void test_receive_in_rtr(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	struct pair pair;

	(void)arg;
	if (!pair_create(&pair, env, &opts))
		return;
	CHECK(end_post_recv(&pair.end[1], 2, NULL, 0) > 0, "post_recv in RESET was taken");
	CHECK(!end_to_init(&pair.end[0], &opts, opts.access[0]), "to INIT");
	CHECK(!end_to_init(&pair.end[1], &opts, opts.access[1]), "to INIT");
	CHECK(!end_post_recv(&pair.end[1], 2, NULL, 0), "post_recv in INIT");
	CHECK(!end_to_rtr(&pair.end[0], &opts, pair.end[1].qp->qp_num), "to RTR");
	CHECK(!end_to_rtr(&pair.end[1], &opts, pair.end[0].qp->qp_num), "to RTR");
	CHECK(!end_to_rts(&pair.end[0], &opts), "to RTS");
	if (!tap_failed() && CHECK(!end_post_send(&pair.end[0], &wr), "post_send")) {
		end_expect_status(&pair.end[0], false, 1, IBV_WC_SUCCESS, "send");
		end_expect_status(&pair.end[1], true, 2, IBV_WC_SUCCESS, "receive in RTR");
		/* IBA 11.6.3.1: the first message in RTR is an event. */
		CHECK(device_event(pair.end[1].dev, pair.end[1].qp, IBV_EVENT_COMM_EST, 2000),
		      "no \"communication established\" event");
	}
	pair_close(&pair);
}

/* SQD, send queue drained (IBA 10.3.1.5): finishes what runs, begins nothing, goes on in RTS. */
static void test_drain(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	struct pair pair;
	struct end *end;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	end = &pair.end[0];
	if (!one_each_way(&pair, "before"))
		goto out_close;
	if (!CHECK(!ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY),
		   "to SQD"))
		goto out_close;
	CHECK(device_event(end->dev, end->qp, IBV_EVENT_SQ_DRAINED, 2000), "no SQ_DRAINED event");
	CHECK(end_state(end) == IBV_QPS_SQD, "state is %d", end_state(end));
	CHECK(!end_post_recv(&pair.end[1], 2, NULL, 0), "post_recv");
	if (CHECK(!end_post_send(end, &wr), "post_send in SQD")) {
		sleep_msec(100);
		end_expect_none(end, "in SQD");
		end_expect_none(&pair.end[1], "in SQD");
	}
	if (CHECK(!end_to_state(end, IBV_QPS_RTS), "back to RTS")) {
		end_expect_status(end, false, 1, IBV_WC_SUCCESS, "posted in SQD");
		end_expect_status(&pair.end[1], true, 2, IBV_WC_SUCCESS, "receive");
		one_each_way(&pair, "after");
	}
out_close:
	pair_close(&pair);
}

/* The optional attributes of RTS to RTS take effect. */
static void test_modify_in_rts(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .min_rnr_timer = 20,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_qp_init_attr init;
	struct pair pair;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	CHECK(!ibv_modify_qp(pair.end[0].qp, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER |
			     IBV_QP_ACCESS_FLAGS), "RTS to RTS");
	CHECK(!ibv_query_qp(pair.end[0].qp, &attr, ALL_ATTRS, &init), "query");
	CHECK(attr.min_rnr_timer == 20, "min_rnr_timer is %u", attr.min_rnr_timer);
	CHECK((attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) &&
	      !(attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE), "access flags are 0x%x",
	      attr.qp_access_flags);
	one_each_way(&pair, "after");
	pair_close(&pair);
}

const struct test state_tests[] = {
	{ "states/cycle", test_cycle, 0, 0 },
	{ "states/query", test_query, 0, 0 },
	{ "states/query-sig-all", test_query, 1, 0 },
	{ "states/refused", test_refused, 0, 0 },
	{ "states/send-in-reset", test_early_send, IBV_QPS_RESET, 0 },
	{ "states/send-in-init", test_early_send, IBV_QPS_INIT, 0 },
	{ "states/send-in-rtr", test_early_send, IBV_QPS_RTR, 0 },
	{ "states/receive-in-rtr", test_receive_in_rtr, 0, 0 },
	{ "states/drain", test_drain, 0, 0 },
	{ "states/modify-in-rts", test_modify_in_rts, 0, 0 },
	{ }
};

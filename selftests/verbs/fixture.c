// SPDX-License-Identifier: GPL-2.0
/*
 * Makes, connects and destroys pairs of queue pairs. Both ends live in this
 * process, so nothing has to be exchanged out of band.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "data.h"
#include "fixture.h"
#include "tap.h"

#define PSN_MASK 0xffffffu

unsigned int pair_max_sge(const struct env *env)
{
	unsigned int n = MAX_SGE;
	int i;

	for (i = 0; i < 2; i++) {
		if ((unsigned int)env->dev[i].attr.max_sge < n)
			n = env->dev[i].attr.max_sge;
	}
	return n;
}

static enum ibv_mtu largest_mtu(const struct env *env)
{
	enum ibv_mtu a = env->dev[0].port.active_mtu, b = env->dev[1].port.active_mtu;

	return a < b ? a : b;
}

struct pair_opts pair_defaults(const struct env *env)
{
	int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	enum ibv_mtu mtu = largest_mtu(env);

	return (struct pair_opts) {
		.pmtu = mtu < IBV_MTU_1024 ? mtu : IBV_MTU_1024,
		.send_wr = 32,
		.recv_wr = 32,
		.sge = 4,
		/* 67 ms when packets are lost on purpose, else 1 s: guests are slow. */
		.timeout = env->timeout ? env->timeout : env->lossy ? 14 : 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 12,
		.rd_atomic = 4,
		.access = { all, all },
	};
}

bool skip_if_lost(const struct env *env, bool uc)
{
	if (env->lossy && uc)
		tap_skip("UC loses messages here, see uc/stream");
	return env->lossy && uc;
}

static bool create_cqs(struct end *end, const struct pair_opts *opts)
{
	end->chan = ibv_create_comp_channel(end->dev->ctx);
	if (!CHECK(end->chan, "ibv_create_comp_channel: %s", strerror(errno)))
		return false;
	end->scq = ibv_create_cq(end->dev->ctx, 2 * opts->send_wr + 8, NULL, end->chan, 0);
	end->rcq = ibv_create_cq(end->dev->ctx, 2 * opts->recv_wr + 8, NULL, end->chan, 0);
	return CHECK(end->scq && end->rcq, "ibv_create_cq: %s", strerror(errno));
}

bool end_create_qp(struct end *end, const struct pair_opts *opts, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = end->scq,
		.recv_cq = end->rcq,
		.srq = srq,
		.cap = {
			.max_send_wr = opts->send_wr,
			.max_recv_wr = opts->recv_wr,
			.max_send_sge = opts->sge,
			.max_recv_sge = opts->sge,
			.max_inline_data = opts->inline_bytes,
		},
		.qp_type = opts->uc ? IBV_QPT_UC : IBV_QPT_RC,
		.sq_sig_all = opts->sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = end->dev->pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
	};

	if (!opts->uc)
		attr.send_ops_flags |= IBV_QP_EX_WITH_RDMA_READ |
				       IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
				       IBV_QP_EX_WITH_ATOMIC_WRITE |
				       IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV |
				       IBV_QP_EX_WITH_SEND_WITH_INV;
	if (opts->wr_api) {
		end->qp = ibv_create_qp_ex(end->dev->ctx, &attr);
		end->qpx = end->qp ? ibv_qp_to_qp_ex(end->qp) : NULL;
	} else {
		/* The extended attributes begin with the fields of the plain ones. */
		end->qp = ibv_create_qp(end->dev->pd, (struct ibv_qp_init_attr *)&attr);
		end->qpx = NULL;
	}
	if (!CHECK(end->qp, "create QP (%u/%u WRs, %u SGEs, %u inline): %s", opts->send_wr,
		   opts->recv_wr, opts->sge, opts->inline_bytes, strerror(errno)))
		return false;
	end->cap = attr.cap;
	return CHECK(end->cap.max_send_wr >= opts->send_wr &&
		     (srq || end->cap.max_recv_wr >= opts->recv_wr) &&
		     end->cap.max_send_sge >= opts->sge &&
		     (srq || end->cap.max_recv_sge >= opts->sge) &&
		     end->cap.max_inline_data >= opts->inline_bytes,
		     "granted less than asked for");
}

bool pair_create(struct pair *pair, struct env *env, const struct pair_opts *opts)
{
	int i;

	memset(pair, 0, sizeof(*pair));
	pair->env = env;
	pair->opts = *opts;
	for (i = 0; i < 2; i++) {
		struct end *end = &pair->end[i];

		end->dev = &env->dev[i];
		end->peer = &pair->end[!i];
		end->events = opts->events;
		end->wait_msec = env->wait_msec;
		/* Every second PSN is close to the wrap of 24 bits. */
		end->psn = rnd() & PSN_MASK;
		if (rnd() & 1)
			end->psn = PSN_MASK - rnd_below(100);
		device_drain_events(end->dev);
		if (!create_cqs(end, opts) || !end_create_qp(end, opts, i ? opts->srq : NULL)) {
			pair_close(pair);
			return false;
		}
	}
	return true;
}

void end_destroy_qp(struct end *end)
{
	int err;

	if (!end->qp)
		return;
	err = ibv_destroy_qp(end->qp);
	CHECK(!err, "ibv_destroy_qp: %s", strerror(err));
	end->qp = NULL;
	end->qpx = NULL;
}

void pair_close(struct pair *pair)
{
	int i, err;

	for (i = 0; i < 2; i++) {
		struct end *end = &pair->end[i];

		end_destroy_qp(end);
		err = end->scq ? ibv_destroy_cq(end->scq) : 0;
		CHECK(!err, "ibv_destroy_cq: %s", strerror(err));
		err = end->rcq ? ibv_destroy_cq(end->rcq) : 0;
		CHECK(!err, "ibv_destroy_cq: %s", strerror(err));
		err = end->chan ? ibv_destroy_comp_channel(end->chan) : 0;
		CHECK(!err, "ibv_destroy_comp_channel: %s", strerror(err));
	}
	memset(pair, 0, sizeof(*pair));
}

int end_to_init(struct end *end, const struct pair_opts *opts, int access)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT_NUM,
		.qp_access_flags = access,
	};

	(void)opts;
	return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS);
}

int end_fill_rtr(struct end *end, const struct pair_opts *opts, uint32_t dest_qpn,
		 struct ibv_qp_attr *attr)
{
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	*attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = opts->pmtu,
		.dest_qp_num = dest_qpn,
		.rq_psn = end->peer->psn,
		.max_dest_rd_atomic = opts->rd_atomic,
		.min_rnr_timer = opts->min_rnr_timer,
		.ah_attr = {
			.is_global = 1,
			.port_num = PORT_NUM,
			.grh = {
				.dgid = end->peer->dev->gid,
				.sgid_index = end->dev->gid_index,
				.hop_limit = 64,
			},
		},
	};
	return opts->uc ? mask : mask | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

int end_to_rtr(struct end *end, const struct pair_opts *opts, uint32_t dest_qpn)
{
	struct ibv_qp_attr attr;
	int mask = end_fill_rtr(end, opts, dest_qpn, &attr);

	return ibv_modify_qp(end->qp, &attr, mask);
}

int end_fill_rts(struct end *end, const struct pair_opts *opts, struct ibv_qp_attr *attr)
{
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	*attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.timeout = opts->timeout,
		.retry_cnt = opts->retry_cnt,
		.rnr_retry = opts->rnr_retry,
		.sq_psn = end->psn,
		.max_rd_atomic = opts->rd_atomic,
	};
	return opts->uc ? mask : mask | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				 IBV_QP_MAX_QP_RD_ATOMIC;
}

int end_to_rts(struct end *end, const struct pair_opts *opts)
{
	struct ibv_qp_attr attr;
	int mask = end_fill_rts(end, opts, &attr);

	return ibv_modify_qp(end->qp, &attr, mask);
}

bool pair_connect(struct pair *pair)
{
	int i, err;

	for (i = 0; i < 2; i++) {
		err = end_to_init(&pair->end[i], &pair->opts, pair->opts.access[i]);
		if (!CHECK(!err, "to INIT: %s", strerror(err)))
			return false;
	}
	for (i = 0; i < 2; i++) {
		struct end *end = &pair->end[i];

		err = end_to_rtr(end, &pair->opts, end->peer->qp->qp_num);
		if (!CHECK(!err, "to RTR: %s", strerror(err)))
			return false;
	}
	for (i = 0; i < 2; i++) {
		err = end_to_rts(&pair->end[i], &pair->opts);
		if (!CHECK(!err, "to RTS: %s", strerror(err)))
			return false;
	}
	return true;
}

bool pair_open(struct pair *pair, struct env *env, const struct pair_opts *opts)
{
	if (!pair_create(pair, env, opts))
		return false;
	if (pair_connect(pair))
		return true;
	pair_close(pair);
	return false;
}

int end_to_state(struct end *end, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE);
}

int end_state(struct end *end)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(end->qp, &attr, IBV_QP_STATE, &init))
		return -1;
	return attr.qp_state;
}

bool end_wait_state(struct end *end, enum ibv_qp_state state, const char *what)
{
	uint64_t deadline = now_msec() + end->wait_msec;
	int got;

	do {
		got = end_state(end);
		if (got == (int)state)
			return true;
		sched_yield();
	} while (now_msec() < deadline);
	return CHECK(false, "%s: QP state is %d, not %d", what, got, state);
}

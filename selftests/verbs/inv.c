// SPDX-License-Identifier: GPL-2.0
/*
 * LOCAL_INV and SEND with invalidate: what they end, whom they obey, and that nobody
 * touches the memory once they are complete (IBA 10.6.5, 9.4.1).
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "mw_fixture.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define REGION_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

static int post_send_inv(struct end *end, bool wr_api, struct ibv_sge *sge, uint32_t key)
{
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = sge, .num_sge = !!sge, .opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED, .invalidate_rkey = key,
	};
	struct ibv_send_wr *bad;

	if (!wr_api)
		return ibv_post_send(end->qp, &wr, &bad);
	ibv_wr_start(end->qpx);
	end->qpx->wr_id = 1;
	end->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send_inv(end->qpx, key);
	ibv_wr_set_sge_list(end->qpx, !!sge, sge);
	return ibv_wr_complete(end->qpx);
}

/* The receive completes with data, flag and key. */
static bool expect_inv(struct end *end, uint64_t wr_id, uint32_t len, uint32_t key)
{
	struct ibv_wc wc;

	if (!CHECK(end_wait_wc(end, end->rcq, &wc), "no completion of the receive"))
		return false;
	return CHECK(wc.status == IBV_WC_SUCCESS, "receive: %s", ibv_wc_status_str(wc.status)) &&
	       CHECK(wc.wr_id == wr_id && wc.byte_len == len && wc.opcode == IBV_WC_RECV &&
		     wc.qp_num == end->qp->qp_num, "wr_id %llu, %u bytes, opcode %d",
		     (unsigned long long)wc.wr_id, wc.byte_len, wc.opcode) &&
	       CHECK((wc.wc_flags & ~IBV_WC_GRH) == IBV_WC_WITH_INV, "wc_flags 0x%x",
		     wc.wc_flags) &&
	       CHECK(wc.invalidated_rkey == key, "key 0x%x, not 0x%x", wc.invalidated_rkey, key);
}

/* A key that was valid is over. */
static void expect_over(struct stage *s, const struct binding *b)
{
	CHECK(!stage_post(s, IBV_WR_RDMA_WRITE, 1, s->key, b->addr, 10), "post");
	stage_refused(s, "key that was invalidated");
}

static void test_local(struct env *env, long api)
{
	struct pair_opts opts = mw_opts(env);
	struct expect expect = { .wr_id = 2, .opcode = IBV_WC_LOCAL_INV };
	struct ibv_send_wr wr = { .wr_id = 2, .opcode = IBV_WR_LOCAL_INV,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct binding b;
	struct stage s;
	int i;

	if (stage_open(&s, env, IBV_MW_TYPE_2, &opts, REGION_ACCESS)) {
		struct end *end = &s.pair.end[1];

		for (i = 0; i < 10; i++) {
			b = stage_binding(&s);
			if (!stage_bind(&s, &b) || !stage_write(&s, s.key, b.addr, 1000, 2000))
				break;
			wr.invalidate_rkey = s.key;
			CHECK(!(api ? stage_local_inv(end, 2, s.key) :
				      ibv_post_send(end->qp, &wr, &bad)), "post");
			end_expect(end, &expect, "LOCAL_INV");
		}
		expect_over(&s, &b);
	}
	stage_close(&s);
}

/* Lengths of one, of several, and of no packet. */
static void test_remote(struct env *env, long api)
{
	static const uint32_t lens[] = { 0, 1, 1024, 1025, 5000 };
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;
	unsigned int i;

	if (stage_open(&s, env, IBV_MW_TYPE_2, &opts, REGION_ACCESS)) {
		struct end *end = &s.pair.end[1];

		for (i = 0; i < 5 && !tap_failed(); i++) {
			struct ibv_sge from = { (uintptr_t)s.local.mem, lens[i], s.local.mr->lkey };
			struct ibv_sge to = { (uintptr_t)s.region.mem, lens[i] + 7,
					      s.region.mr->lkey };
			struct layout there = { .buf = &s.region, .count = 1 };

			b = stage_binding(&s);
			if (!stage_bind(&s, &b) || !stage_write(&s, s.key, b.addr, 1000, 2000))
				break;
			CHECK(!end_post_recv(end, 40 + i, &to, 1), "post_recv");
			CHECK(!post_send_inv(end->peer, api, lens[i] ? &from : NULL, s.key),
			      "post of %u bytes", lens[i]);
			end_expect_status(end->peer, false, 1, IBV_WC_SUCCESS, "SEND");
			expect_inv(end, 40 + i, lens[i], s.key);
			to.length = lens[i];
			there.sge[0] = to;
			there.total = lens[i];
			layout_expect(&there, s.local.mem);
			buf_check(&s.region, "what was received");
		}
		expect_over(&s, &b);
	}
	stage_close(&s);
}

/* ---- what cannot be invalidated ---- */

enum inv_fault { WRONG, VARIANT, FREE_WINDOW, REGION, TYPE_1, OTHER_QP, OTHER_PD, ZERO, TWICE };

/* A window that somebody else has bound; its key. */
struct foreign {
	struct device saved;
	struct ibv_pd *pd;
	struct stage stage;
};

static uint32_t foreign_open(struct foreign *f, struct env *env, bool other_pd)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;

	memset(f, 0, sizeof(*f));
	f->saved = env->dev[1];
	f->pd = ibv_alloc_pd(env->dev[1].ctx);
	if (!CHECK(f->pd, "ibv_alloc_pd"))
		return 0;
	if (other_pd)
		env->dev[1].pd = f->pd;
	if (!stage_open(&f->stage, env, IBV_MW_TYPE_2, &opts, REGION_ACCESS))
		return 0;
	b = stage_binding(&f->stage);
	stage_bind(&f->stage, &b);
	env->dev[1].pd = f->saved.pd;
	return f->stage.key;
}

/* What is another's stays valid. */
static void foreign_close(struct foreign *f, struct env *env)
{
	if (f->stage.key)
		stage_write(&f->stage, f->stage.key, (uintptr_t)f->stage.region.mem + 1000, 1000,
			    500);
	stage_close(&f->stage);
	env->dev[1] = f->saved;
	if (f->pd)
		CHECK(!ibv_dealloc_pd(f->pd), "ibv_dealloc_pd: %s", strerror(errno));
}

/* Return: a key that must not be invalidated by the QPs of @s. */
static uint32_t bad_key(struct stage *s, enum inv_fault fault)
{
	struct binding b = stage_binding(s);

	if (fault != FREE_WINDOW)
		stage_bind(s, &b);
	switch (fault) {
	case WRONG:
		return s->key + 0x7654300;
	case VARIANT:
		return s->key ^ 1;
	case REGION:
		return s->region.mr->rkey;
	case ZERO:
		return 0;
	case TWICE:
		CHECK(!stage_local_inv(&s->pair.end[1], 2, s->key), "post");
		end_expect_status(&s->pair.end[1], false, 2, IBV_WC_SUCCESS, "LOCAL_INV");
		return s->key;
	default:
		return s->key;
	}
}

/* The owner's own invalidation completes in error; the peer hears nothing. */
static void check_local_fault(struct stage *s, uint32_t key)
{
	CHECK(!stage_local_inv(&s->pair.end[1], 1, key), "post");
	stage_bind_fails(&s->pair.end[1], "LOCAL_INV");
}

/* The peer gets "remote access error"; the receive that it hit is flushed. */
static void check_remote_fault(struct stage *s, uint32_t key)
{
	struct end *end = &s->pair.end[1];

	CHECK(!end_post_recv(end, 11, NULL, 0), "post_recv");
	CHECK(!post_send_inv(end->peer, true, NULL, key), "post");
	stage_refused(s, "SEND with invalidate");
	end_expect_status(end, true, 11, IBV_WC_WR_FLUSH_ERR, "receive");
}

static void run_fault(struct env *env, enum inv_fault fault, bool remote)
{
	bool is_foreign = fault == OTHER_QP || fault == OTHER_PD;
	struct pair_opts opts = mw_opts(env);
	struct foreign foreign;
	struct stage s;
	uint32_t key;

	if (stage_open(&s, env, fault == TYPE_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2, &opts,
		       REGION_ACCESS)) {
		key = is_foreign ? foreign_open(&foreign, env, fault == OTHER_PD) :
				   bad_key(&s, fault);
		if (remote)
			check_remote_fault(&s, key);
		else
			check_local_fault(&s, key);
		if (is_foreign)
			foreign_close(&foreign, env);
	}
	stage_close(&s);
}

static void test_fault(struct env *env, long fault)
{
	run_fault(env, fault, false);
	run_fault(env, fault, true);
}

/* ---- what a transport has not ---- */

static void test_uc_send(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct pair pair;

	(void)arg;
	opts.uc = true;
	opts.wr_api = false;
	opts.access[0] = opts.access[1] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	if (!pair_open(&pair, env, &opts))
		return;
	CHECK(!post_send_inv(&pair.end[0], false, NULL, 0x1234), "post");
	end_expect_status(&pair.end[0], false, 1, IBV_WC_LOC_QP_OP_ERR, "SEND with invalidate");
	end_wait_state(&pair.end[0], IBV_QPS_SQE, "requester");
	end_expect_none(&pair.end[1], "responder");
	pair_close(&pair);
}

static void test_ud(struct env *env, long opcode)
{
	struct ibv_device *dev = env->dev[0].ctx->device;
	struct ibv_cq *cq = ibv_create_cq(env->dev[0].ctx, 4, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT_NUM, .qkey = 1 };
	/* The provider looks into region and window of a bind. */
	struct ibv_mr mr = { .context = env->dev[0].ctx, .pd = env->dev[0].pd, .lkey = 1 };
	struct ibv_mw mw = { .context = env->dev[0].ctx, .pd = env->dev[0].pd, .rkey = 2,
			     .type = IBV_MW_TYPE_2 };
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_ah_attr ah_attr = {
		.is_global = 1, .port_num = PORT_NUM,
		.grh = { .dgid = env->dev[1].gid, .sgid_index = env->dev[0].gid_index,
			 .hop_limit = 64 },
	};
	struct ibv_send_wr *bad;
	struct ibv_qp *qp = cq ? ibv_create_qp(env->dev[0].pd, &init) : NULL;
	uint64_t deadline = now_msec() + env->wait_msec;
	struct ibv_wc wc;

	if (!CHECK(qp, "a UD QP on %s", ibv_get_device_name(dev)))
		return;
	/* It looks at the address of any request of a UD QP, too. */
	wr.wr.ud.ah = ibv_create_ah(env->dev[0].pd, &ah_attr);
	CHECK(wr.wr.ud.ah, "ibv_create_ah: %s", strerror(errno));
	if (opcode == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = &mw;
		wr.bind_mw.bind_info.mr = &mr;
	}
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_QKEY), "to INIT");
	attr.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE), "to RTR");
	attr.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "to RTS");
	if (!ibv_post_send(qp, &wr, &bad)) {
		while (!ibv_poll_cq(cq, 1, &wc) && now_msec() < deadline)
			sched_yield();
		CHECK(now_msec() < deadline && wc.status == IBV_WC_LOC_QP_OP_ERR, "no error");
	}
	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq) && !ibv_destroy_ah(wr.wr.ud.ah),
	      "destroy");
}

/* ---- while the memory is used ---- */

#define STREAM_BYTES	(256 * 1024)
#define DEPTH		16

/* How a key ends. */
enum end_by { BY_LOCAL_INV, BY_SEND_INV, BY_DEALLOC, BY_REBIND };

struct stream {
	struct pair pair;
	struct buf target, source;
	struct ibv_mw *mw;
	uint32_t key;
};

static bool stream_open(struct stream *st, struct env *env, enum end_by by)
{
	struct pair_opts opts = mw_opts(env);
	enum ibv_mw_type type = by == BY_REBIND ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;
	struct binding b;

	memset(st, 0, sizeof(*st));
	if (!buf_open(&st->target, env->dev[1].pd, STREAM_BYTES, REGION_ACCESS) ||
	    !buf_open(&st->source, env->dev[0].pd, STREAM_BYTES, 0))
		return false;
	st->mw = ibv_alloc_mw(env->dev[1].pd, type);
	if (!CHECK(st->mw, "ibv_alloc_mw: %s", strerror(errno)) ||
	    !pair_open(&st->pair, env, &opts))
		return false;
	b = (struct binding) {
		.addr = (uintptr_t)st->target.mem, .len = STREAM_BYTES,
		.access = IBV_ACCESS_REMOTE_WRITE, .lkey = st->target.mr->lkey,
		.mw_rkey = st->mw->rkey, .rkey = ibv_inc_rkey(st->mw->rkey),
	};
	st->key = b.rkey;
	CHECK(!stage_post_bind(&st->pair.end[1], 3, &b), "post of a bind");
	return end_expect_status(&st->pair.end[1], false, 3, IBV_WC_SUCCESS, "bind");
}

static void stream_close(struct stream *st)
{
	pair_close(&st->pair);
	if (st->mw)
		CHECK(!ibv_dealloc_mw(st->mw), "ibv_dealloc_mw");
	buf_close(&st->target);
	buf_close(&st->source);
}

static void stream_write(struct stream *st)
{
	struct ibv_sge sge = { (uintptr_t)st->source.mem, STREAM_BYTES, st->source.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = 100, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)st->target.mem, st->key },
	};
	size_t i;

	for (i = 0; i < STREAM_BYTES; i += 64)
		st->source.mem[i]++;
	end_post_send(&st->pair.end[0], &wr);
}

/* From when this returns on the peer must not write. */
static void stream_end(struct stream *st, enum end_by by)
{
	struct end *end = &st->pair.end[1];
	struct binding none = { .mw_rkey = st->key, .rkey = st->key ^ 1 };

	switch (by) {
	case BY_LOCAL_INV:
		CHECK(!stage_local_inv(end, 4, st->key), "post");
		end_expect_status(end, false, 4, IBV_WC_SUCCESS, "LOCAL_INV");
		break;
	case BY_SEND_INV:
		/* in order behind the WRITEs of the peer: the last one that is permitted */
		CHECK(!post_send_inv(&st->pair.end[0], true, NULL, st->key), "post");
		stream_write(st);
		expect_inv(end, 5, 0, st->key);
		break;
	case BY_DEALLOC:
		CHECK(!ibv_dealloc_mw(st->mw), "ibv_dealloc_mw");
		st->mw = NULL;
		break;
	default:
		CHECK(!stage_post_bind(end, 4, &none), "post");
		end_expect_status(end, false, 4, IBV_WC_SUCCESS, "unbinding");
		break;
	}
}

/* The peer writes without pause; the key ends; from then on no byte changes. */
static void test_traffic(struct env *env, long by)
{
	uint8_t *seen = malloc(STREAM_BYTES);
	struct stream st;
	struct ibv_wc wc;
	int i, round, done;

	for (round = 0; round < (env->quick ? 3 : 10) && !tap_failed(); round++) {
		if (stream_open(&st, env, by)) {
			CHECK(!end_post_recv(&st.pair.end[1], 5, NULL, 0), "post_recv");
			for (i = 0; i < DEPTH; i++)
				stream_write(&st);
			for (i = rnd_below(4); i >= 0; i--)
				end_wait_wc(&st.pair.end[0], st.pair.end[0].scq, &wc);
			stream_end(&st, by);
			memcpy(seen, st.target.mem, STREAM_BYTES);
			/* The peer has written, or tried to, until its QP is in error. */
			for (done = 0; done < 3 * DEPTH; done++) {
				if (!end_wait_wc(&st.pair.end[0], st.pair.end[0].scq, &wc) ||
				    wc.status != IBV_WC_SUCCESS)
					break;
				if (by != BY_SEND_INV)
					stream_write(&st);
			}
			CHECK(wc.status == IBV_WC_REM_ACCESS_ERR ||
			      (env->lossy && wc.status == IBV_WC_RETRY_EXC_ERR),
			      "the peer's status is \"%s\"", ibv_wc_status_str(wc.status));
			end_wait_state(&st.pair.end[1], IBV_QPS_ERR, "owner");
			CHECK(!memcmp(seen, st.target.mem, STREAM_BYTES),
			      "the peer wrote after the end of its key");
		}
		stream_close(&st);
	}
	free(seen);
}

const struct test inv_tests[] = {
	{ "inv/local", test_local, 0, 0 },
	{ "inv/local-wr-api", test_local, 1, 0 },
	{ "inv/remote", test_remote, 0, 0 },
	{ "inv/remote-wr-api", test_remote, 1, 0 },
	{ "inv/wrong", test_fault, WRONG, 0 },
	{ "inv/variant", test_fault, VARIANT, 0 },
	{ "inv/free-window", test_fault, FREE_WINDOW, 0 },
	{ "inv/region", test_fault, REGION, 0 },
	{ "inv/type-1", test_fault, TYPE_1, 0 },
	{ "inv/other-qp", test_fault, OTHER_QP, 0 },
	{ "inv/other-pd", test_fault, OTHER_PD, 0 },
	{ "inv/zero", test_fault, ZERO, 0 },
	{ "inv/twice", test_fault, TWICE, 0 },
	{ "inv/uc-send", test_uc_send, 0, 0 },
	{ "inv/ud-send", test_ud, IBV_WR_SEND_WITH_INV, 0 },
	{ "inv/ud-local", test_ud, IBV_WR_LOCAL_INV, 0 },
	{ "inv/ud-bind", test_ud, IBV_WR_BIND_MW, 0 },
	{ "inv/traffic-local", test_traffic, BY_LOCAL_INV, 0 },
	{ "inv/traffic-remote", test_traffic, BY_SEND_INV, 0 },
	{ "inv/traffic-dealloc", test_traffic, BY_DEALLOC, 0 },
	{ "inv/traffic-rebind", test_traffic, BY_REBIND, 0 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * A region, a window on it, and a peer that uses it.
 */
#include <errno.h>
#include <string.h>

#include "mw_fixture.h"
#include "op.h"
#include "tap.h"

struct pair_opts mw_opts(const struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	opts.wr_api = true;
	opts.access[0] |= IBV_ACCESS_REMOTE_ATOMIC;
	opts.access[1] |= IBV_ACCESS_REMOTE_ATOMIC;
	return opts;
}

bool stage_open(struct stage *s, struct env *env, enum ibv_mw_type type,
		const struct pair_opts *opts, int access)
{
	memset(s, 0, sizeof(*s));
	if (!buf_open(&s->region, env->dev[1].pd, STAGE_BYTES, access) ||
	    !buf_open(&s->local, env->dev[0].pd, STAGE_BYTES, IBV_ACCESS_LOCAL_WRITE))
		return false;
	s->mw = ibv_alloc_mw(env->dev[1].pd, type);
	if (!CHECK(s->mw, "ibv_alloc_mw: %s", strerror(errno)))
		return false;
	s->key = s->mw->rkey;
	return pair_open(&s->pair, env, opts);
}

void stage_close(struct stage *s)
{
	if (s->region.image)
		buf_check(&s->region, "region at the end");
	pair_close(&s->pair);
	if (s->mw)
		CHECK(!ibv_dealloc_mw(s->mw), "ibv_dealloc_mw: %s", strerror(errno));
	buf_close(&s->region);
	buf_close(&s->local);
	memset(s, 0, sizeof(*s));
}

struct binding stage_binding(const struct stage *s)
{
	return (struct binding) {
		.addr = (uintptr_t)s->region.mem + 1000, .len = 4000,
		.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
		.lkey = s->region.mr->lkey,
		.mw_rkey = s->key,
		.rkey = ibv_inc_rkey(s->key),
	};
}

/* The provider reads nothing of region and window but their keys. */
int stage_post_bind(struct end *end, uint64_t wr_id, const struct binding *b)
{
	struct ibv_mr mr = { .context = end->dev->ctx, .pd = end->dev->pd, .lkey = b->lkey };
	struct ibv_mw mw = { .context = end->dev->ctx, .pd = end->dev->pd, .rkey = b->mw_rkey,
			     .type = IBV_MW_TYPE_2 };
	struct ibv_mw_bind_info info = {
		.mr = &mr, .addr = b->addr, .length = b->len, .mw_access_flags = b->access,
	};

	ibv_wr_start(end->qpx);
	end->qpx->wr_id = wr_id;
	end->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(end->qpx, &mw, b->rkey, &info);
	return ibv_wr_complete(end->qpx);
}

bool stage_bind(struct stage *s, const struct binding *b)
{
	struct end *end = &s->pair.end[1];
	struct expect expect = { .wr_id = 77, .opcode = IBV_WC_BIND_MW };

	if (!CHECK(!stage_post_bind(end, 77, b), "post of a bind") ||
	    !end_expect(end, &expect, "bind"))
		return false;
	s->key = b->rkey;
	return true;
}

int stage_local_inv(struct end *end, uint64_t wr_id, uint32_t key)
{
	ibv_wr_start(end->qpx);
	end->qpx->wr_id = wr_id;
	end->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_local_inv(end->qpx, key);
	return ibv_wr_complete(end->qpx);
}

int stage_post(struct stage *s, enum ibv_wr_opcode opcode, uint64_t wr_id, uint32_t key,
	       uint64_t addr, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)s->local.mem, len, s->local.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = addr;
		wr.wr.atomic.rkey = key;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = key;
	}
	return end_post_send(&s->pair.end[0], &wr);
}

static bool write_back(struct stage *s, size_t at, size_t len)
{
	struct layout there = { .buf = &s->region, .count = 1, .total = len };

	there.sge[0] = (struct ibv_sge) { (uintptr_t)s->region.mem + at, len, 0 };
	layout_expect(&there, s->local.mem);
	return layout_check(&there, "written range");
}

bool stage_write(struct stage *s, uint32_t key, uint64_t addr, size_t at, size_t len)
{
	struct expect wrote = { .wr_id = 5, .opcode = IBV_WC_RDMA_WRITE };
	struct expect read = { .wr_id = 6, .opcode = IBV_WC_RDMA_READ,
			       .has_len = true, .byte_len = len };
	struct end *end = &s->pair.end[0];
	size_t i;

	for (i = 0; i < len; i++)
		s->local.mem[i] = (uint8_t)rnd();
	if (!CHECK(!stage_post(s, IBV_WR_RDMA_WRITE, 5, key, addr, len), "post of a WRITE"))
		return false;
	if (!end_expect(end, &wrote, "WRITE by a window"))
		return false;
	if (s->pair.opts.uc)
		return end_follow(end, "WRITE by a window") && write_back(s, at, len);
	if (!write_back(s, at, len))
		return false;
	memset(s->local.mem, 0, len);
	return CHECK(!stage_post(s, IBV_WR_RDMA_READ, 6, key, addr, len), "post of a READ") &&
	       end_expect(end, &read, "READ by a window") &&
	       CHECK(!memcmp(s->local.mem, s->region.mem + at, len), "READ brought other bytes");
}

void stage_refused(struct stage *s, const char *what)
{
	struct end *req = &s->pair.end[0], *rsp = &s->pair.end[1];
	struct ibv_wc wc;

	if (!CHECK(end_wait_wc(req, req->scq, &wc), "%s: no completion", what))
		return;
	if (s->pair.env->lossy && wc.status == IBV_WC_RETRY_EXC_ERR)
		return;
	CHECK(wc.status == IBV_WC_REM_ACCESS_ERR && wc.wr_id == 1, "%s: wr_id %llu: \"%s\"", what,
	      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	end_wait_state(req, IBV_QPS_ERR, what);
	end_wait_state(rsp, IBV_QPS_ERR, what);
	CHECK(device_event(rsp->dev, rsp->qp, IBV_EVENT_QP_ACCESS_ERR, 2000),
	      "%s: no QP_ACCESS_ERR at the owner", what);
	buf_check(&s->region, what);
}

void stage_bind_fails(struct end *end, const char *what)
{
	end_expect_status(end, false, 1, IBV_WC_MW_BIND_ERR, what);
	end_wait_state(end, IBV_QPS_ERR, what);
	CHECK(end_state(end->peer) == IBV_QPS_RTS, "%s: the peer left RTS", what);
	end_expect_none(end->peer, what);
}

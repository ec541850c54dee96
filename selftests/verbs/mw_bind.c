// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows: what can be bound to what, by whom and how often, and what
 * keeps a region or goes with a QP (IBA 10.6.7, 11.2.8).
 */
#include <errno.h>
#include <string.h>

#include "mw_fixture.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define REGION_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

/* ---- what works ---- */

static void test_use(struct env *env, long type)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;

	if (stage_open(&s, env, type, &opts, REGION_ACCESS)) {
		b = stage_binding(&s);
		if (stage_bind(&s, &b) &&
		    stage_write(&s, s.key, b.addr, 1000, 4000) &&
		    stage_write(&s, s.key, b.addr + 3999, 4999, 1))
			stage_write(&s, s.key, b.addr + 7, 1007, 100);
	}
	stage_close(&s);
}

/* The calls that programs use: ibv_bind_mw(), and IBV_WR_BIND_MW by ibv_post_send(). */
static void test_classic(struct env *env, long type)
{
	struct pair_opts opts = mw_opts(env);
	struct ibv_mw_bind_info info = { .length = 4000, .mw_access_flags =
		IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE };
	struct expect expect = { .wr_id = 3, .opcode = IBV_WC_BIND_MW };
	struct stage s;
	int err;

	opts.wr_api = false;
	if (stage_open(&s, env, type, &opts, REGION_ACCESS)) {
		struct end *end = &s.pair.end[1];

		info.mr = s.region.mr;
		info.addr = (uintptr_t)s.region.mem + 1000;
		if (type == IBV_MW_TYPE_1) {
			struct ibv_mw_bind bind = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED,
						    .bind_info = info };

			err = ibv_bind_mw(end->qp, s.mw, &bind);
			s.key = s.mw->rkey;
		} else {
			struct ibv_send_wr wr = { .wr_id = 3, .opcode = IBV_WR_BIND_MW,
						  .send_flags = IBV_SEND_SIGNALED };

			s.key = ibv_inc_rkey(s.mw->rkey);
			wr.bind_mw.mw = s.mw;
			wr.bind_mw.rkey = s.key;
			wr.bind_mw.bind_info = info;
			err = end_post_send(end, &wr);
		}
		if (CHECK(!err, "post: %s", strerror(err)) && end_expect(end, &expect, "bind"))
			stage_write(&s, s.key, info.addr, 1000, 4000);
	}
	stage_close(&s);
}

/* Type 1 may be bound anew while it is bound; the window follows, the old key is over. */
static void test_rebind(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;
	uint32_t old;
	int i;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, REGION_ACCESS)) {
		for (i = 0; i < 300; i++) {	/* the variant of the key wraps */
			b = stage_binding(&s);
			b.addr += i;
			if (!stage_bind(&s, &b) || !stage_write(&s, s.key, b.addr, 1000 + i, 50))
				break;
		}
		old = s.key;
		b = stage_binding(&s);
		if (stage_bind(&s, &b)) {
			stage_post(&s, IBV_WR_RDMA_WRITE, 1, old, b.addr, 10);
			stage_refused(&s, "key of before the last bind");
		}
	}
	stage_close(&s);
}

/* A bind takes effect before what is posted behind it (IBA 10.8.3.3). */
static void test_order(struct env *env, long type)
{
	struct pair_opts opts = mw_opts(env);
	struct ibv_send_wr wr = { .wr_id = 4, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct stage s;
	int i;

	if (stage_open(&s, env, type, &opts, REGION_ACCESS)) {
		struct end *end = &s.pair.end[1], *peer = &s.pair.end[0];

		for (i = 0; i < 20 && !tap_failed(); i++) {
			struct binding b = stage_binding(&s);

			CHECK(!end_post_recv(peer, 9, NULL, 0), "post_recv");
			CHECK(!stage_post_bind(end, 3, &b) && !end_post_send(end, &wr), "post");
			s.key = b.rkey;
			end_expect_status(peer, true, 9, IBV_WC_SUCCESS, "receive of the peer");
			stage_write(&s, s.key, b.addr, 1000, 3000);
			end_expect_status(end, false, 3, IBV_WC_SUCCESS, "bind");
			end_expect_status(end, false, 4, IBV_WC_SUCCESS, "SEND behind it");
			if (type == IBV_MW_TYPE_1)
				continue;
			CHECK(!stage_local_inv(end, 5, s.key), "post");
			end_expect_status(end, false, 5, IBV_WC_SUCCESS, "invalidation");
		}
	}
	stage_close(&s);
}

static void test_zero_based(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_2, &opts, REGION_ACCESS)) {
		b = stage_binding(&s);
		b.access |= IBV_ACCESS_ZERO_BASED;
		if (stage_bind(&s, &b) && stage_write(&s, s.key, 0, 1000, 4000) &&
		    stage_write(&s, s.key, 3990, 4990, 10)) {
			stage_post(&s, IBV_WR_RDMA_WRITE, 1, s.key, b.addr, 10);
			stage_refused(&s, "address of a window that counts from 0");
		}
	}
	stage_close(&s);
}

static void test_uc(struct env *env, long type)
{
	struct pair_opts opts = mw_opts(env);
	struct ibv_send_wr inv = { .wr_id = 8, .opcode = IBV_WR_LOCAL_INV,
				   .send_flags = IBV_SEND_SIGNALED };
	struct ibv_mw_bind_info info = { .length = 4000, .mw_access_flags =
		IBV_ACCESS_REMOTE_WRITE };
	struct stage s;
	int err;

	if (skip_if_lost(env, true))
		return;
	opts.wr_api = false;
	opts.uc = true;
	opts.access[0] &= ~(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	opts.access[1] = opts.access[0];
	if (stage_open(&s, env, type, &opts, REGION_ACCESS)) {
		struct end *end = &s.pair.end[1];
		struct ibv_mw_bind bind = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED };
		struct ibv_send_wr wr = { .wr_id = 3, .opcode = IBV_WR_BIND_MW,
					  .send_flags = IBV_SEND_SIGNALED };

		info.mr = s.region.mr;
		info.addr = (uintptr_t)s.region.mem + 1000;
		bind.bind_info = info;
		s.key = ibv_inc_rkey(s.mw->rkey);
		wr.bind_mw.mw = s.mw;
		wr.bind_mw.rkey = s.key;
		wr.bind_mw.bind_info = info;
		err = type == IBV_MW_TYPE_1 ? ibv_bind_mw(end->qp, s.mw, &bind) :
					      end_post_send(end, &wr);
		CHECK(!err, "post of a bind: %s", strerror(err));
		end_expect_status(end, false, 3, IBV_WC_SUCCESS, "bind");
		stage_write(&s, s.key, info.addr, 1000, 4000);
		inv.invalidate_rkey = s.key;
		if (type == IBV_MW_TYPE_2) {
			CHECK(!end_post_send(end, &inv), "post of an invalidation");
			end_expect_status(end, false, 8, IBV_WC_SUCCESS, "invalidation");
			/* What is not permitted any more is dropped, and nobody hears of it. */
			CHECK(!stage_post(&s, IBV_WR_RDMA_WRITE, 1, s.key, info.addr, 9), "post");
			end_expect_status(&s.pair.end[0], false, 1, IBV_WC_SUCCESS, "WRITE");
			end_follow(&s.pair.end[0], "SEND behind a WRITE that is dropped");
		}
	}
	stage_close(&s);
}

/* ---- binds that fail ---- */

enum bind_fault {
	NO_BIND_RIGHT, NO_LOCAL_WRITE, NO_LOCAL_WRITE_ATOMIC, REGION_ZERO_BASED, REGION_OTHER_PD,
	WINDOW_OTHER_PD, LKEY_WRONG, LKEY_FREED, LKEY_OF_A_WINDOW, BELOW, ABOVE, WRAPS, HUGE,
	UNKNOWN_RIGHT, ON_DEMAND, WINDOW_WRONG, WINDOW_OF_A_REGION, WINDOW_FREED,
	STALE_KEY, ZERO_BASED, BOUND, EMPTY,
};

static int access_for(enum bind_fault fault)
{
	switch (fault) {
	case NO_BIND_RIGHT:
		return IBV_ACCESS_LOCAL_WRITE;
	case NO_LOCAL_WRITE:
	case NO_LOCAL_WRITE_ATOMIC:
		return IBV_ACCESS_MW_BIND;
	case REGION_ZERO_BASED:
		return REGION_ACCESS | IBV_ACCESS_ZERO_BASED;
	default:
		return REGION_ACCESS;
	}
}

static void put_bind_fault(struct stage *s, struct binding *b, enum bind_fault fault)
{
	uint64_t start = (uintptr_t)s->region.mem;

	switch (fault) {
	case NO_LOCAL_WRITE:
		b->access = IBV_ACCESS_REMOTE_WRITE;
		break;
	case NO_LOCAL_WRITE_ATOMIC:
		b->access = IBV_ACCESS_REMOTE_ATOMIC;
		break;
	case REGION_ZERO_BASED:
		b->addr = 1000;
		break;
	case LKEY_WRONG:
		b->lkey ^= 0x55;
		break;
	case LKEY_FREED:
		buf_dereg(&s->region);
		break;
	case LKEY_OF_A_WINDOW:
		b->lkey = s->key;
		break;
	case BELOW:
		b->addr = start - 1;
		break;
	case ABOVE:
		b->addr = start + STAGE_BYTES - 3999;
		break;
	case WRAPS:
		b->len = ~0ULL;
		break;
	case HUGE:
		b->addr ^= 1ULL << 63;
		break;
	case UNKNOWN_RIGHT:
		b->access |= 1u << 19;
		break;
	case ON_DEMAND:
		b->access |= IBV_ACCESS_ON_DEMAND;
		break;
	case WINDOW_WRONG:
		b->mw_rkey += 0x7654300;
		break;
	case WINDOW_OF_A_REGION:
		b->mw_rkey = s->region.mr->rkey;
		break;
	case STALE_KEY:
		b->mw_rkey ^= 1;
		break;
	case ZERO_BASED:
		b->access |= IBV_ACCESS_ZERO_BASED;
		break;
	case EMPTY:
		b->len = 0;
		break;
	default:
		break;
	}
}

static void run_bind_fault(struct env *env, enum ibv_mw_type type, enum bind_fault fault)
{
	struct pair_opts opts = mw_opts(env);
	struct ibv_mw *other_mw = NULL;
	struct ibv_mr *other_mr = NULL;
	struct ibv_pd *pd = ibv_alloc_pd(env->dev[1].ctx);
	struct binding b;
	struct stage s;

	if (CHECK(pd, "ibv_alloc_pd") && stage_open(&s, env, type, &opts, access_for(fault))) {
		struct end *end = &s.pair.end[1];

		b = stage_binding(&s);
		put_bind_fault(&s, &b, fault);
		if (fault == REGION_OTHER_PD) {
			other_mr = ibv_reg_mr(pd, s.region.mem, STAGE_BYTES, REGION_ACCESS);
			b.lkey = other_mr ? other_mr->lkey : 0;
		}
		if (fault == WINDOW_OTHER_PD || fault == WINDOW_FREED) {
			other_mw = ibv_alloc_mw(pd, type);
			b.mw_rkey = other_mw ? other_mw->rkey : 0;
			b.rkey = b.mw_rkey + 1;
		}
		if (fault == WINDOW_FREED) {
			ibv_dealloc_mw(other_mw);
			other_mw = NULL;
		}
		if (fault == BOUND && stage_bind(&s, &b))
			b.mw_rkey = s.key;
		CHECK(!stage_post_bind(end, 1, &b), "post of a bind");
		stage_bind_fails(end, "bind");
		if (other_mr)
			CHECK(!ibv_dereg_mr(other_mr), "ibv_dereg_mr");
		if (other_mw)
			CHECK(!ibv_dealloc_mw(other_mw), "ibv_dealloc_mw");
	}
	stage_close(&s);
	CHECK(!ibv_dealloc_pd(pd), "ibv_dealloc_pd: %s", strerror(errno));
}

static void test_bind_fault(struct env *env, long fault)
{
	if (fault != BOUND && fault != EMPTY)
		run_bind_fault(env, IBV_MW_TYPE_1, fault);
	if (fault != STALE_KEY && fault != ZERO_BASED)
		run_bind_fault(env, IBV_MW_TYPE_2, fault);
}

/* What failed changed nothing: the window stays as it was bound. */
static void test_failed_bind_keeps(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct pair other;
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, REGION_ACCESS)) {
		b = stage_binding(&s);
		if (stage_bind(&s, &b) && pair_open(&other, env, &opts)) {
			b = stage_binding(&s);
			b.len = STAGE_BYTES;
			CHECK(!stage_post_bind(&other.end[1], 1, &b), "post of a bind");
			stage_bind_fails(&other.end[1], "bind beyond the region");
			stage_write(&s, s.key, b.addr, 1000, 4000);
			pair_close(&other);
		}
	}
	stage_close(&s);
}

/* For reading no right to write is needed. */
static void test_read_only_region(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct expect read = { .wr_id = 6, .opcode = IBV_WC_RDMA_READ, .has_len = true,
			       .byte_len = 100 };
	struct binding b;
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, IBV_ACCESS_MW_BIND)) {
		b = stage_binding(&s);
		b.access = IBV_ACCESS_REMOTE_READ;
		if (stage_bind(&s, &b)) {
			stage_post(&s, IBV_WR_RDMA_READ, 6, s.key, b.addr, 100);
			end_expect(&s.pair.end[0], &read, "READ");
			CHECK(!memcmp(s.local.mem, s.region.mem + 1000, 100), "other bytes");
		}
	}
	stage_close(&s);
}

/* ---- lives ---- */

/* A bound window keeps its region (IBA 11.2.8); unbinding, or the end of the QP, frees it. */
static void test_busy_region(struct env *env, long type)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;
	int err;

	if (stage_open(&s, env, type, &opts, REGION_ACCESS)) {
		b = stage_binding(&s);
		if (stage_bind(&s, &b)) {
			err = ibv_dereg_mr(s.region.mr);
			CHECK(err == EBUSY, "dereg with a window bound: %s", strerror(err));
			stage_write(&s, s.key, b.addr, 1000, 4000);
			b = stage_binding(&s);
			b.len = 0;
			if (type == IBV_MW_TYPE_1)
				stage_bind(&s, &b);
			else
				end_destroy_qp(&s.pair.end[1]);
			buf_dereg(&s.region);
		}
	}
	stage_close(&s);
}

/* A window of type 2B that its QP left behind is free for another. */
static void test_qp_gone(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_2, &opts, REGION_ACCESS)) {
		b = stage_binding(&s);
		if (stage_bind(&s, &b)) {
			pair_close(&s.pair);
			if (pair_open(&s.pair, env, &opts)) {
				b = stage_binding(&s);
				if (stage_bind(&s, &b))
					stage_write(&s, s.key, b.addr, 1000, 4000);
			}
		}
	}
	stage_close(&s);
}

static void test_limits(struct env *env, long arg)
{
	struct ibv_device_attr_ex attr;
	struct ibv_mw *mw[1000];
	int i, n;

	(void)arg;
	if (!CHECK(!ibv_query_device_ex(env->dev[1].ctx, NULL, &attr), "ibv_query_device_ex"))
		return;
	CHECK(attr.orig_attr.max_mw >= 1000, "max_mw is %d", attr.orig_attr.max_mw);
	CHECK(attr.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW, "no MEM_WINDOW");
	CHECK(attr.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B, "no TYPE_2B");
	CHECK(!(attr.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2A), "TYPE_2A");
	CHECK(attr.orig_attr.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS, "no extensions");
	CHECK(!ibv_alloc_mw(env->dev[1].pd, 3), "a window of type 3");
	CHECK(errno == EINVAL, "type 3: %s", strerror(errno));
	for (n = 0; n < 1000; n++) {
		mw[n] = ibv_alloc_mw(env->dev[1].pd, n & 1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
		if (!CHECK(mw[n], "window %d: %s", n, strerror(errno)))
			break;
	}
	for (i = 0; i < n; i++)
		CHECK(!ibv_dealloc_mw(mw[i]), "ibv_dealloc_mw");
}

const struct test mw_bind_tests[] = {
	{ "mw/use-1", test_use, IBV_MW_TYPE_1, 0 },
	{ "mw/use-2", test_use, IBV_MW_TYPE_2, 0 },
	{ "mw/classic-1", test_classic, IBV_MW_TYPE_1, 0 },
	{ "mw/classic-2", test_classic, IBV_MW_TYPE_2, 0 },
	{ "mw/rebind", test_rebind, 0, 0 },
	{ "mw/order-1", test_order, IBV_MW_TYPE_1, 0 },
	{ "mw/order-2", test_order, IBV_MW_TYPE_2, 0 },
	{ "mw/zero-based", test_zero_based, 0, 0 },
	{ "mw/uc-1", test_uc, IBV_MW_TYPE_1, 0 },
	{ "mw/uc-2", test_uc, IBV_MW_TYPE_2, 0 },
	{ "mw/bind-no-bind-right", test_bind_fault, NO_BIND_RIGHT, 0 },
	{ "mw/bind-no-local-write", test_bind_fault, NO_LOCAL_WRITE, 0 },
	{ "mw/bind-no-local-write-atomic", test_bind_fault, NO_LOCAL_WRITE_ATOMIC, 0 },
	{ "mw/bind-region-zero-based", test_bind_fault, REGION_ZERO_BASED, 0 },
	{ "mw/bind-region-other-pd", test_bind_fault, REGION_OTHER_PD, 0 },
	{ "mw/bind-window-other-pd", test_bind_fault, WINDOW_OTHER_PD, 0 },
	{ "mw/bind-lkey-wrong", test_bind_fault, LKEY_WRONG, 0 },
	{ "mw/bind-lkey-freed", test_bind_fault, LKEY_FREED, 0 },
	{ "mw/bind-lkey-of-a-window", test_bind_fault, LKEY_OF_A_WINDOW, 0 },
	{ "mw/bind-below", test_bind_fault, BELOW, 0 },
	{ "mw/bind-above", test_bind_fault, ABOVE, 0 },
	{ "mw/bind-wraps", test_bind_fault, WRAPS, 0 },
	{ "mw/bind-far-away", test_bind_fault, HUGE, 0 },
	{ "mw/bind-unknown-right", test_bind_fault, UNKNOWN_RIGHT, 0 },
	{ "mw/bind-on-demand", test_bind_fault, ON_DEMAND, 0 },
	{ "mw/bind-window-wrong", test_bind_fault, WINDOW_WRONG, 0 },
	{ "mw/bind-window-of-a-region", test_bind_fault, WINDOW_OF_A_REGION, 0 },
	{ "mw/bind-window-freed", test_bind_fault, WINDOW_FREED, 0 },
	{ "mw/bind-stale-key", test_bind_fault, STALE_KEY, 0 },
	{ "mw/bind-zero-based-1", test_bind_fault, ZERO_BASED, 0 },
	{ "mw/bind-bound-2", test_bind_fault, BOUND, 0 },
	{ "mw/bind-empty-2", test_bind_fault, EMPTY, 0 },
	{ "mw/failed-bind-keeps", test_failed_bind_keeps, 0, 0 },
	{ "mw/read-only-region", test_read_only_region, 0, 0 },
	{ "mw/busy-region-1", test_busy_region, IBV_MW_TYPE_1, 0 },
	{ "mw/busy-region-2", test_busy_region, IBV_MW_TYPE_2, 0 },
	{ "mw/qp-gone", test_qp_gone, 0, 0 },
	{ "mw/limits", test_limits, 0, 0 },
	{ }
};

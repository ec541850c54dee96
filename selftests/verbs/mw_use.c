// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows: what a key of a window does not permit is refused with "remote access
 * error", and both sides learn of it (IBA 10.6.7, 9.7.4).
 */
#include <errno.h>
#include <string.h>

#include "mw_fixture.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define REGION_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

enum use_fault {
	UNBOUND, BELOW, ABOVE, LAST_BYTE, WRAPS, HUGE, VARIANT, REGION_KEY,
	READ_RIGHT, WRITE_RIGHT, ATOMIC_RIGHT, BIND_GAVE_NOTHING,
	OTHER_QP, OTHER_PD, UNBOUND_AGAIN, FREED,
};

/* One use that is wrong. */
struct use {
	enum ibv_wr_opcode opcode;
	uint32_t key;
	uint64_t addr;
	size_t len;
};

static void put_use_fault(const struct stage *s, struct use *use, enum use_fault fault)
{
	switch (fault) {
	case BELOW:
		use->addr -= 1;
		break;
	case ABOVE:
		use->addr += 3901;
		break;
	case LAST_BYTE:
		use->addr += 4000;
		use->len = 1;
		break;
	case WRAPS:
		use->addr = ~0ULL - 50;
		break;
	case HUGE:
		use->addr ^= 1ULL << 63;
		break;
	case VARIANT:
		use->key ^= 0x80;
		break;
	case REGION_KEY:	/* of a region that permits nothing to others */
		use->key = s->region.mr->rkey;
		break;
	case READ_RIGHT:
		use->opcode = IBV_WR_RDMA_READ;
		break;
	case ATOMIC_RIGHT:
		use->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		use->addr = (use->addr + 7) & ~7ULL;
		use->len = 8;
		break;
	default:
		break;
	}
}

static unsigned int access_for(enum use_fault fault)
{
	switch (fault) {
	case READ_RIGHT:
		return IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	case WRITE_RIGHT:
		return IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	case ATOMIC_RIGHT:
		return IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	case BIND_GAVE_NOTHING:
		return 0;
	default:
		return IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	}
}

/* The peer of another QP, in the PD of the window or in another one, uses the key. */
static void use_by_another(struct stage *s, struct env *env, const struct use *use, bool other_pd)
{
	struct device saved = env->dev[1];
	struct stage other = *s;
	struct ibv_pd *pd = ibv_alloc_pd(env->dev[1].ctx);
	struct pair_opts opts = mw_opts(env);

	if (!CHECK(pd, "ibv_alloc_pd"))
		return;
	if (other_pd)
		env->dev[1].pd = pd;
	if (pair_open(&other.pair, env, &opts)) {
		CHECK(!stage_post(&other, use->opcode, 1, use->key, use->addr, use->len), "post");
		stage_refused(&other, other_pd ? "QP of another PD" : "another QP");
		pair_close(&other.pair);
	}
	env->dev[1] = saved;
	CHECK(!ibv_dealloc_pd(pd), "ibv_dealloc_pd: %s", strerror(errno));
	/* The right one still may. */
	stage_write(s, use->key, use->addr, 1000, 100);
}

static void end_of_key(struct stage *s, enum ibv_mw_type type, enum use_fault fault)
{
	struct binding b = stage_binding(s);

	if (fault == FREED) {
		CHECK(!ibv_dealloc_mw(s->mw), "ibv_dealloc_mw: %s", strerror(errno));
		s->mw = NULL;
	} else if (type == IBV_MW_TYPE_1) {
		b.len = 0;
		b.rkey = b.mw_rkey;	/* even with the same key */
		stage_bind(s, &b);
	} else {
		CHECK(!stage_local_inv(&s->pair.end[1], 7, s->key), "post");
		end_expect_status(&s->pair.end[1], false, 7, IBV_WC_SUCCESS, "invalidation");
	}
}

static void run_use(struct env *env, enum ibv_mw_type type, enum use_fault fault)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;

	if (stage_open(&s, env, type, &opts, REGION_ACCESS)) {
		struct use use = { .opcode = IBV_WR_RDMA_WRITE, .len = 100 };

		b = stage_binding(&s);
		b.access = access_for(fault);
		if (fault != UNBOUND)
			stage_bind(&s, &b);
		use.key = s.key;
		use.addr = b.addr;
		put_use_fault(&s, &use, fault);
		if (fault == UNBOUND_AGAIN || fault == FREED) {
			stage_write(&s, use.key, use.addr, 1000, 100);
			end_of_key(&s, type, fault);
		}
		if (fault == OTHER_QP || fault == OTHER_PD) {
			use_by_another(&s, env, &use, fault == OTHER_PD);
		} else {
			CHECK(!stage_post(&s, use.opcode, 1, use.key, use.addr, use.len), "post");
			stage_refused(&s, type == IBV_MW_TYPE_1 ? "type 1" : "type 2");
		}
	}
	stage_close(&s);
}

static void test_use_fault(struct env *env, long fault)
{
	if (fault != OTHER_QP)
		run_use(env, IBV_MW_TYPE_1, fault);
	run_use(env, IBV_MW_TYPE_2, fault);
}

/* A window of type 1 is for every QP of its PD. */
static void test_any_qp(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, REGION_ACCESS)) {
		struct stage other = s;

		b = stage_binding(&s);
		if (stage_bind(&s, &b) && pair_open(&other.pair, env, &opts)) {
			stage_write(&other, s.key, b.addr, 1000, 300);
			pair_close(&other.pair);
			stage_write(&s, s.key, b.addr, 1000, 300);
		}
	}
	stage_close(&s);
}

/* The key of a window is no L_Key, also for its owner (IBA 10.6.7.2.6). */
static void test_lkey(struct env *env, long opcode)
{
	struct pair_opts opts = mw_opts(env);
	struct ibv_sge sge = { .length = 100 };
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct binding b;
	struct stage s;

	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, REGION_ACCESS)) {
		struct end *end = &s.pair.end[1];

		b = stage_binding(&s);
		if (stage_bind(&s, &b)) {
			sge.addr = b.addr;
			sge.lkey = s.key;
			wr.wr.rdma.remote_addr = (uintptr_t)s.local.mem;
			wr.wr.rdma.rkey = s.local.mr->rkey;
			CHECK(!end_post_send(end, &wr), "post");
			end_expect_status(end, false, 1, IBV_WC_LOC_PROT_ERR, "own key as L_Key");
			CHECK(end_state(end->peer) == IBV_QPS_RTS, "the peer left RTS");
		}
	}
	stage_close(&s);
}

/* A window permits what the region alone does not, and atomics too. */
static void test_atomic(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct binding b;
	uint64_t before, *cell;
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_2, &opts, REGION_ACCESS)) {
		cell = (uint64_t *)(((uintptr_t)s.region.mem + 1007) & ~7UL);
		b = stage_binding(&s);
		b.access = IBV_ACCESS_REMOTE_ATOMIC;
		before = *cell;
		if (stage_bind(&s, &b)) {
			CHECK(!stage_post(&s, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, s.key,
					  (uintptr_t)cell, 8), "post");
			end_expect_status(&s.pair.end[0], false, 3, IBV_WC_SUCCESS, "atomic");
			CHECK(!memcmp(s.local.mem, &before, 8), "other value before");
			CHECK(*cell == before + 1, "other value after");
			*cell = before;
		}
	}
	stage_close(&s);
}

const struct test mw_use_tests[] = {
	{ "mw/refused-unbound", test_use_fault, UNBOUND, 0 },
	{ "mw/refused-below", test_use_fault, BELOW, 0 },
	{ "mw/refused-above", test_use_fault, ABOVE, 0 },
	{ "mw/refused-one-byte-above", test_use_fault, LAST_BYTE, 0 },
	{ "mw/refused-wraps", test_use_fault, WRAPS, 0 },
	{ "mw/refused-far-away", test_use_fault, HUGE, 0 },
	{ "mw/refused-variant", test_use_fault, VARIANT, 0 },
	{ "mw/refused-key-of-the-region", test_use_fault, REGION_KEY, 0 },
	{ "mw/refused-read", test_use_fault, READ_RIGHT, 0 },
	{ "mw/refused-write", test_use_fault, WRITE_RIGHT, 0 },
	{ "mw/refused-atomic", test_use_fault, ATOMIC_RIGHT, 0 },
	{ "mw/refused-no-right", test_use_fault, BIND_GAVE_NOTHING, 0 },
	{ "mw/refused-other-qp-2", test_use_fault, OTHER_QP, 0 },
	{ "mw/refused-other-pd", test_use_fault, OTHER_PD, 0 },
	{ "mw/refused-unbound-again", test_use_fault, UNBOUND_AGAIN, 0 },
	{ "mw/refused-freed", test_use_fault, FREED, 0 },
	{ "mw/any-qp-1", test_any_qp, 0, 0 },
	{ "mw/no-lkey-send", test_lkey, IBV_WR_SEND, 0 },
	{ "mw/no-lkey-read", test_lkey, IBV_WR_RDMA_READ, 0 },
	{ "mw/atomic", test_atomic, 0, 0 },
	{ }
};

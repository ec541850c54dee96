// SPDX-License-Identifier: GPL-2.0
/*
 * Each operation alone, over sizes, path MTUs, scatter/gather counts,
 * inline, both posting interfaces, polled and event driven. RC, and what UC has of it.
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define MIB (1024 * 1024)
#define ARG(mtu, op) (((mtu) << 8) | (op))
#define UC_BIT (1 << 16)

static unsigned int sizes_of(const struct env *env, unsigned int pmtu, size_t *sizes)
{
	const size_t all[] = {
		0, 1, 3, 1023, 1024, 1025, pmtu - 1, pmtu, pmtu + 1, 2 * pmtu,
		65535, 65536, 65537, MIB + 3,
	};
	const size_t few[] = { 0, 1, 3, pmtu - 1, pmtu, pmtu + 1, 65537 };

	if (env->quick) {
		memcpy(sizes, few, sizeof(few));
		return sizeof(few) / sizeof(few[0]);
	}
	memcpy(sizes, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

/* PMTUs 1024 (an Ethernet of 1500) and 4096 get the full set, others a shorter one. */
static bool is_full(enum ibv_mtu mtu)
{
	return mtu == IBV_MTU_1024 || mtu == IBV_MTU_4096;
}

static unsigned int sge_counts(const struct pair *pair, bool full, size_t len, int *counts)
{
	int max = pair->opts.sge;
	unsigned int n = 0;

	if (!len)
		counts[n++] = 0;
	counts[n++] = 1;
	if (len < 2)
		return n;
	if (full && len < 65535 && !pair->env->quick && !pair->opts.wr_api) {
		counts[n++] = 2;
		counts[n++] = 7;
	}
	if (len <= 65537 || full)
		counts[n++] = max;
	return n;
}

static void run_sizes(struct pair *pair, struct bufs *bufs, enum op_id op, bool full)
{
	size_t sizes[32];
	unsigned int n = sizes_of(pair->env, mtu_bytes(pair->opts.pmtu), sizes), i, j;

	for (i = 0; i < n; i++) {
		int counts[8];
		unsigned int m = sge_counts(pair, full, sizes[i], counts);

		/* A megabyte once per operation and PMTU is enough. */
		if (sizes[i] > 65537 && pair->opts.wr_api)
			continue;
		for (j = 0; j < m; j++) {
			struct op_run run = { .op = op, .len = sizes[i], .sge = counts[j] };

			if (!op_run(pair, (i + j) & 1, bufs, &run))
				return;
		}
	}
}

static void test_matrix(struct env *env, long arg)
{
	enum op_id op = arg & 0xff;
	enum ibv_mtu mtu = arg >> 8 & 0xff;
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct pair pair;
	int api;

	if (mtu > env->dev[0].port.active_mtu || mtu > env->dev[1].port.active_mtu) {
		tap_skip("active MTU of the port is smaller");
		return;
	}
	if (!(env->ops & (1u << op))) {
		tap_skip("not in --ops");
		return;
	}
	if (skip_if_lost(env, arg & UC_BIT))
		return;
	if (!bufs_open(&bufs, env, MIB + 3))
		return;
	opts.uc = arg & UC_BIT;
	opts.pmtu = mtu;
	opts.sge = pair_max_sge(env);
	for (api = 0; api < 2 && !tap_failed(); api++) {
		opts.wr_api = api;
		opts.events = api != (int)(mtu & 1);
		if (!pair_open(&pair, env, &opts))
			break;
		run_sizes(&pair, &bufs, op, is_full(mtu));
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

/* IBA C9-88: the R_Key of a zero-length RDMA is not validated, immediate or not. */
static void test_zero_no_key(struct env *env, long arg)
{
	static const enum op_id ops[] = { OP_WRITE, OP_WRITE_IMM, OP_READ };
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	unsigned int i;

	if (skip_if_lost(env, arg & UC_BIT))
		return;
	opts.uc = arg & UC_BIT;
	if (!pair_open(&pair, env, &opts))
		return;
	for (i = 0; i < (opts.uc ? 2 : 3); i++) {
		const struct op_desc *op = op_desc(ops[i]);
		struct ibv_send_wr wr = {
			.wr_id = i, .opcode = op->wr, .send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { .remote_addr = ~0ULL, .rkey = 0xdead0000u | i },
		};
		struct expect recv = {
			.wr_id = 100 + i, .opcode = op->recv_wc, .recv = true, .has_imm = true,
		};

		if (op->takes_recv)
			CHECK(!end_post_recv(&pair.end[1], 100 + i, NULL, 0), "post_recv");
		if (!CHECK(!end_post_send(&pair.end[0], &wr), "%s: post_send", op->name) ||
		    !end_expect_status(&pair.end[0], false, i, IBV_WC_SUCCESS, op->name))
			break;
		if (op->takes_recv)
			end_expect(&pair.end[1], &recv, op->name);
	}
	pair_close(&pair);
}

/* Inline: taken when posted, no lkey needed, any SGE count, up to the granted limit. */
static bool inline_run(struct pair *pair, struct bufs *bufs, enum op_id id, size_t len, int sge)
{
	const struct op_desc *op = op_desc(id);
	uint8_t stack[2048], wanted[2048];
	struct ibv_sge list[MAX_SGE];
	struct layout dst;
	struct ibv_send_wr wr = {
		.wr_id = len, .sg_list = list, .opcode = op->wr, .imm_data = 0x12345678,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};
	struct expect recv = {
		.wr_id = 7, .opcode = op->recv_wc, .recv = true, .byte_len = len,
		.has_imm = op->has_imm, .imm = wr.imm_data,
	};
	size_t at = 0, i;

	for (i = 0; i < len; i++)
		stack[i] = wanted[i] = rnd();
	for (wr.num_sge = 0; wr.num_sge < sge; wr.num_sge++) {
		size_t part = wr.num_sge == sge - 1 ? len - at : len / sge;

		list[wr.num_sge] = (struct ibv_sge) {
			.addr = (uintptr_t)stack + at, .length = part, .lkey = 0xbad0bad0,
		};
		at += part;
	}
	layout_make(&dst, &bufs->rx[1], len, 1);
	wr.wr.rdma.remote_addr = dst.sge[0].addr;
	wr.wr.rdma.rkey = bufs->rx[1].mr->rkey;
	if (op->takes_recv && !CHECK(!end_post_recv(&pair->end[1], 7, dst.sge,
						    op->to_recv ? dst.count : 0), "post_recv"))
		return false;
	if (!CHECK(!end_post_send(&pair->end[0], &wr), "inline %s of %zu bytes refused", op->name,
		   len))
		return false;
	memset(stack, 0xee, sizeof(stack));
	if (!end_expect_status(&pair->end[0], false, len, IBV_WC_SUCCESS, op->name) ||
	    (op->takes_recv && !end_expect(&pair->end[1], &recv, op->name)) ||
	    (!op->takes_recv && pair->opts.uc && !end_follow(&pair->end[0], op->name)))
		return false;
	layout_expect(&dst, wanted);
	return layout_check(&dst, op->name);
}

static void inline_sizes(struct pair *pair, struct bufs *bufs, enum op_id op)
{
	size_t max = pair->end[0].cap.max_inline_data;
	size_t sizes[] = { 0, 1, 3, 16, 63, 64, max / 2 + 1, max - 1, max };
	unsigned int i;

	if (!CHECK(max <= 2048, "inline limit %zu is more than this test can", max))
		return;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!inline_run(pair, bufs, op, sizes[i], sizes[i] ? 1 : 0))
			return;
		/* The lists of the ibv_wr_* calls are handed over as one piece. */
		if (sizes[i] > 3 && !pair->opts.wr_api &&
		    !inline_run(pair, bufs, op, sizes[i], pair->opts.sge))
			return;
	}
}

static void over_inline(struct pair *pair)
{
	static uint8_t data[4096];
	struct ibv_sge sge = {
		.addr = (uintptr_t)data, .length = pair->end[0].cap.max_inline_data + 1,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};

	CHECK(end_post_send(&pair->end[0], &wr), "inline data over the granted limit was taken");
}

static void test_inline(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct pair pair;
	enum op_id op;

	if (skip_if_lost(env, arg & UC_BIT))
		return;
	opts.uc = arg & UC_BIT;
	opts.wr_api = arg & 1;
	opts.inline_bytes = 256;
	if (!bufs_open(&bufs, env, 4096))
		return;
	if (pair_open(&pair, env, &opts)) {
		for (op = OP_SEND; op < OP_READ; op++)
			inline_sizes(&pair, &bufs, op);
		over_inline(&pair);
		end_expect_none(&pair.end[0], "at the end");
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

#define OPS(mtu)									\
	{ "data/pmtu" #mtu "/send", test_matrix, ARG(IBV_MTU_##mtu, OP_SEND), 300 },		\
	{ "data/pmtu" #mtu "/send_imm", test_matrix, ARG(IBV_MTU_##mtu, OP_SEND_IMM), 300 },	\
	{ "data/pmtu" #mtu "/write", test_matrix, ARG(IBV_MTU_##mtu, OP_WRITE), 300 },		\
	{ "data/pmtu" #mtu "/write_imm", test_matrix, ARG(IBV_MTU_##mtu, OP_WRITE_IMM), 300 },	\
	{ "data/pmtu" #mtu "/read", test_matrix, ARG(IBV_MTU_##mtu, OP_READ), 300 }

#define UC_OPS(mtu)									\
	{ "uc/pmtu" #mtu "/send", test_matrix, UC_BIT | ARG(IBV_MTU_##mtu, OP_SEND), 300 },	\
	{ "uc/pmtu" #mtu "/send_imm", test_matrix, UC_BIT | ARG(IBV_MTU_##mtu, OP_SEND_IMM),	\
	  300 },									\
	{ "uc/pmtu" #mtu "/write", test_matrix, UC_BIT | ARG(IBV_MTU_##mtu, OP_WRITE), 300 },	\
	{ "uc/pmtu" #mtu "/write_imm", test_matrix, UC_BIT | ARG(IBV_MTU_##mtu, OP_WRITE_IMM),	\
	  300 }

const struct test rc_data_tests[] = {
	OPS(256),
	OPS(512),
	OPS(1024),
	OPS(2048),
	OPS(4096),
	{ "data/zero-length-ignores-rkey", test_zero_no_key, 0, 0 },
	{ "data/inline", test_inline, 0, 0 },
	{ "data/inline-wr-api", test_inline, 1, 0 },
	UC_OPS(256),
	UC_OPS(512),
	UC_OPS(1024),
	UC_OPS(2048),
	UC_OPS(4096),
	{ "uc/zero-length-ignores-rkey", test_zero_no_key, UC_BIT, 0 },
	{ "uc/inline", test_inline, UC_BIT, 0 },
	{ "uc/inline-wr-api", test_inline, UC_BIT | 1, 0 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Each operation to its limits: every number of SGEs, as much inline data as
 * is granted, long messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define BIG_BYTES	(64u << 20)
/* Seconds; a sanitizer kernel under emulation that loses packets is slow. */
#define BIG_LIMIT	900

/* Every number of SGEs that the device allows, on a message of a few packets. */
static void test_every_sge(struct env *env, long op)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct pair pair;
	unsigned int n;

	if (!(env->ops & (1u << op))) {
		tap_skip("not in --ops");
		return;
	}
	opts.sge = pair_max_sge(env);
	if (!CHECK(opts.sge == MAX_SGE, "%u SGEs, not %u", opts.sge, MAX_SGE) ||
	    !bufs_open(&bufs, env, 10000))
		return;
	if (pair_open(&pair, env, &opts)) {
		for (n = 1; n <= opts.sge; n++) {
			struct op_run run = {
				.op = op, .sge = n, .len = n + rnd_below(n & 1 ? 200 : 9000),
			};

			if (!op_run(&pair, n & 1, &bufs, &run))
				break;
		}
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

/* Return: the most inline data that a QP is granted, by halving. */
static unsigned int largest_inline(struct env *env)
{
	struct ibv_cq *cq = ibv_create_cq(env->dev[0].ctx, 10, NULL, NULL, 0);
	unsigned int low = 0, high = 64 * 1024;

	if (!CHECK(cq, "ibv_create_cq: %s", strerror(errno)))
		return 0;
	while (low + 1 < high) {
		unsigned int middle = (low + high) / 2;
		struct ibv_qp_init_attr attr = {
			.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
			.cap = { 1, 1, 1, 1, .max_inline_data = middle },
		};
		struct ibv_qp *qp = ibv_create_qp(env->dev[0].pd, &attr);

		if (qp)
			CHECK(!ibv_destroy_qp(qp), "ibv_destroy_qp");
		*(qp ? &low : &high) = middle;
	}
	CHECK(!ibv_destroy_cq(cq), "ibv_destroy_cq");
	return low;
}

static void test_largest_inline(struct env *env, long wr_api)
{
	struct pair_opts opts = pair_defaults(env);
	unsigned int max = largest_inline(env), op, less;
	struct bufs bufs;
	struct pair pair;

	if (!CHECK(max, "no inline data at all") || !bufs_open(&bufs, env, max))
		return;
	opts.wr_api = wr_api;
	opts.inline_bytes = max;
	opts.pmtu = IBV_MTU_256;
	if (pair_open(&pair, env, &opts)) {
		for (op = OP_SEND; op < OP_READ; op++) {
			for (less = 0; less < 5 && less < max && !tap_failed(); less++) {
				struct op_run run = {
					.op = op, .len = max - less, .sge = 1 + less % opts.sge,
					.flags = IBV_SEND_INLINE,
				};

				op_run(&pair, less & 1, &bufs, &run);
			}
		}
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

/* One way only: what end 0 has goes to end 1, sent or fetched. */
static bool open_one_way(struct bufs *bufs, struct env *env, size_t len)
{
	size_t size = len + 64 * MAX_SGE;

	memset(bufs, 0, sizeof(*bufs));
	bufs->scratch = malloc(len + 1);
	return CHECK(bufs->scratch, "no memory") &&
	       buf_open(&bufs->tx[0], env->dev[0].pd, size, IBV_ACCESS_REMOTE_READ) &&
	       buf_open(&bufs->rx[1], env->dev[1].pd, size,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

static void test_big(struct env *env, long op)
{
	struct pair_opts opts = pair_defaults(env);
	struct op_run run = { .op = op, .len = BIG_BYTES - rnd_below(5000), .sge = 3 };
	struct bufs bufs;
	struct pair pair;
	int i;

	opts.pmtu = env->dev[0].port.active_mtu < env->dev[1].port.active_mtu ?
		    env->dev[0].port.active_mtu : env->dev[1].port.active_mtu;
	if (open_one_way(&bufs, env, BIG_BYTES) && pair_open(&pair, env, &opts)) {
		for (i = 0; i < 2; i++)
			pair.end[i].wait_msec = BIG_LIMIT * 1000;
		op_run(&pair, op_desc(op)->is_read, &bufs, &run);
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

const struct test rc_extent_tests[] = {
	{ "sges/send", test_every_sge, OP_SEND },
	{ "sges/send_imm", test_every_sge, OP_SEND_IMM },
	{ "sges/write", test_every_sge, OP_WRITE },
	{ "sges/write_imm", test_every_sge, OP_WRITE_IMM },
	{ "sges/read", test_every_sge, OP_READ },
	{ "inline/largest", test_largest_inline, 0 },
	{ "inline/largest-wr-api", test_largest_inline, 1 },
	{ "big/send", test_big, OP_SEND, BIG_LIMIT, TEST_LONG },
	{ "big/write", test_big, OP_WRITE, BIG_LIMIT, TEST_LONG },
	{ "big/read", test_big, OP_READ, BIG_LIMIT, TEST_LONG },
	{ }
};

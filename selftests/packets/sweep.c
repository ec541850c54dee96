// SPDX-License-Identifier: GPL-2.0
/*
 * sweep: one message of every payload length that fits a packet, for a capture.
 *
 * SEND, WRITE and READ of 0 to 4096 bytes at a path MTU of 4096, so that each
 * is one packet and every pad count comes up; data and completions are checked
 * by the pieces of selftests/verbs. With immediate data, headers are longer: a
 * few lengths are enough there.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "op.h"
#include "tap.h"

#define LEN_MAX		4096
#define LIMIT_SEC	900

static const struct {
	enum op_id op;
	size_t len_max;
} sweeps[] = {
	{ OP_SEND, LEN_MAX },
	{ OP_WRITE, LEN_MAX },
	{ OP_READ, LEN_MAX },
	{ OP_SEND_IMM, 64 },
	{ OP_WRITE_IMM, 64 },
};

#define SWEEPS	(sizeof(sweeps) / sizeof(sweeps[0]))

static void sweep(struct env *env, enum op_id op, size_t len_max, size_t step)
{
	struct pair_opts opts = pair_defaults(env);
	struct op_run run = { .op = op, .sge = 1 };
	struct pair pair;
	struct bufs bufs;

	opts.pmtu = IBV_MTU_4096;
	if (!bufs_open(&bufs, env, LEN_MAX))
		return;
	if (pair_open(&pair, env, &opts)) {
		for (; run.len <= len_max; run.len += step) {
			if (!op_run(&pair, 0, &bufs, &run))
				break;
		}
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

int main(int argc, char **argv)
{
	struct env env = { .ops = ~0u, .wait_msec = 20000 };
	const char *dev[2] = { NULL, NULL };
	bool ipv6 = false;
	size_t step = 1;
	unsigned int i;
	int c;

	while ((c = getopt(argc, argv, "d:D:6n:")) >= 0) {
		if (c == 'd')
			dev[0] = optarg;
		else if (c == 'D')
			dev[1] = optarg;
		else if (c == '6')
			ipv6 = true;
		else if (c == 'n')
			step = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (!dev[0] || !step) {
		fprintf(stderr, "usage: %s -d DEV [-D DEV2] [-6] [-n STEP]\n", argv[0]);
		return 2;
	}
	if (!device_open(&env.dev[0], dev[0], -1, ipv6) ||
	    !device_open(&env.dev[1], dev[1] ? dev[1] : dev[0], -1, ipv6)) {
		printf("Bail out! cannot open the devices\n");
		return 2;
	}
	tap_plan(SWEEPS);
	for (i = 0; i < SWEEPS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "sweep/%s", op_desc(sweeps[i].op)->name);
		tap_begin(name, 1, LIMIT_SEC);
		sweep(&env, sweeps[i].op, sweeps[i].len_max, step);
		tap_end();
	}
	device_close(&env.dev[0]);
	device_close(&env.dev[1]);
	return tap_summary();
}

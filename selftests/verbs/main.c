// SPDX-License-Identifier: GPL-2.0
/*
 * soro_verbs: tests a RoCE device through libibverbs. Both ends of each
 * connection are in this process; the devices may lie in different network
 * namespaces as long as the RDMA subsystem is in shared mode.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define DEFAULT_LIMIT_SEC 120

static const struct test *const tables[] = {
	rc_data_tests, rc_atomic_tests, rc_order_tests, rc_stream_tests, rc_event_tests,
	rc_retry_tests, error_tests, flush_tests, state_tests, memory_tests, limit_tests,
	mw_bind_tests, mw_use_tests, inv_tests, rereg_tests,
	rc_extent_tests, mixed_tests, idle_tests, cut_tests, uc_state_tests, uc_stream_tests,
	ud_data_tests, ud_address_tests, ud_qkey_tests, ud_error_tests, ud_stream_tests,
	mcast_tests, srq_data_tests, srq_state_tests, srq_fault_tests, srq_limit_tests,
	cq_resize_tests, cq_overflow_tests, cq_notify_tests, event_tests, sqd_tests, many_tests,
	query_tests, nomem_tests,
};

static void usage(const char *self)
{
	printf("usage: %s -d DEV [-D DEV2] [options]\n"
	       "  -d, --dev DEV       device of end 0\n"
	       "  -D, --dev2 DEV      device of end 1 (default: the same)\n"
	       "  -g, --gid INDEX     GID index on both (default: first RoCEv2 IPv4 GID)\n"
	       "  -6, --gid6          choose an IPv6 GID\n"
	       "  -t, --test PATTERN  run tests whose names match (shell pattern); repeatable\n"
	       "  -x, --except PATTERN  leave out tests whose names match; repeatable\n"
	       "  -o, --ops LIST      operations of the data tests: send,write_imm,...\n"
	       "  -q, --quick         fewer sizes and repetitions\n"
	       "  -L, --lossy         the path loses packets\n"
	       "  -w, --wait MS       how long a completion may take (default 20000)\n"
	       "  -a, --ack-timeout N  local ACK timeout, 4.096 us << N\n"
	       "  -T, --duration SEC  how long mixed traffic runs\n"
	       "  -C, --cut COMMAND   takes the path away, for the tests of that\n"
	       "  -M, --mend COMMAND  gives it back\n"
	       "  -s, --seed N        seed of the random numbers (default: $SORO_SEED, the time)\n"
	       "  -r, --repeat N      run the list N times, end at the first failure\n"
	       "  -H, --hold          then keep objects open and in use until a signal\n"
	       "  -l, --list          list the tests\n", self);
}

#define MAX_PATTERNS 32

static struct {
	const char *dev[2];
	const char *only[MAX_PATTERNS], *except[MAX_PATTERNS];
	int only_count, except_count;
	int gid_index;
	bool ipv6, list, hold;
	unsigned int repeat;
	uint64_t seed;
} args = { .gid_index = -1, .repeat = 1 };

static bool matches(const char *name, const char **patterns, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!fnmatch(patterns[i], name, 0))
			return true;
	}
	return false;
}

static bool is_chosen(const struct env *env, const struct test *test)
{
	if ((test->flags & TEST_LONG) && env->quick && !args.only_count)
		return false;
	if ((test->flags & TEST_CUT) && !env->cut && !args.list)
		return false;
	return (!args.only_count || matches(test->name, args.only, args.only_count)) &&
	       !matches(test->name, args.except, args.except_count);
}

static bool parse_ops(char *list, unsigned int *ops)
{
	char *word;

	*ops = 0;
	for (word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		int op = op_by_name(word);

		if (op < 0) {
			fprintf(stderr, "unknown operation %s\n", word);
			return false;
		}
		*ops |= 1u << op;
	}
	return true;
}

static bool add_pattern(const char **patterns, int *count, const char *pattern)
{
	if (*count == MAX_PATTERNS)
		return false;
	patterns[(*count)++] = pattern;
	return true;
}

static bool parse_args(int argc, char **argv, struct env *env)
{
	static const struct option options[] = {
		{ "dev", 1, NULL, 'd' }, { "dev2", 1, NULL, 'D' }, { "gid", 1, NULL, 'g' },
		{ "gid6", 0, NULL, '6' }, { "test", 1, NULL, 't' }, { "except", 1, NULL, 'x' },
		{ "ops", 1, NULL, 'o' }, { "quick", 0, NULL, 'q' }, { "lossy", 0, NULL, 'L' },
		{ "wait", 1, NULL, 'w' }, { "seed", 1, NULL, 's' }, { "list", 0, NULL, 'l' },
		{ "repeat", 1, NULL, 'r' }, { "hold", 0, NULL, 'H' },
		{ "duration", 1, NULL, 'T' }, { "cut", 1, NULL, 'C' }, { "mend", 1, NULL, 'M' },
		{ "ack-timeout", 1, NULL, 'a' },
		{ }
	};
	bool ok = true;
	int c;

	while (ok && (c = getopt_long(argc, argv, "d:D:g:6t:x:o:qLw:s:lr:HT:C:M:a:", options,
				      NULL)) >= 0) {
		switch (c) {
		case 'd':
			args.dev[0] = optarg;
			break;
		case 'D':
			args.dev[1] = optarg;
			break;
		case 'g':
			args.gid_index = atoi(optarg);
			break;
		case '6':
			args.ipv6 = true;
			break;
		case 't':
			ok = add_pattern(args.only, &args.only_count, optarg);
			break;
		case 'x':
			ok = add_pattern(args.except, &args.except_count, optarg);
			break;
		case 'o':
			ok = parse_ops(optarg, &env->ops);
			break;
		case 'q':
			env->quick = true;
			break;
		case 'L':
			env->lossy = true;
			break;
		case 'w':
			env->wait_msec = atoi(optarg);
			break;
		case 's':
			args.seed = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			args.list = true;
			break;
		case 'r':
			args.repeat = atoi(optarg);
			break;
		case 'H':
			args.hold = true;
			break;
		case 'a':
			env->timeout = atoi(optarg);
			break;
		case 'T':
			env->duration_sec = atoi(optarg);
			break;
		case 'C':
			env->cut = optarg;
			break;
		case 'M':
			env->mend = optarg;
			break;
		default:
			ok = false;
		}
	}
	return ok && optind == argc && (args.dev[0] || args.list);
}

static const struct test *next_test(const struct env *env, const struct test *test)
{
	static unsigned int table;

	/* Walks all tables, skipping what was not chosen; starts again after the end. */
	if (!test)
		table = 0;
	for (test = test ? test + 1 : tables[0];; test++) {
		while (!test->name) {
			if (++table == sizeof(tables) / sizeof(tables[0]))
				return NULL;
			test = tables[table];
		}
		if (is_chosen(env, test))
			return test;
	}
}

static unsigned int count_tests(const struct env *env)
{
	const struct test *test = NULL;
	unsigned int n = 0;

	while ((test = next_test(env, test))) {
		if (args.list)
			printf("%s\n", test->name);
		n++;
	}
	return n;
}

/* Return: whether no test failed. */
static bool run_tests(struct env *env, uint64_t seed)
{
	const struct test *test = NULL;
	bool ok = true;

	while ((test = next_test(env, test))) {
		unsigned int limit = test->limit_sec ? test->limit_sec : DEFAULT_LIMIT_SEC;

		tap_begin(test->name, seed, env->lossy ? 3 * limit : limit);
		test->run(env, test->arg);
		ok &= !tap_failed();
		tap_end();
	}
	return ok;
}

int main(int argc, char **argv)
{
	struct env env = { .ops = ~0u, .wait_msec = 20000 };
	const char *seed = getenv("SORO_SEED");
	unsigned int count, round;
	int status;

	args.seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL) * 1000003 + getpid();
	if (!parse_args(argc, argv, &env)) {
		usage(argv[0]);
		return 2;
	}
	count = count_tests(&env);
	if (args.list)
		return 0;
	if (!args.dev[1])
		args.dev[1] = args.dev[0];
	if (!device_open(&env.dev[0], args.dev[0], args.gid_index, args.ipv6) ||
	    !device_open(&env.dev[1], args.dev[1], args.gid_index, args.ipv6)) {
		printf("Bail out! cannot open the devices\n");
		return 2;
	}
	tap_plan(count * args.repeat);
	tap_note("devices %s and %s, GID indices %d and %d, seed %llu", args.dev[0], args.dev[1],
		 env.dev[0].gid_index, env.dev[1].gid_index, (unsigned long long)args.seed);
	for (round = 0; round < args.repeat; round++) {
		if (!run_tests(&env, args.seed + round))
			break;
	}
	status = tap_summary();
	if (args.hold) {
		hold_until_signal(&env);
		return status;
	}
	device_close(&env.dev[0]);
	device_close(&env.dev[1]);
	return count ? status : 2;
}

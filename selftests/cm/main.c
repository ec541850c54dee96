// SPDX-License-Identifier: GPL-2.0
/*
 * soro_cm: connections by the RDMA connection manager. TAP.
 *
 *	soro_cm -a SERVER -c CLIENT [-N FILE] [-t TEST]... [-n ROUNDS] [-m CLIENTS] [-s SEED]
 *
 * SERVER and CLIENT are numeric addresses, FILE is the network namespace of the servers, TEST
 * a pattern of the shell. Without -t all tests run that need no network of a special kind.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "tap.h"
#include "tests.h"

static const struct {
	const char *name;
	void (*run)(const struct env *env);
	unsigned int limit_sec, per_round_sec;
	bool special;
} tests[] = {
	{ "rounds", test_rounds, 60, 5 },
	{ "killed", test_killed, 60, 10 },
	{ "threads", test_threads, 600 },
	{ "processes", test_processes, 600 },
	{ "closed-port", test_closed_port, 60 },
	{ "private/accept", test_private_accept, 300 },
	{ "private/reject", test_private_reject, 300 },
	{ "private/too-long", test_private_too_long, 60 },
	{ "datagrams", test_datagrams, 120 },
	{ "multicast", test_multicast, 120 },
	{ "nobody", test_nobody, 60, 0, true },
	{ "silent", test_silent, 200, 0, true },
	{ "isolated", test_isolated, 60, 0, true },
};

#define N_TESTS (sizeof(tests) / sizeof(tests[0]))

static void usage(void)
{
	fprintf(stderr, "usage: soro_cm -a SERVER -c CLIENT [-N FILE] [-t TEST]... [-n ROUNDS]\n"
			"	[-m CLIENTS] [-s SEED]\n");
	exit(2);
}

static void choose(bool *chosen, const char *pattern)
{
	unsigned int i;

	for (i = 0; i < N_TESTS; i++)
		if (pattern ? !fnmatch(pattern, tests[i].name, 0) : !tests[i].special)
			chosen[i] = true;
}

static void run_tests(const struct env *env, const bool *chosen)
{
	unsigned int i, count = 0;

	for (i = 0; i < N_TESTS; i++)
		count += chosen[i];
	tap_plan(count);
	for (i = 0; i < N_TESTS; i++) {
		if (!chosen[i])
			continue;
		tap_begin(tests[i].name, env->seed,
			  tests[i].limit_sec + tests[i].per_round_sec * env->rounds);
		tests[i].run(env);
		tap_end();
	}
}

int main(int argc, char **argv)
{
	struct env env = { .seed = time(NULL), .rounds = 20, .clients = 50 };
	bool chosen[N_TESTS] = { false }, some = false;
	int opt;

	while ((opt = getopt(argc, argv, "a:c:N:t:n:m:s:")) != -1) {
		switch (opt) {
		case 'a':
			env.server = optarg;
			break;
		case 'c':
			env.client = optarg;
			break;
		case 'N':
			env.server_ns = optarg;
			break;
		case 't':
			choose(chosen, optarg);
			some = true;
			break;
		case 'n':
			env.rounds = atoi(optarg);
			break;
		case 'm':
			env.clients = atoi(optarg);
			break;
		case 's':
			env.seed = strtoull(optarg, NULL, 0);
			break;
		default:
			usage();
		}
	}
	if (!env.server || !env.client)
		usage();
	if (!some)
		choose(chosen, NULL);
	printf("# seed %llu\n", (unsigned long long)env.seed);
	run_tests(&env, chosen);
	return tap_summary();
}

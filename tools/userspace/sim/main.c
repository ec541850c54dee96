// SPDX-License-Identifier: GPL-2.0
/*
 * Two engines over a bad channel, one run per seed; RC, then UC and UD with half as many seeds.
 *
 *	simulator [--rc|--uc|--ud] [--seeds A..B] [--verbose]
 *
 * Prints TAP, one line per hundred seeds, and each seed that failed with what
 * was wrong; --uc --seeds N..N --verbose shows that run packet by packet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "check.h"
#include "datagram.h"

#define EVENTS_MAX	2000000
#define SEEDS_PER_LINE	100
#define SEEDS_DEFAULT	2000
#define MERCY_RETRIES	3

struct totals {
	u64 events;
	u64 resent;
	u64 timeouts;
	u64 injections;
	u64 probes;
	u64 marks;
	u64 keepers;
	u64 uncredited;
	u64 flushes;
	u64 sent;
	u64 arrived;
	struct datagram_totals ud;
};

static const char * const names[] = { [SORO_RC] = "RC", [SORO_UC] = "UC", [SORO_UD] = "UD" };

static void describe(const struct scenario *sc)
{
	u32 i;

	printf("# %s seed %llu: pmtu %u, %s%s, injection %s at %c op %u\n",
	       sc->unreliable ? "UC" : "RC", sc->seed, sc->side[0].rsp.pmtu_bytes, sc->lossless ? "lossless" : "lossy",
	       sc->shared_writes ? ", shared writes" : "", injection_name(sc->injection),
	       'A' + sc->victim, sc->op);
	for (i = 0; i < 2; i++) {
		const struct side *side = &sc->side[i];

		printf("#   %c: psn %06x slots %u reads %u/%u train %u/%u ops %u recvs %u%s, %u slots\n",
		       'A' + i, side->psn, side->slots, side->req.reads_max, side->rsp.reads_max,
		       side->limits.packets, side->limits.bytes, side->n_ops, side->n_recvs,
		       side->credits ? " with credits" : "", side->recv_slots);
	}
}

/* A QP that is close to giving up is let through, unless giving up is what it is here for. */
static void have_mercy(const struct scenario *sc, struct node *nodes)
{
	bool mercy = false;
	u32 i;

	if (sc->injection == INJECT_LOW_RETRY)
		return;
	for (i = 0; i < 2; i++)
		mercy |= nodes[i].req.retry_left <= MERCY_RETRIES && !nodes[i].error;
	nodes[0].mercy = mercy;
	nodes[1].mercy = mercy;
}

static u64 next_event(const struct channel *ch, const struct node *nodes, u64 now)
{
	u64 next = channel_next(ch);
	u32 i;

	for (i = 0; i < 2; i++) {
		u64 at = node_next(&nodes[i], now);

		if (at && (!next || at < next))
			next = at;
	}
	return next;
}

static void deliver(struct channel *ch, struct node *nodes, u64 now)
{
	while (ch->count && channel_next(ch) <= now) {
		struct delivery *delivery = channel_receive(ch);

		node_receive(&nodes[!delivery->from], &delivery->train, now);
		delivery_free(delivery);
	}
}

/* Return: what went wrong, NULL if nothing. */
static const char *run(struct scenario *sc, struct channel *ch, struct node *nodes,
		       struct totals *totals)
{
	u64 now = 1;
	u32 events, i;

	for (events = 0; events < EVENTS_MAX; events++) {
		deliver(ch, nodes, now);
		for (i = 0; i < 2; i++) {
			have_mercy(sc, nodes);
			node_run(&nodes[i], now);
			if (nodes[i].broken)
				return nodes[i].broken;
		}
		now = next_event(ch, nodes, now);
		if (!now)
			break;
	}
	totals->events += events;
	if (events == EVENTS_MAX)
		return "does not come to an end";
	if (!node_idle(&nodes[0]) || !node_idle(&nodes[1]))
		return "stuck: nothing will ever happen";
	check_outcome(sc, nodes);
	return nodes[0].broken ? nodes[0].broken : nodes[1].broken;
}

static void count(struct totals *totals, const struct scenario *sc, const struct node *node)
{
	u32 i;

	totals->resent += node->req.resent;
	totals->timeouts += node->timeouts;
	totals->probes += node->req.probed;
	totals->marks += node->req.marks;
	totals->keepers += node->req.keeps;
	totals->uncredited += node->uncredited;
	totals->flushes += node->flushes;
	totals->arrived += node->arrived;
	for (i = 0; i < node->side->n_ops && sc->unreliable; i++)
		totals->sent += op_takes_recv(&node->side->ops[i]);
}

static bool run_connected(u64 seed, bool unreliable, bool verbose, struct totals *totals)
{
	static struct scenario sc;
	struct node nodes[2];
	struct channel ch;
	const char *wrong;
	u32 i;

	scenario_draw(&sc, seed, unreliable);
	channel_init(&ch, &sc.vices, &sc.rng);
	for (i = 0; i < 2; i++) {
		node_init(&nodes[i], &sc, i, &ch);
		nodes[i].verbose = verbose;
	}
	if (verbose)
		describe(&sc);
	wrong = run(&sc, &ch, nodes, totals);
	if (wrong) {
		if (!verbose)
			describe(&sc);
		printf("# %s seed %llu FAILED: %c: %s\n", names[unreliable ? SORO_UC : SORO_RC], seed,
		       nodes[0].broken ? 'A' : nodes[1].broken ? 'B' : '-', wrong);
	}
	for (i = 0; i < 2; i++) {
		count(totals, &sc, &nodes[i]);
		node_free(&nodes[i]);
	}
	totals->injections += !!sc.injection;
	channel_free(&ch);
	scenario_free(&sc);
	return !wrong;
}

static bool run_seed(u64 seed, u8 transport, bool verbose, struct totals *totals)
{
	const char *wrong;

	if (transport != SORO_UD)
		return run_connected(seed, transport == SORO_UC, verbose, totals);
	wrong = datagram_run(seed, verbose, &totals->ud);
	if (wrong)
		printf("# UD seed %llu FAILED: %s\n", seed, wrong);
	return !wrong;
}

struct lines {
	u32 passed, failed;
};

static void run_seeds(u64 from, u64 to, u8 transport, bool verbose, struct totals *totals,
		      struct lines *lines)
{
	u64 seed = from;
	u32 bad, n;

	while (seed <= to) {
		u64 start = seed;

		for (bad = 0, n = 0; n < SEEDS_PER_LINE && seed <= to; n++, seed++)
			bad += !run_seed(seed, transport, verbose, totals);
		lines->passed += !bad;
		lines->failed += !!bad;
		printf("%sok %u - %s seeds %llu..%llu\n", bad ? "not " : "",
		       lines->passed + lines->failed, names[transport], start, seed - 1);
		fflush(stdout);
	}
}

static int run_all(u64 from, u64 to, unsigned long transports, bool verbose)
{
	static const u8 order[] = { SORO_RC, SORO_UC, SORO_UD };
	u64 half = transports & BIT(SORO_RC) ? from + (to - from) / 2 : to;
	struct totals totals = { 0 };
	struct lines lines = { 0 };
	u32 i;

	puts("TAP version 13");
	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (transports & BIT(order[i]))
			run_seeds(from, order[i] == SORO_RC ? to : half, order[i], verbose,
				  &totals, &lines);
	printf("1..%u\n", lines.passed + lines.failed);
	printf("# %llu events, %llu packets resent, %llu timeouts, %llu runs with a fault\n",
	       totals.events, totals.resent, totals.timeouts, totals.injections);
	printf("# %llu probes, %llu path marks, %llu peers found to keep what comes out of order\n",
	       totals.probes, totals.marks, totals.keepers);
	printf("# %llu messages went without a credit, %llu FLUSHes executed\n", totals.uncredited,
	       totals.flushes);
	printf("# UC: %llu messages that take a receive, %llu arrived\n", totals.sent,
	       totals.arrived);
	printf("# UD: %llu datagrams, %llu arrived, %llu refused, %llu not sent\n", totals.ud.sent,
	       totals.ud.arrived, totals.ud.refused, totals.ud.failed);
	printf("# %u passed, %u failed, 0 skipped\n", lines.passed, lines.failed);
	return lines.failed != 0;
}

int main(int argc, char **argv)
{
	unsigned long transports = BIT(SORO_RC) | BIT(SORO_UC) | BIT(SORO_UD);
	u64 from = 1, to = SEEDS_DEFAULT;
	bool verbose = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--verbose")) {
			verbose = true;
		} else if (!strcmp(argv[i], "--rc")) {
			transports = BIT(SORO_RC);
		} else if (!strcmp(argv[i], "--uc")) {
			transports = BIT(SORO_UC);
		} else if (!strcmp(argv[i], "--ud")) {
			transports = BIT(SORO_UD);
		} else if (!strcmp(argv[i], "--seeds") && i + 1 < argc) {
			int n = sscanf(argv[++i], "%llu..%llu", &from, &to);

			if (n == 1)
				to = from;
			if (n < 1 || to < from)
				return 2;
		} else {
			fprintf(stderr, "usage: %s [--rc|--uc|--ud] [--seeds A..B] [--verbose]\n",
				argv[0]);
			return 2;
		}
	}
	return run_all(from, to, transports, verbose);
}

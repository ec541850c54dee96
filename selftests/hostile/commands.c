// SPDX-License-Identifier: GPL-2.0
/*
 * Every uverbs command, of the write() interface (legacy and extended), of the ioctl() interface,
 * and of the one through the other, with parts that are truncated, too long, random, with
 * responses that point nowhere, with numbers of other commands. Nothing may happen to the kernel.
 *
 * soro_commands DEVICE GID_INDEX COMMANDS SEED - prints TAP; the kernel log is the judge.
 * Each round is a process of its own, which leaves all that it made to the kernel.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw.h"
#include "methods.h"
#include "template.h"

#define PER_ROUND	500
#define ROUND_SECONDS	300	/* for a slow guest */
#define TEMPLATES	64
#define METHODS		TEMPLATES	/* row of the calls of methods */

/* Counted by all rounds. */
struct count {
	unsigned int plain, plain_worked, spoiled, spoiled_worked;
};

static struct count *counts;
static const struct template *templates[TEMPLATES];
static unsigned int template_count;

/* ---- what can be wrong with a command ---- */

static struct ib_uverbs_cmd_hdr *head(struct command *c)
{
	return (void *)c->wire;
}

static struct ib_uverbs_ex_cmd_hdr *ex_head(struct command *c)
{
	return (void *)(c->wire + sizeof(struct ib_uverbs_cmd_hdr));
}

static bool is_extended(struct command *c)
{
	return head(c)->command & IB_USER_VERBS_CMD_FLAG_EXTENDED;
}

/* The words of the head say what is there. */
static void count_words(struct command *c)
{
	if (is_extended(c)) {
		head(c)->in_words = (c->driver - c->core) / 8;
		ex_head(c)->provider_in_words = (c->bytes - c->driver) / 8;
	} else {
		head(c)->in_words = c->bytes / 4;
	}
}

static size_t response_bytes(struct command *c)
{
	return !is_extended(c) && c->core_out ? sizeof(uint64_t) : 0;
}

static bool truncate_command(struct command *c, uint64_t *state)
{
	c->bytes = draw(state, c->bytes + 1);
	if (one_in(state, 2))
		c->bytes &= ~3UL;
	if (c->bytes < c->driver)
		c->driver = c->bytes < c->core ? c->core : c->bytes;
	if (c->bytes >= c->core && !one_in(state, 4))
		count_words(c);
	return false;
}

/* A driver's part that the driver did not ask for, zero or not. */
static bool prolong(struct command *c, uint64_t *state)
{
	size_t more = one_in(state, 4) ? draw(state, 2048) : 4 * draw(state, 20), i;
	bool zero = one_in(state, 2);

	if (c->bytes + more > sizeof(c->wire))
		return true;
	for (i = 0; i < more; i++)
		c->wire[c->bytes + i] = zero ? 0 : draw(state, 256);
	c->bytes += more;
	count_words(c);
	return true;
}

static bool random_driver_part(struct command *c, uint64_t *state)
{
	size_t i;

	for (i = c->driver; i < c->bytes; i++)
		c->wire[i] = draw(state, 256);
	return true;
}

static bool random_bytes(struct command *c, uint64_t *state)
{
	size_t from = c->core + response_bytes(c), n = 1 + draw(state, 4);

	while (c->driver > from && n--)
		c->wire[from + draw(state, c->driver - from)] = nasty(state);
	return true;
}

static bool wrong_words(struct command *c, uint64_t *state)
{
	switch (draw(state, 4)) {
	case 0:
		head(c)->in_words = nasty(state);
		break;
	case 1:
		head(c)->in_words += 1 - 2 * (int)draw(state, 2);
		break;
	case 2:
		if (is_extended(c))
			ex_head(c)->provider_in_words = nasty(state);
		else
			head(c)->in_words = c->bytes / 8;
		break;
	default:
		if (is_extended(c))
			ex_head(c)->cmd_hdr_reserved = nasty(state);
		else
			head(c)->command |= 1U << draw(state, 32);
	}
	return false;
}

/* Room for a response that is too small, or said to be larger than memory. */
static bool wrong_room(struct command *c, uint64_t *state)
{
	uint16_t words = one_in(state, 3) ? draw(state, COMMAND_BYTES / 8) : draw(state, 24);

	if (is_extended(c) && one_in(state, 2))
		ex_head(c)->provider_out_words = draw(state, 8);
	else
		head(c)->out_words = words;
	return false;
}

static bool wrong_response(struct command *c, uint64_t *state)
{
	const uint64_t places[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 4095, 1ULL << 47, 0xffff888000000000ULL,
		(uintptr_t)world.buffer + BUFFER_BYTES - draw(state, 64),
		(uintptr_t)world.buffer + BUFFER_BYTES,
		(uintptr_t)world.buffer + draw(state, 4096),
	};
	uint64_t place = places[draw(state, sizeof(places) / sizeof(places[0]))];

	if (is_extended(c))
		ex_head(c)->response = place;
	else if (response_bytes(c))
		memcpy(c->wire + c->core, &place, sizeof(place));
	return false;
}

static bool other_number(struct command *c, uint64_t *state)
{
	head(c)->command = draw(state, 64) |
			   (one_in(state, 3) ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0);
	return false;
}

static bool spoil(struct command *c, uint64_t *state)
{
	static bool (*const ways[])(struct command *c, uint64_t *state) = {
		truncate_command, prolong, random_driver_part, random_bytes, random_bytes,
		wrong_words, wrong_room, wrong_response, other_number,
	};
	bool believe = true;

	do
		believe &= ways[draw(state, sizeof(ways) / sizeof(ways[0]))](c, state);
	while (one_in(state, 4));
	return believe;
}

/* ---- rounds ---- */

static void add_templates(const struct template *t)
{
	for (; t->name; t++)
		templates[template_count++] = t;
}

static void one_command(uint64_t *state)
{
	unsigned int i = draw(state, template_count);
	struct count *count = &counts[i];

	switch (draw(state, 8)) {
	case 0:
		if (one_in(state, 4))
			template_connect(draw(state, SLOTS), state);
		count->plain++;
		count->plain_worked += !template_run(templates[i], state, NULL);
		break;
	case 1:
		count = &counts[METHODS];
		count->plain++;
		count->plain_worked += !method_invoke(templates[i], state);
		break;
	case 2:
	case 3:
		count = &counts[METHODS];
		count->spoiled++;
		count->spoiled_worked += !method_call(state);
		break;
	default:
		count->spoiled++;
		count->spoiled_worked += !template_run(templates[i], state, spoil);
	}
}

/* What the other commands are about; not all of it can be made. */
static void make_objects(uint64_t *state)
{
	const struct template *t;
	int times;

	for (t = object_templates; t->name; t++)
		for (times = 0; t->makes != KINDS && times < 8; times++)
			template_run(t, state, NULL);
}

static int run_round(const char *device, int gid_index, uint64_t state)
{
	unsigned int i;

	alarm(ROUND_SECONDS);
	if (world_open(device, gid_index))
		return 1;
	/* Now and then there is no context yet, and one of the commands may make it. */
	if (!one_in(&state, 16)) {
		if (world_context())
			return 1;
		make_objects(&state);
	}
	for (i = 0; i < PER_ROUND; i++)
		one_command(&state);
	return 0;
}

static bool rounds(const char *device, int gid_index, unsigned int n, uint64_t seed)
{
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < n; i++) {
		fflush(stdout);
		pid = fork();
		if (!pid)
			_exit(run_round(device, gid_index, seed * 1000000 + i));
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return false;
		if (status) {
			printf("# round %u: status %#x\n", i, status);
			return false;
		}
	}
	return true;
}

/* False if one of those that work more often than not never did. */
static bool account(void)
{
	static const char *const needed[] = {
		"ALLOC_PD", "CREATE_CQ", "CREATE_SRQ", "CREATE_QP", "REG_MR", "ALLOC_MW",
		"CREATE_AH", "RESIZE_CQ", "REQ_NOTIFY_CQ", "QUERY_DEVICE", "EX_QUERY_DEVICE",
		"EX_CREATE_CQ", "EX_CREATE_QP",
	};
	bool all = counts[METHODS].plain_worked;
	unsigned int i, k;

	for (i = 0; i < template_count; i++) {
		printf("# %-30s %5u as it should be, %5u successful; %5u spoiled, %5u successful\n",
		       templates[i]->name, counts[i].plain, counts[i].plain_worked,
		       counts[i].spoiled, counts[i].spoiled_worked);
		for (k = 0; k < sizeof(needed) / sizeof(needed[0]); k++)
			all &= strcmp(templates[i]->name, needed[k]) ||
			       counts[i].plain_worked + counts[i].spoiled_worked;
	}
	printf("# %-30s %5u through ioctl(), %5u successful; %5u methods, %5u successful\n", "",
	       counts[METHODS].plain, counts[METHODS].plain_worked,
	       counts[METHODS].spoiled, counts[METHODS].spoiled_worked);
	return all;
}

int main(int argc, char **argv)
{
	unsigned int n;
	uint64_t seed;
	bool lived, worked;

	if (argc != 5) {
		fprintf(stderr, "usage: %s DEVICE GID_INDEX COMMANDS SEED\n", argv[0]);
		return 2;
	}
	n = (strtoul(argv[3], NULL, 0) + PER_ROUND - 1) / PER_ROUND;
	seed = strtoull(argv[4], NULL, 0);
	counts = mmap(NULL, sizeof(*counts) * (METHODS + 1), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	add_templates(object_templates);
	add_templates(use_templates);
	add_templates(extra_templates);
	printf("TAP version 13\n# seed %llu\n", (unsigned long long)seed);
	lived = rounds(argv[1], atoi(argv[2]), n, seed);
	printf("%sok 1 - %u commands, %u in each process\n", lived ? "" : "not ", n * PER_ROUND,
	       PER_ROUND);
	worked = account();
	printf("%sok 2 - and what has to work did\n", worked ? "" : "not ");
	printf("1..2\n");
	return !(lived && worked);
}

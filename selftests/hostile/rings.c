// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile process: threads write into every ring that the device has mapped - indices,
 * sizes, requests that are wrong in one field or in all - while others ring doorbells, arm,
 * resize, modify, create and destroy, each whatever it finds. Nothing may happen to the kernel,
 * nor to the traffic of others.
 *
 * soro_rings DEVICE GID_INDEX OPERATIONS SEED - prints TAP; the kernel log is the judge. In the end
 * everything is left as it is, for the kernel to clear away.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "draw.h"
#include "rubbish.h"
#include "template.h"

#define WRITERS		2
#define USERS		4
#define THREADS		(WRITERS + USERS)

/* What a thread may do, with weights, and how many commands that is. Most send a template. */
struct operation {
	const char *name;
	unsigned int weight, commands;
	int (*run)(uint64_t *state);
	const struct template *template;
	atomic_uint tried, worked;
};

static int connect_pair(uint64_t *state)
{
	unsigned int slot = draw(state, SLOTS);

	template_connect(slot, state);
	template_connect(slot ^ 1, state);
	return 0;
}

/* Take what there is of the events, as a program would, without waiting. */
static int read_events(uint64_t *state)
{
	int channel = world.objects[CHANNEL][draw(state, SLOTS)].handle;
	char events[1024];

	return read(one_in(state, 2) ? world.async_fd : channel, events, sizeof(events)) < 0 ?
	       errno : 0;
}

/* Map what is not to be mapped. */
static int map_wrongly(uint64_t *state)
{
	size_t bytes = 4096 * (1 + draw(state, 16));
	void *where = mmap(NULL, bytes, PROT_READ | (one_in(state, 4) ? PROT_EXEC : PROT_WRITE),
			   one_in(state, 4) ? MAP_PRIVATE : MAP_SHARED, world.fd,
			   (one_in(state, 2) ? draw(state, 256) : nasty(state)) * 4096);

	if (where == MAP_FAILED)
		return errno;
	return munmap(where, bytes);
}

static struct operation operations[64] = {
	{ "connect two QPs", 40, 8, connect_pair },
	{ "read events", 10, 1, read_events },
	{ "map at any offset", 4, 1, map_wrongly },
};

static unsigned int operation_count = 3, weight_sum;
static unsigned int per_thread;
static atomic_ulong written;
static atomic_bool stop;

/* How often a command is sent, where that is not 6. */
static const struct {
	const char *name;
	unsigned int weight;
} weights[] = {
	{ "POST_SEND, a doorbell", 400 },
	{ "REQ_NOTIFY_CQ", 100 },
	{ "MODIFY_QP", 30 },
	{ "CREATE_QP", 30 },
	{ "DESTROY_QP", 8 },
	{ "CREATE_CQ", 12 },
	{ "RESIZE_CQ", 24 },
	{ "CREATE_SRQ", 12 },
	{ "MODIFY_SRQ", 20 },
	{ "REG_MR", 16 },
	{ "ALLOC_MW", 16 },
	{ "CREATE_AH", 16 },
	{ "CREATE_COMP_CHANNEL", 2 },
	{ "ALLOC_PD", 2 },
	{ "DEALLOC_PD", 2 },
};

static unsigned int weight_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(weights) / sizeof(weights[0]); i++)
		if (!strcmp(weights[i].name, name))
			return weights[i].weight;
	return 6;
}

static void add_operations(const struct template *t)
{
	for (; t->name; t++) {
		struct operation *op = &operations[operation_count++];

		op->name = t->name;
		op->weight = weight_of(t->name);
		op->commands = 1;
		op->template = t;
	}
}

static struct operation *draw_operation(uint64_t *state)
{
	unsigned int at = draw(state, weight_sum), i;

	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	return &operations[i];
}

static void *user(void *arg)
{
	uint64_t state = (uintptr_t)arg;
	struct operation *op;
	unsigned int i;
	int err;

	for (i = 0; i < per_thread; i += op->commands) {
		op = draw_operation(&state);
		err = op->template ? template_run(op->template, &state, NULL) : op->run(&state);
		op->tried++;
		if (!err)
			op->worked++;
	}
	return NULL;
}

static void *writer(void *arg)
{
	uint64_t state = (uintptr_t)arg;

	while (!stop) {
		written += rubbish_write(&state);
		usleep(50 + draw(&state, 200));
	}
	return NULL;
}

/* Something of everything, so that the first operations find what they need. */
static void begin(uint64_t *state)
{
	static const enum kind order[] = { PD, CHANNEL, CQ, SRQ, QP, MR, MW, AH };
	const struct template *t;
	unsigned int i, k;

	for (k = 0; k < KINDS; k++)
		for (t = object_templates; t->name; t++)
			for (i = 0; t->makes == order[k] && i < SLOTS; i++)
				template_run(t, state, NULL);
	for (i = 0; i < SLOTS; i++)
		template_connect(i, state);
}

/* A short run may be out of luck with what it tries less often. */
#define TRIES_ENOUGH	20

/* Prints how much of each was done; false if what has to work never did. */
static bool account(void)
{
	static const char *const needed[] = {
		"connect two QPs", "POST_SEND, a doorbell", "REQ_NOTIFY_CQ", "MODIFY_QP", "CREATE_QP",
		"DESTROY_QP", "CREATE_CQ", "REG_MR", "CREATE_AH", "DEREG_MR", "DESTROY_AH",
		"CREATE_SRQ", "MODIFY_SRQ", "RESIZE_CQ", "ALLOC_MW", "DEALLOC_MW", "REREG_MR",
	};
	unsigned int i, k;
	bool all = true;

	for (i = 0; i < operation_count; i++) {
		struct operation *op = &operations[i];

		printf("# %-30s %6u, %6u of them successful\n", op->name, op->tried, op->worked);
		for (k = 0; k < sizeof(needed) / sizeof(needed[0]); k++)
			all &= strcmp(op->name, needed[k]) || op->worked ||
			       op->tried < TRIES_ENOUGH;
	}
	printf("# %-30s %lu\n", "words and requests written", written);
	return all;
}

static void run_threads(uint64_t seed)
{
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i < WRITERS ? writer : user,
			       (void *)(seed * THREADS + i + 1));
	for (i = WRITERS; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop = true;
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	uint64_t seed, state;
	bool ok;
	unsigned int i;

	if (argc != 5) {
		fprintf(stderr, "usage: %s DEVICE GID_INDEX OPERATIONS SEED\n", argv[0]);
		return 2;
	}
	per_thread = strtoul(argv[3], NULL, 0) / USERS;
	state = seed = strtoull(argv[4], NULL, 0);
	printf("TAP version 13\n1..1\n# seed %llu\n", (unsigned long long)seed);
	if (world_open(argv[1], atoi(argv[2])) || world_context()) {
		printf("Bail out! no device %s\n", argv[1]);
		return 1;
	}
	add_operations(object_templates);
	add_operations(use_templates);
	for (i = 0; i < operation_count; i++)
		weight_sum += operations[i].weight;
	begin(&state);
	run_threads(seed);
	ok = account() && written;
	printf("%sok 1 - %u operations, while rings are written\n", ok ? "" : "not ",
	       USERS * per_thread);
	return !ok;
}

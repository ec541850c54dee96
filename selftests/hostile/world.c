// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/soro-abi.h>

#include "command.h"
#include "draw.h"
#include "world.h"

#define GUARD_BYTES	(1024 * 1024)

struct world world = { .fd = -1, .async_fd = -1, .lock = PTHREAD_RWLOCK_INITIALIZER };

/*
 * Addresses for @bytes with nothing on either side: what is registered there, or written there by
 * the device, never is anything of this program's own.
 */
static void *reserve(size_t bytes)
{
	uint8_t *area = mmap(NULL, bytes + 2 * GUARD_BYTES, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return area == MAP_FAILED ? NULL : area + GUARD_BYTES;
}

static void release(void *middle, size_t bytes)
{
	munmap((uint8_t *)middle - GUARD_BYTES, bytes + 2 * GUARD_BYTES);
}

/* A line of a file in /sys, without its end. */
static int sysfs_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "r");

	if (!file)
		return -1;
	if (!fgets(line, size, file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	return 0;
}

static int open_char_device(const char *device)
{
	DIR *dir = opendir("/sys/class/infiniband_verbs");
	struct dirent *entry;
	char path[512], name[64];
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/%s/ibdev", entry->d_name);
		if (sysfs_line(path, name, sizeof(name)) || strcmp(name, device))
			continue;
		snprintf(path, sizeof(path), "/dev/infiniband/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return fd;
}

static int read_gid(const char *device)
{
	unsigned int word[8];
	char path[256], line[64];
	int i;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d", device,
		 world.gid_index);
	if (sysfs_line(path, line, sizeof(line)) ||
	    sscanf(line, "%x:%x:%x:%x:%x:%x:%x:%x", &word[0], &word[1], &word[2], &word[3],
		   &word[4], &word[5], &word[6], &word[7]) != 8)
		return -1;
	for (i = 0; i < 8; i++) {
		world.gid[2 * i] = word[i] >> 8;
		world.gid[2 * i + 1] = word[i];
	}
	return 0;
}

/**
 * world_context() - make the open file a context of the device, without objects
 *
 * Return: 0 or errno
 */
int world_context(void)
{
	struct ib_uverbs_get_context_resp *resp;
	struct command c;
	int err, kind, i;

	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < SLOTS; i++)
			world.objects[kind][i].handle = NONE;
	command_begin(&c, IB_USER_VERBS_CMD_GET_CONTEXT, (struct parts) {
		.core_in = sizeof(struct ib_uverbs_get_context),
		.core_out = sizeof(*resp),
	});
	err = command_send(world.fd, &c);
	if (err)
		return err;
	resp = (void *)c.out;
	world.async_fd = resp->async_fd;
	fcntl(world.async_fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/**
 * world_open() - open a device
 * @device: its name
 * @gid_index: of the address that is used
 *
 * Return: 0 or -1
 */
int world_open(const char *device, int gid_index)
{
	world.gid_index = gid_index;
	world.fd = open_char_device(device);
	if (world.fd < 0 || read_gid(device))
		return -1;
	world.buffer = reserve(BUFFER_BYTES);
	return world.buffer ? mprotect(world.buffer, BUFFER_BYTES, PROT_READ | PROT_WRITE) : -1;
}

/* One that exists, most often; else whatever the draw says. */
static uint32_t pick(enum kind kind, uint64_t *state, bool number)
{
	unsigned int i, first = draw(state, SLOTS);
	struct object *o;

	for (i = 0; i < SLOTS && !one_in(state, 256); i++) {
		o = &world.objects[kind][(first + i) % SLOTS];
		if (o->handle != NONE)
			return number ? o->number : o->handle;
	}
	return nasty(state);
}

/**
 * world_pick() - a handle
 * @kind: of an object
 * @state: of the generator
 *
 * Return: a handle, not always one that exists
 */
uint32_t world_pick(enum kind kind, uint64_t *state)
{
	return pick(kind, state, false);
}

/**
 * world_number() - the number that an object is known by in rings and on the wire
 * @kind: of an object
 * @state: of the generator
 *
 * Return: the number, not always one that exists
 */
uint32_t world_number(enum kind kind, uint64_t *state)
{
	return pick(kind, state, true);
}

/**
 * world_address() - an address to send from or to: in the buffer, in a ring, anywhere
 * @state: of the generator
 *
 * Return: the address
 */
uint64_t world_address(uint64_t *state)
{
	uint64_t base = (uintptr_t)world.buffer;

	switch (draw(state, 16)) {
	case 0:
		return (uintptr_t)world.rings[draw(state, RINGS)].words + draw(state, 8192);
	case 1:
		return nasty(state);
	case 2:
		return base + BUFFER_BYTES - draw(state, 64);
	case 3:
		return base + draw(state, BUFFER_BYTES);
	default:
		return base + (draw(state, BUFFER_BYTES - 8192) & ~7);
	}
}

/**
 * world_map() - map a ring in the place of the oldest
 * @kind: of the ring
 * @info: struct soro_abi_mmap_info, as the response to a command has it; empty for no ring
 */
void world_map(enum ring_kind kind, const void *info)
{
	struct soro_abi_mmap_info mi;
	struct soro_abi_ring *head;
	struct ring *r;

	memcpy(&mi, info, sizeof(mi));
	if (!mi.size)
		return;
	head = reserve(mi.size);
	if (!head)
		return;
	if (mmap(head, mi.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, world.fd,
		 mi.offset) == MAP_FAILED) {
		release(head, mi.size);
		return;
	}
	pthread_rwlock_wrlock(&world.lock);
	r = &world.rings[world.next_ring++ % RINGS];
	if (r->words)
		release(r->words, r->bytes);
	*r = (struct ring) {
		.words = (void *)head,
		.bytes = mi.size,
		.log2_bytes = head->log2_elem_bytes & 31,
		.mask = head->mask,
		.kind = kind,
	};
	pthread_rwlock_unlock(&world.lock);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a hostile process has: the open device, objects by handle, keys and numbers, a
 * buffer, and the rings that it has mapped. All of it is shared by its threads, which create,
 * use and destroy the same objects at the same time.
 */
#ifndef HOSTILE_WORLD_H
#define HOSTILE_WORLD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS		16
#define NONE		UINT32_MAX	/* no object has this handle */
#define BUFFER_BYTES	(256 * 1024)
#define RINGS		48
#define QKEY		0x11111111

enum kind { PD, CHANNEL, CQ, SRQ, QP, MR, MW, AH, KINDS };

/**
 * struct object - what is believed to exist
 * @handle: of the core's, NONE if there is none
 * @number: QPN, key, or number of the address handle
 * @type: of a QP
 * @busy: a thread replaces it
 */
struct object {
	_Atomic uint32_t handle, number, type;
	atomic_bool busy;
};

enum ring_kind { RING_SEND, RING_RECV, RING_CQ };

/**
 * struct ring - memory shared with the kernel
 * @words: of its head and slots
 * @bytes: of the mapping
 * @log2_bytes: of a slot, as it was in the beginning
 * @mask: number of slots less one, as it was in the beginning
 * @kind: what is in it
 */
struct ring {
	uint32_t *words;
	size_t bytes;
	uint32_t log2_bytes, mask;
	enum ring_kind kind;
};

/**
 * struct world - all of it
 * @fd: the open device
 * @async_fd: its asynchronous events
 * @gid: an address of the device, with its @gid_index
 * @buffer: memory that is registered
 * @objects: by kind and slot
 * @rings: those mapped last; a new one takes the place of the oldest
 * @lock: of @rings: held to read while their memory is touched
 */
struct world {
	int fd, async_fd;
	uint8_t gid[16];
	int gid_index;
	uint8_t *buffer;
	struct object objects[KINDS][SLOTS];
	struct ring rings[RINGS];
	unsigned int next_ring;
	pthread_rwlock_t lock;
};

extern struct world world;

int world_open(const char *device, int gid_index);
int world_context(void);
uint32_t world_pick(enum kind kind, uint64_t *state);
uint32_t world_number(enum kind kind, uint64_t *state);
uint64_t world_address(uint64_t *state);
void world_map(enum ring_kind kind, const void *info);

#endif

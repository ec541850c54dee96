/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings that are shared with user space, or with a consumer in the kernel.
 *
 * Owns: every access to shared memory, and the private copy of everything that
 * the kernel itself has to know about a ring. Must not know: what the entries
 * mean.
 */
#ifndef SORO_OBJECTS_RING_H
#define SORO_OBJECTS_RING_H

#include <linux/types.h>

struct ib_ucontext;
struct rdma_user_mmap_entry;
struct soro_abi_mmap_info;
struct soro_abi_ring;
struct soro_ring_map;
struct vm_area_struct;

/**
 * struct soro_ring - the kernel's end of a ring; all zero is a ring that does not exist
 * @shared: the memory of both ends; never trusted
 * @map: owns @shared, and makes it mappable if the other end is user space
 * @mask: slots - 1
 * @log2_elem_bytes: log2 of the bytes in a slot
 * @next: number of the entry that is consumed or produced next; its low bits are the slot
 * @taken: consumer only: entries that were copied but not yet released
 * @seen: producer only: number of the entry that the user consumes next, as far as it is possible
 *
 * The owner of the ring serialises all calls on it (owned half of a QP, lock of a CQ).
 */
struct soro_ring {
	struct soro_abi_ring *shared;
	struct soro_ring_map *map;
	u32 mask;
	u32 log2_elem_bytes;
	u32 next;
	union {
		u32 taken;
		u32 seen;
	};
};

int soro_ring_create(struct soro_ring *ring, u32 entries, u32 elem_bytes,
		     struct ib_ucontext *uctx, struct soro_abi_mmap_info *info);
void soro_ring_destroy(struct soro_ring *ring);
int soro_ring_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void soro_ring_mmap_free(struct rdma_user_mmap_entry *entry);

/* Consumer: send and receive rings. */
u32 soro_ring_pending(const struct soro_ring *ring);
bool soro_ring_copy(struct soro_ring *ring, void *dst, u32 bytes);
void soro_ring_put_back(struct soro_ring *ring);
void soro_ring_release(struct soro_ring *ring, u32 n);
void soro_ring_discard(struct soro_ring *ring);
bool soro_ring_broken(const struct soro_ring *ring);

/* Producer: completion rings. */
u32 soro_ring_unread(struct soro_ring *ring);
bool soro_ring_full(struct soro_ring *ring);
bool soro_ring_empty(struct soro_ring *ring);
void soro_ring_push(struct soro_ring *ring, const void *elem, u32 bytes);

/* A ring of another size. */
void soro_ring_succeed(struct soro_ring *to, const struct soro_ring *from);
int soro_ring_move(const struct soro_ring *from, struct soro_ring *to, u32 room, u32 max);
bool soro_ring_move_unread(struct soro_ring *from, struct soro_ring *to, u32 max);

/* The other end of either, where it is a consumer in the kernel. */
void *soro_ring_reserve(struct soro_ring *ring);
void soro_ring_commit(struct soro_ring *ring);
bool soro_ring_pull(struct soro_ring *ring, void *dst, u32 bytes);

/**
 * soro_ring_exists - whether the ring was created and not yet destroyed
 * @ring: the ring
 */
static inline bool soro_ring_exists(const struct soro_ring *ring)
{
	return ring->map;
}

/**
 * soro_ring_capacity - how many entries the ring can hold
 * @ring: the ring
 */
static inline u32 soro_ring_capacity(const struct soro_ring *ring)
{
	return ring->mask;
}

/**
 * soro_ring_elem_bytes - bytes in a slot
 * @ring: the ring
 */
static inline u32 soro_ring_elem_bytes(const struct soro_ring *ring)
{
	return 1U << ring->log2_elem_bytes;
}

/**
 * soro_ring_taken - entries copied but not yet released
 * @ring: a ring whose consumer is the kernel
 */
static inline u32 soro_ring_taken(const struct soro_ring *ring)
{
	return ring->taken;
}

#endif /* SORO_OBJECTS_RING_H */

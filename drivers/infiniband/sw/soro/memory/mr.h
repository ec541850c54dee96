/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions: registered memory, who may touch which bytes of it, and
 * where they are in the kernel's address space.
 *
 * Owns: registration, the one check of key, PD, rights and range, and the
 * arithmetic of address and length. Must not know: QPs, work requests, packets.
 */
#ifndef SORO_MEMORY_MR_H
#define SORO_MEMORY_MR_H

#include <linux/completion.h>
#include <linux/minmax.h>
#include <linux/refcount.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct ib_umem;
struct soro_keys;

/**
 * struct soro_mr - a memory region
 * @ib: the core's object
 * @keys: the key space that @key belongs to
 * @pd: protection domain; @ib.pd is set by the core only after the region is visible
 * @umem: the pinned user memory; NULL if the region is the kernel's own memory
 * @iova: address of the first byte as work requests name it
 * @length: bytes, at least 1; @iova + @length - 1 does not wrap
 * @access: IB_ACCESS_* bits
 * @key: L_Key and R_Key, which are equal
 * @block_shift: log2 of the bytes in a block
 * @first_bytes: distance of the first byte of the region from the start of @block[0]
 * @block: kernel address of each block; only bytes of the region may be touched
 * @users: references; one belongs to the registration
 * @idle: completed when the last reference is gone
 * @rcu: frees the structure after lookups under RCU have ended
 *
 * Nothing but @users and @idle changes while the region can be found.
 */
struct soro_mr {
	struct ib_mr ib;
	struct soro_keys *keys;
	const struct ib_pd *pd;
	struct ib_umem *umem;
	u64 iova;
	u64 length;
	int access;
	u32 key;
	u32 block_shift;
	u64 first_bytes;
	void **block;
	refcount_t users;
	struct completion idle;
	struct rcu_head rcu;
};

struct ib_mr *soro_mr_reg_user(struct soro_keys *keys, struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access);
struct ib_mr *soro_mr_get_dma(struct soro_keys *keys, struct ib_pd *pd, int access);
int soro_mr_dereg(struct ib_mr *ib_mr);
struct soro_mr *soro_mr_get(struct soro_keys *keys, const struct ib_pd *pd, u32 key, u64 va,
			    u64 bytes, int access);
void soro_mr_put(struct soro_mr *mr);
bool soro_mr_covers(const struct soro_mr *mr, u64 va, u64 bytes);

/**
 * soro_mr_span - a contiguous piece of a region
 * @mr: the region, referenced
 * @va: address of the first byte, inside the region
 * @want: bytes wanted, at least 1; @va + @want is inside the region
 * @got: bytes of the piece, 1 to @want
 *
 * Return: kernel address of the piece.
 */
static inline void *soro_mr_span(const struct soro_mr *mr, u64 va, u32 want, u32 *got)
{
	u64 at = mr->first_bytes + (va - mr->iova);
	u64 block_bytes = 1ULL << mr->block_shift;
	u64 in_block = at & (block_bytes - 1);

	*got = min_t(u64, want, block_bytes - in_block);
	return mr->block[at >> mr->block_shift] + in_block;
}

#endif /* SORO_MEMORY_MR_H */

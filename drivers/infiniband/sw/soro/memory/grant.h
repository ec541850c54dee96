/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Grants: what a key permits: to whom, which bytes, with which rights, and where those
 * bytes are in the kernel's address space. A memory region has one, a memory window has one.
 *
 * Owns: the one check of key, owner, rights and range, the arithmetic of address and
 * length, and that nobody touches memory under a grant that is changing or over. Must not
 * know: how memory is registered, QPs, work requests, packets.
 */
#ifndef SORO_MEMORY_GRANT_H
#define SORO_MEMORY_GRANT_H

#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct soro_keys;

#define SORO_ACCESS_REMOTE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
				 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_FLUSH_GLOBAL)

/**
 * struct soro_blocks - memory as blocks of equal size
 * @block: kernel address of each; only bytes of the region may be touched
 * @shift: log2 of the bytes in a block
 * @first_bytes: distance of the first byte of the region from the start of @block[0]
 */
struct soro_blocks {
	void **block;
	u32 shift;
	u64 first_bytes;
};

/** enum soro_grant_kind - what has the grant */
enum soro_grant_kind {
	SORO_GRANT_REGION,	/* region of user memory, or of all of the kernel's */
	SORO_GRANT_FAST,	/* region that work requests register and invalidate */
	SORO_GRANT_WINDOW_1,	/* memory window of type 1 */
	SORO_GRANT_WINDOW_2,	/* memory window of type 2B */
};

/**
 * struct soro_grant - what a key permits
 * @lock: read while memory is touched under the grant, written by who changes anything below.
 *	What is written is over: once an invalidation returns, nobody touches the memory. BH off;
 *	a leaf. Copies of different CPUs do not wait for each other.
 * @kind: enum soro_grant_kind; constant
 * @open: it permits something; all below but @key and @pd are valid then only
 * @key: the key; its index is constant
 * @pd: protection domain; NULL: the object is being destroyed
 * @qp: the only one that may use it remotely (windows of type 2B), else NULL
 * @iova: address of the first byte as work requests and packets name it
 * @length: bytes, at least 1; @iova + @length - 1 does not wrap
 * @access: IB_ACCESS_* bits
 * @offset: distance of the first byte from the first byte of @blocks
 * @blocks: the memory
 */
struct soro_grant {
	rwlock_t lock;		/* all below, see above */
	u8 kind;
	bool open;
	u32 key;
	const struct ib_pd *pd;
	const void *qp;
	u64 iova;
	u64 length;
	int access;
	u64 offset;
	const struct soro_blocks *blocks;
};

void soro_grant_init(struct soro_grant *grant, enum soro_grant_kind kind, const struct ib_pd *pd);
int soro_grant_publish(struct soro_grant *grant, struct soro_keys *keys);
void soro_grant_end(struct soro_grant *grant, struct soro_keys *keys);
bool soro_grant_covers(const struct soro_grant *grant, u64 va, u64 bytes);
struct soro_grant *soro_grant_hold(struct soro_keys *keys, const struct ib_pd *pd, const void *qp,
				   u32 key, int access);
struct soro_grant *soro_grant_get(struct soro_keys *keys, const struct ib_pd *pd, const void *qp,
				  u32 key, u64 va, u64 bytes, int access);
void soro_grant_put(struct soro_grant *grant);

/**
 * soro_grant_span - a contiguous piece of the memory
 * @grant: the grant, of soro_grant_get()
 * @va: address of the first byte, inside the range
 * @want: bytes wanted, at least 1; @va + @want is inside the range
 * @got: bytes of the piece, 1 to @want
 *
 * Return: kernel address of the piece.
 */
static inline void *soro_grant_span(const struct soro_grant *grant, u64 va, u32 want, u32 *got)
{
	const struct soro_blocks *blocks = grant->blocks;
	u64 at = blocks->first_bytes + grant->offset + (va - grant->iova);
	u64 block_bytes = 1ULL << blocks->shift;
	u64 in_block = at & (block_bytes - 1);

	*got = min_t(u64, want, block_bytes - in_block);
	return blocks->block[at >> blocks->shift] + in_block;
}

#endif /* SORO_MEMORY_GRANT_H */

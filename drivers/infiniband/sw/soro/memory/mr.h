/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions: registered memory.
 *
 * Owns: registration of user memory, of the kernel's, and changes of it. Must not know: QPs,
 * work requests, packets; who may touch what (grant.c); what work requests register (fast.c).
 */
#ifndef SORO_MEMORY_MR_H
#define SORO_MEMORY_MR_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include "grant.h"

struct ib_umem;
struct soro_keys;

/**
 * struct soro_mr - a memory region
 * @ib: the core's object
 * @keys: the key space that its key belongs to
 * @grant: what its key, L_Key and R_Key in one, permits
 * @blocks: the memory; changed with @grant held for writing
 * @umem: the pinned user memory; NULL if the region is the kernel's own memory
 * @windows: memory windows bound to it; negative: it is changing or going, none can be
 * @mapped: of SORO_GRANT_FAST: blocks that the next registration takes, else NULL
 * @mapped_num: entries of @mapped that are filled
 * @mapped_max: entries that there are
 * @rcu: frees the structure after lookups under RCU have ended
 */
struct soro_mr {
	struct ib_mr ib;
	struct soro_keys *keys;
	struct soro_grant grant;
	struct soro_blocks blocks;
	struct ib_umem *umem;
	atomic_t windows;
	void **mapped;
	u32 mapped_num;
	u32 mapped_max;
	struct rcu_head rcu;
};

static inline struct soro_mr *soro_mr_from_ib(struct ib_mr *ib_mr)
{
	return container_of(ib_mr, struct soro_mr, ib);
}

static inline struct soro_mr *soro_mr_from_grant(struct soro_grant *grant)
{
	return container_of(grant, struct soro_mr, grant);
}

struct soro_mr *soro_mr_alloc(struct soro_keys *keys, struct ib_pd *pd,
			      enum soro_grant_kind kind);
int soro_mr_publish(struct soro_mr *mr);
struct ib_mr *soro_mr_reg_user(struct soro_keys *keys, struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access);
struct ib_mr *soro_mr_rereg_user(struct ib_mr *ib_mr, int flags, u64 start, u64 length, u64 iova,
				 int access, struct ib_pd *pd);
struct ib_mr *soro_mr_get_dma(struct soro_keys *keys, struct ib_pd *pd, int access);
int soro_mr_dereg(struct ib_mr *ib_mr);
bool soro_mr_add_window(struct soro_mr *mr);
void soro_mr_del_window(struct soro_mr *mr);

#endif /* SORO_MEMORY_MR_H */

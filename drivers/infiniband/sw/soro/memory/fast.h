/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fast registration: memory regions of consumers in the kernel that work requests register
 * and invalidate (IBA 10.6.5).
 *
 * Owns: the list of pages that is registered next, and the registration. Must not know: QPs,
 * work requests, packets.
 */
#ifndef SORO_MEMORY_FAST_H
#define SORO_MEMORY_FAST_H

#include <rdma/ib_verbs.h>

#define SORO_FAST_PAGES_MAX	512

struct soro_keys;

struct ib_mr *soro_fast_alloc(struct soro_keys *keys, struct ib_pd *pd, enum ib_mr_type type,
			      u32 pages);
int soro_fast_map(struct ib_mr *ib_mr, struct scatterlist *sg, int nents, unsigned int *offset);
int soro_fast_register(struct soro_keys *keys, const struct ib_pd *pd, u32 key, int access);

#endif /* SORO_MEMORY_FAST_H */

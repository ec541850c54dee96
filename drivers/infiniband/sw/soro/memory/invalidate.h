/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: which keys an invalidation may end, and ending them. Must not know: QPs, work
 * requests, packets.
 */
#ifndef SORO_MEMORY_INVALIDATE_H
#define SORO_MEMORY_INVALIDATE_H

#include <linux/types.h>

struct ib_pd;
struct soro_keys;

int soro_invalidate(struct soro_keys *keys, const struct ib_pd *pd, const void *qp, u32 key,
		    bool remote);

#endif /* SORO_MEMORY_INVALIDATE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Atomic operations on registered memory.
 *
 * Owns: how eight bytes change at once for every CPU and every device. Must not
 * know: packets, QPs, who may repeat what.
 */
#ifndef SORO_MEMORY_ATOMIC_H
#define SORO_MEMORY_ATOMIC_H

#include <linux/types.h>

struct soro_cursor;

int soro_atomic_cmp_swp(struct soro_cursor *c, u64 compare, u64 swap, u64 *orig);
int soro_atomic_fetch_add(struct soro_cursor *c, u64 add, u64 *orig);
int soro_atomic_store(struct soro_cursor *c, u64 value);

#endif /* SORO_MEMORY_ATOMIC_H */

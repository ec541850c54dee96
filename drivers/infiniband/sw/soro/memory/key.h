/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The key space of a device: which object an L_Key or R_Key names.
 *
 * Owns: the numbers, their allocation and lookup. Must not know: what the
 * objects are.
 */
#ifndef SORO_MEMORY_KEY_H
#define SORO_MEMORY_KEY_H

#include <linux/types.h>
#include <linux/xarray.h>

/**
 * struct soro_keys - keys of one device
 * @objects: by key index (bits 31 to 8); entries that are allocated but not yet published are
 *	found as NULL. Written under its own irq-safe lock, read under RCU.
 * @next: where the search for a free index goes on, so that a freed index rests for long
 */
struct soro_keys {
	struct xarray objects;
	u32 next;
};

void soro_keys_init(struct soro_keys *keys);
void soro_keys_fini(struct soro_keys *keys);
int soro_key_alloc(struct soro_keys *keys, u32 *key);
void soro_key_publish(struct soro_keys *keys, u32 key, void *object);
void soro_key_free(struct soro_keys *keys, u32 key);
void *soro_key_find(struct soro_keys *keys, u32 key);

#endif /* SORO_MEMORY_KEY_H */

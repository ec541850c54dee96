// SPDX-License-Identifier: GPL-2.0
/*
 * The key space of a device.
 *
 * A key is an index of 24 bits and a variant of 8. The index finds the object,
 * the object knows its whole key. The variant is random, so that a key that
 * outlived its region is unlikely to hold for the next owner of the index.
 */
#include <linux/random.h>
#include <linux/rcupdate.h>
#include "key.h"

#define KEY_VARIANT_BITS	8
#define KEY_INDEX_MAX		(U32_MAX >> KEY_VARIANT_BITS)

/**
 * soro_keys_init - make an empty key space
 * @keys: the key space
 */
void soro_keys_init(struct soro_keys *keys)
{
	xa_init_flags(&keys->objects, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	keys->next = 0;
}

/**
 * soro_keys_fini - free a key space
 * @keys: the key space, in which no key is allocated any more
 */
void soro_keys_fini(struct soro_keys *keys)
{
	WARN_ON_ONCE(!xa_empty(&keys->objects));
	xa_destroy(&keys->objects);
}

/**
 * soro_key_alloc - reserve a key
 * @keys: the key space
 * @key: the key
 *
 * The key is found by nobody until it is published. Context: may sleep.
 * Return: 0, -ENOMEM, or -EBUSY when all keys are in use.
 */
int soro_key_alloc(struct soro_keys *keys, u32 *key)
{
	u32 index;
	int err;

	err = xa_alloc_cyclic_irq(&keys->objects, &index, NULL, XA_LIMIT(1, KEY_INDEX_MAX),
				  &keys->next, GFP_KERNEL);
	if (err < 0)
		return err;
	*key = index << KEY_VARIANT_BITS | get_random_u8();
	return 0;
}

/**
 * soro_key_publish - let a reserved key name an object
 * @keys: the key space
 * @key: a key of soro_key_alloc()
 * @object: the object, complete
 *
 * Context: process. Cannot fail: the entry has been reserved.
 */
void soro_key_publish(struct soro_keys *keys, u32 key, void *object)
{
	void *old = xa_store_irq(&keys->objects, key >> KEY_VARIANT_BITS, object, GFP_KERNEL);

	WARN_ON_ONCE(old);
}

/**
 * soro_key_free - give a key back
 * @keys: the key space
 * @key: a key of soro_key_alloc(), published or not
 *
 * Lookups under RCU may still return the object until a grace period has passed. Context: process.
 */
void soro_key_free(struct soro_keys *keys, u32 key)
{
	xa_erase_irq(&keys->objects, key >> KEY_VARIANT_BITS);
}

/**
 * soro_key_find - the object whose key has the same index
 * @keys: the key space
 * @key: any number, from the wire or from a work request
 *
 * The caller compares the variant with that of the object. Context: RCU read side, which also
 * bounds the life of the result.
 */
void *soro_key_find(struct soro_keys *keys, u32 key)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !rcu_read_lock_bh_held(), "no RCU read side");

	return xa_load(&keys->objects, key >> KEY_VARIANT_BITS);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions for unit tests: blocks of kernel memory instead of pinned user
 * memory, each allocated alone so that KASAN sees a step over its end.
 */
#ifndef SORO_MEMORY_REGION_TEST_H
#define SORO_MEMORY_REGION_TEST_H

#include <kunit/test.h>
#include "key.h"
#include "mr.h"

#define REGION_BLOCK_SHIFT	8
#define REGION_BLOCK_BYTES	BIT(REGION_BLOCK_SHIFT)

/**
 * struct region_test - a key space and a protection domain
 * @keys: the key space
 * @pd: only its address is used
 * @other_pd: another one
 */
struct region_test {
	struct soro_keys keys;
	struct ib_pd pd;
	struct ib_pd other_pd;
};

static inline struct region_test *region_test_setup(struct kunit *test)
{
	struct region_test *rt = kunit_kzalloc(test, sizeof(*rt), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rt);
	soro_keys_init(&rt->keys);
	return rt;
}

/* The first byte is first_bytes into its block, the last one at the end of the last block. */
static inline struct soro_mr *region_test_add(struct kunit *test, struct region_test *rt,
					      u64 iova, u32 blocks, u32 first_bytes, int access)
{
	struct soro_mr *mr = kunit_kzalloc(test, sizeof(*mr), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	mr->keys = &rt->keys;
	mr->pd = &rt->pd;
	mr->iova = iova;
	mr->length = blocks * REGION_BLOCK_BYTES - first_bytes;
	mr->access = access;
	mr->block_shift = REGION_BLOCK_SHIFT;
	mr->first_bytes = first_bytes;
	mr->block = kunit_kzalloc(test, blocks * sizeof(*mr->block), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr->block);
	for (i = 0; i < blocks; i++) {
		mr->block[i] = kunit_kzalloc(test, REGION_BLOCK_BYTES, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr->block[i]);
	}
	refcount_set(&mr->users, 1);
	init_completion(&mr->idle);
	KUNIT_ASSERT_EQ(test, soro_key_alloc(&rt->keys, &mr->key), 0);
	soro_key_publish(&rt->keys, mr->key, mr);
	return mr;
}

static inline u8 *region_test_byte(const struct soro_mr *mr, u32 offset)
{
	u32 at = mr->first_bytes + offset;

	return (u8 *)mr->block[at >> REGION_BLOCK_SHIFT] + (at & (REGION_BLOCK_BYTES - 1));
}

/* Nobody may have kept a reference. */
static inline void region_test_del(struct kunit *test, struct soro_mr *mr)
{
	soro_key_free(mr->keys, mr->key);
	KUNIT_EXPECT_EQ(test, refcount_read(&mr->users), 1U);
}

static inline void region_test_teardown(struct region_test *rt)
{
	soro_keys_fini(&rt->keys);
}

#endif /* SORO_MEMORY_REGION_TEST_H */

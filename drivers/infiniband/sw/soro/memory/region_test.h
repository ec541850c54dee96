/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions for unit tests: blocks of kernel memory instead of pinned user
 * memory, each allocated alone so that KASAN sees a step over its end.
 */
#ifndef SORO_MEMORY_REGION_TEST_H
#define SORO_MEMORY_REGION_TEST_H

#include <kunit/test.h>
#include <linux/bottom_half.h>
#include <linux/err.h>
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
	soro_grant_init(&mr->grant, SORO_GRANT_REGION, &rt->pd);
	mr->grant.blocks = &mr->blocks;
	mr->grant.iova = iova;
	mr->grant.length = blocks * REGION_BLOCK_BYTES - first_bytes;
	mr->grant.access = access;
	mr->grant.open = true;
	mr->blocks.shift = REGION_BLOCK_SHIFT;
	mr->blocks.first_bytes = first_bytes;
	mr->blocks.block = kunit_kzalloc(test, blocks * sizeof(*mr->blocks.block), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr->blocks.block);
	for (i = 0; i < blocks; i++) {
		mr->blocks.block[i] = kunit_kzalloc(test, REGION_BLOCK_BYTES, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr->blocks.block[i]);
	}
	KUNIT_ASSERT_EQ(test, soro_mr_publish(mr), 0);
	return mr;
}

static inline u8 *region_test_byte(const struct soro_mr *mr, u32 offset)
{
	u32 at = mr->blocks.first_bytes + offset;

	return (u8 *)mr->blocks.block[at >> REGION_BLOCK_SHIFT] + (at & (REGION_BLOCK_BYTES - 1));
}

/* Nobody may hold it. */
static inline void region_test_del(struct kunit *test, struct soro_mr *mr)
{
	bool idle = write_trylock(&mr->grant.lock);

	KUNIT_EXPECT_TRUE(test, idle);
	if (idle)
		write_unlock(&mr->grant.lock);
	soro_grant_end(&mr->grant, mr->keys);
}

/* Whether a use is permitted: 0, or the error. */
static inline int region_test_use(struct region_test *rt, const struct ib_pd *pd, const void *qp,
				  u32 key, u64 va, u64 bytes, int access)
{
	struct soro_grant *grant;

	local_bh_disable();
	grant = soro_grant_get(&rt->keys, pd, qp, key, va, bytes, access);
	if (!IS_ERR(grant))
		soro_grant_put(grant);
	local_bh_enable();
	return PTR_ERR_OR_ZERO(grant);
}

static inline void region_test_teardown(struct region_test *rt)
{
	soro_keys_fini(&rt->keys);
}

#endif /* SORO_MEMORY_REGION_TEST_H */

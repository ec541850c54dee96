// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the check of key, PD, rights and range, and of finding bytes. */
#include <linux/bottom_half.h>
#include <linux/err.h>
#include "region_test.h"

#define RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)

static void covers_bounds(struct kunit *test)
{
	struct soro_grant grant = { .iova = 0x1000, .length = 0x100 };

	KUNIT_EXPECT_TRUE(test, soro_grant_covers(&grant, 0x1000, 0));
	KUNIT_EXPECT_TRUE(test, soro_grant_covers(&grant, 0x1000, 0x100));
	KUNIT_EXPECT_TRUE(test, soro_grant_covers(&grant, 0x10ff, 1));
	KUNIT_EXPECT_TRUE(test, soro_grant_covers(&grant, 0x1100, 0));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&grant, 0x1100, 1));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&grant, 0x1101, 0));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&grant, 0x1000, 0x101));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&grant, 0xfff, 0));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&grant, 0xfff, 1));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&grant, 0xfff, 0x101));
}

static void covers_does_not_wrap(struct kunit *test)
{
	struct soro_grant low = { .iova = 0, .length = 0x100 };
	struct soro_grant high = { .iova = U64_MAX - 0xff, .length = 0x100 };

	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&low, U64_MAX, 2));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&low, U64_MAX - 0xf, 0x20));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&low, 0x80, U64_MAX));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&low, 0x80, U64_MAX - 0x7f));
	KUNIT_EXPECT_TRUE(test, soro_grant_covers(&high, U64_MAX - 0xff, 0x100));
	KUNIT_EXPECT_TRUE(test, soro_grant_covers(&high, U64_MAX, 1));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&high, U64_MAX, 2));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&high, U64_MAX, U64_MAX));
	KUNIT_EXPECT_FALSE(test, soro_grant_covers(&high, 0, 0));
}

#define EXPECT_REFUSED(test, rt, pd, key, va, bytes, access, err)			\
	KUNIT_EXPECT_EQ(test, region_test_use(rt, pd, NULL, key, va, bytes, access), err)

static void get_refuses(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, 0x1000, 2, 0, RW);
	u64 length = mr->grant.length;
	u32 key = mr->grant.key;

	EXPECT_REFUSED(test, rt, &rt->pd, 0, 0x1000, 1, 0, -ENOENT);
	EXPECT_REFUSED(test, rt, &rt->pd, U32_MAX, 0x1000, 1, 0, -ENOENT);
	EXPECT_REFUSED(test, rt, &rt->pd, key ^ 1, 0x1000, 1, 0, -ENOENT);
	EXPECT_REFUSED(test, rt, &rt->pd, key + 0x100, 0x1000, 1, 0, -ENOENT);
	EXPECT_REFUSED(test, rt, &rt->other_pd, key, 0x1000, 1, 0, -EXDEV);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0x1000, 1, IB_ACCESS_REMOTE_READ, -EACCES);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0x1000, 1, RW | IB_ACCESS_REMOTE_READ, -EACCES);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0xfff, 1, 0, -ERANGE);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0x1000, length + 1, 0, -ERANGE);

	region_test_del(test, mr);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0x1000, 1, 0, -ENOENT);
	region_test_teardown(rt);
}

static void get_holds(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, 0x1000, 2, 0, RW);
	struct soro_grant *got;

	local_bh_disable();
	got = soro_grant_get(&rt->keys, &rt->pd, NULL, mr->grant.key, 0x1000, mr->grant.length, RW);
	KUNIT_EXPECT_PTR_EQ(test, got, &mr->grant);
	if (!IS_ERR(got)) {
		KUNIT_EXPECT_FALSE(test, write_trylock(&mr->grant.lock));
		soro_grant_put(got);
	}
	local_bh_enable();
	region_test_del(test, mr);
	region_test_teardown(rt);
}

static int permits(struct region_test *rt, const struct ib_pd *pd, u32 key, int access)
{
	struct soro_grant *grant;

	local_bh_disable();
	grant = soro_grant_hold(&rt->keys, pd, NULL, key, access);
	if (!IS_ERR(grant))
		soro_grant_put(grant);
	local_bh_enable();
	return PTR_ERR_OR_ZERO(grant);
}

static void permits_without_a_range(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, 0x1000, 2, 0, RW);
	u32 key = mr->grant.key;

	KUNIT_EXPECT_EQ(test, permits(rt, &rt->pd, key, RW), 0);
	KUNIT_EXPECT_EQ(test, permits(rt, &rt->pd, key ^ 1, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, permits(rt, &rt->other_pd, key, RW), -EXDEV);
	KUNIT_EXPECT_EQ(test, permits(rt, &rt->pd, key, IB_ACCESS_REMOTE_READ), -EACCES);
	write_lock_bh(&mr->grant.lock);		/* nobody holds it */
	write_unlock_bh(&mr->grant.lock);
	region_test_del(test, mr);
	KUNIT_EXPECT_EQ(test, permits(rt, &rt->pd, key, RW), -ENOENT);
	region_test_teardown(rt);
}

static void reserved_key_is_found_by_nobody(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	u32 key;

	KUNIT_ASSERT_EQ(test, soro_key_alloc(&rt->keys, &key), 0);
	KUNIT_EXPECT_NE(test, key >> 8, 0U);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0, 0, 0, -ENOENT);
	soro_key_free(&rt->keys, key);
	region_test_teardown(rt);
}

static void spans_stay_in_their_block(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, 0x12345, 3, 100, 0);
	const struct soro_grant *grant = &mr->grant;
	u32 offset, want, got;

	for (offset = 0; offset < grant->length; offset++) {
		want = grant->length - offset;
		KUNIT_EXPECT_PTR_EQ(test,
				    (u8 *)soro_grant_span(grant, grant->iova + offset, want, &got),
				    region_test_byte(mr, offset));
		KUNIT_EXPECT_EQ(test, got,
				REGION_BLOCK_BYTES - (100 + offset) % REGION_BLOCK_BYTES);
	}
	soro_grant_span(grant, grant->iova, 1, &got);
	KUNIT_EXPECT_EQ(test, got, 1U);
	region_test_del(test, mr);
	region_test_teardown(rt);
}

static void dma_region_is_kernel_memory(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	u8 *byte = kunit_kzalloc(test, 3 * PAGE_SIZE, GFP_KERNEL);
	u64 va = (uintptr_t)byte;
	struct soro_grant *grant;
	struct ib_mr *ib_mr;
	u32 key, got;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, byte);
	ib_mr = soro_mr_get_dma(&rt->keys, &rt->pd, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ib_mr);
	key = ib_mr->lkey;
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, NULL, key, va, 3 * PAGE_SIZE,
					      IB_ACCESS_LOCAL_WRITE), 0);
	grant = &soro_mr_from_ib(ib_mr)->grant;
	KUNIT_EXPECT_PTR_EQ(test, (u8 *)soro_grant_span(grant, va + 5, 2 * PAGE_SIZE, &got),
			    byte + 5);
	KUNIT_EXPECT_EQ(test, got, 2U * (u32)PAGE_SIZE);

	/* Nobody else's, no process's memory, and no more than was asked for. */
	EXPECT_REFUSED(test, rt, &rt->other_pd, key, va, 1, 0, -EXDEV);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0, 1, 0, -ERANGE);
	EXPECT_REFUSED(test, rt, &rt->pd, key, 0x400000, 1, 0, -ERANGE);
	EXPECT_REFUSED(test, rt, &rt->pd, key, PAGE_OFFSET - 1, 1, 0, -ERANGE);
	EXPECT_REFUSED(test, rt, &rt->pd, key, va, U64_MAX, 0, -ERANGE);
	EXPECT_REFUSED(test, rt, &rt->pd, key, va, 1, IB_ACCESS_REMOTE_READ, -EACCES);
	EXPECT_REFUSED(test, rt, &rt->pd, key, va, 1, IB_ACCESS_REMOTE_WRITE, -EACCES);
	EXPECT_REFUSED(test, rt, &rt->pd, key, va, 8, IB_ACCESS_REMOTE_ATOMIC, -EACCES);
	EXPECT_REFUSED(test, rt, &rt->pd, key ^ 1, va, 1, 0, -ENOENT);

	soro_mr_dereg(ib_mr);
	EXPECT_REFUSED(test, rt, &rt->pd, key, va, 1, 0, -ENOENT);
	region_test_teardown(rt);
}

static void dma_region_of_remote_rights(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	u64 va = (uintptr_t)rt;
	struct ib_mr *ib_mr;

	ib_mr = soro_mr_get_dma(&rt->keys, &rt->pd, RW | IB_ACCESS_REMOTE_READ);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ib_mr);
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, NULL, ib_mr->rkey, va, 1,
					      IB_ACCESS_REMOTE_READ), 0);
	soro_mr_dereg(ib_mr);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soro_mr_get_dma(&rt->keys, &rt->pd, IB_ACCESS_MW_BIND)),
			-EOPNOTSUPP);
	region_test_teardown(rt);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(covers_bounds),
	KUNIT_CASE(covers_does_not_wrap),
	KUNIT_CASE(get_refuses),
	KUNIT_CASE(get_holds),
	KUNIT_CASE(permits_without_a_range),
	KUNIT_CASE(reserved_key_is_found_by_nobody),
	KUNIT_CASE(spans_stay_in_their_block),
	KUNIT_CASE(dma_region_is_kernel_memory),
	KUNIT_CASE(dma_region_of_remote_rights),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_mr",
	.test_cases = cases,
};

kunit_test_suites(&suite);

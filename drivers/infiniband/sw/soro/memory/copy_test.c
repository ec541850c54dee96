// SPDX-License-Identifier: GPL-2.0
/* Unit tests of walks over SGE lists and of the copies along them. */
#include <linux/bottom_half.h>
#include <linux/err.h>
#include <linux/skbuff.h>
#include "copy.h"
#include "cursor.h"
#include "region_test.h"

#define IOVA	0x7f0000001234ULL
#define RW	IB_ACCESS_LOCAL_WRITE

static u8 pattern(u32 i)
{
	return (i * 7 + (i >> 8) * 13 + 1) & 0xff;
}

/* Linear part and two page fragments, so that every way through an skb is taken. */
static struct sk_buff *make_skb(struct kunit *test, u32 linear, u32 frag)
{
	struct sk_buff *skb = alloc_skb(linear, GFP_KERNEL);
	struct page *page;
	u32 i, f;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	for (i = 0; i < linear; i++)
		skb_put_u8(skb, pattern(i));
	for (f = 0; f < 2; f++) {
		page = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
		for (i = 0; i < frag; i++)
			((u8 *)page_address(page))[f + i] = pattern(linear + f * frag + i);
		skb_add_rx_frag(skb, f, page, f, frag, PAGE_SIZE);
	}
	return skb;
}

static void out_gathers(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *a = region_test_add(test, rt, IOVA, 3, 5, 0);
	struct soro_mr *b = region_test_add(test, rt, 0, 2, 0, 0);
	struct ib_sge sge[] = {
		{ .addr = IOVA + 3, .length = 600, .lkey = a->grant.key },
		{ .addr = 1, .length = 0, .lkey = 0xdead },
		{ .addr = 17, .length = 300, .lkey = b->grant.key },
	};
	u8 *dst = kunit_kzalloc(test, 900, GFP_KERNEL);
	struct soro_cursor c;
	u32 i, offset;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dst);
	for (i = 0; i < 600; i++)
		*region_test_byte(a, 3 + i) = pattern(i);
	for (i = 0; i < 300; i++)
		*region_test_byte(b, 17 + i) = pattern(600 + i);

	for (offset = 0; offset < 900; offset += 99) {
		memset(dst, 0, 900);
		local_bh_disable();
		soro_cursor_init(&c, &rt->keys, &rt->pd, sge, ARRAY_SIZE(sge), 0, offset);
		KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 900 - offset), 0);
		soro_cursor_fini(&c);
		local_bh_enable();
		for (i = 0; i < 900 - offset; i++)
			KUNIT_ASSERT_EQ(test, dst[i], pattern(offset + i));
	}
	region_test_del(test, a);
	region_test_del(test, b);
	region_test_teardown(rt);
}

static void walk_ends(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, IOVA, 1, 0, 0);
	struct ib_sge sge[] = {
		{ .addr = IOVA, .length = 16, .lkey = mr->grant.key },
		{ .addr = IOVA, .length = 16, .lkey = mr->grant.key ^ 1 },
	};
	struct soro_cursor c;
	u8 dst[40];

	local_bh_disable();
	soro_cursor_init(&c, &rt->keys, &rt->pd, sge, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 17), -ERANGE);
	soro_cursor_fini(&c);
	local_bh_enable();

	local_bh_disable();
	soro_cursor_init(&c, &rt->keys, &rt->pd, sge, 1, 0, 40);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 1), -ERANGE);
	soro_cursor_fini(&c);
	local_bh_enable();

	local_bh_disable();
	soro_cursor_init(&c, &rt->keys, &rt->pd, sge, 2, 0, 0);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 16), 0);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 1), -ENOENT);
	soro_cursor_fini(&c);
	local_bh_enable();

	local_bh_disable();
	soro_cursor_init(&c, &rt->keys, &rt->pd, sge, 1, RW, 0);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 1), -EACCES);
	soro_cursor_fini(&c);
	local_bh_enable();

	local_bh_disable();
	soro_cursor_init(&c, &rt->keys, &rt->pd, NULL, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 0), 0);
	KUNIT_EXPECT_EQ(test, soro_copy_out(&c, dst, 1), -ERANGE);
	soro_cursor_fini(&c);
	local_bh_enable();

	region_test_del(test, mr);
	region_test_teardown(rt);
}

static void check_looks_at_all(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, IOVA, 1, 0, 0);
	struct ib_sge sge[] = {
		{ .addr = IOVA, .length = REGION_BLOCK_BYTES, .lkey = mr->grant.key },
		{ .addr = 5, .length = 0, .lkey = 77 },
		{ .addr = IOVA + 1, .length = REGION_BLOCK_BYTES, .lkey = mr->grant.key },
	};

	local_bh_disable();
	KUNIT_EXPECT_EQ(test, soro_cursor_check(&rt->keys, &rt->pd, sge, 0, RW), 0);
	KUNIT_EXPECT_EQ(test, soro_cursor_check(&rt->keys, &rt->pd, sge, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, soro_cursor_check(&rt->keys, &rt->pd, sge, 2, RW), -EACCES);
	KUNIT_EXPECT_EQ(test, soro_cursor_check(&rt->keys, &rt->pd, sge, 3, 0), -ERANGE);
	local_bh_enable();
	region_test_del(test, mr);
	region_test_teardown(rt);
}

typedef int (*copy_in_fn)(struct soro_cursor *c, const struct soro_payload *from, u32 bytes);

/* Every length at changing alignments, over block and SGE ends; nothing beside it is written. */
static void scatter_with(struct kunit *test, copy_in_fn copy_in, bool in_pieces)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mr *mr = region_test_add(test, rt, IOVA, 3, 3, RW);
	struct sk_buff *skb = make_skb(test, 100, 250);
	u8 *whole = kunit_kmalloc(test, skb->len, GFP_KERNEL);
	u32 bytes, at, first, i;
	struct soro_cursor c;

	KUNIT_ASSERT_NOT_NULL(test, whole);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 0, whole, skb->len), 0);
	for (bytes = 0; bytes <= 400; bytes++) {
		u32 skip = bytes % 11;
		struct soro_payload from = {
			.data = in_pieces ? NULL : whole + skip,
			.skb = skb,
			.offset = skip,
		};
		struct ib_sge sge[2];

		at = 180 + bytes % 9;
		first = bytes / 3;
		sge[0] = (struct ib_sge){ IOVA + at, first, mr->grant.key };
		sge[1] = (struct ib_sge){ IOVA + at + first, bytes - first, mr->grant.key };
		for (i = 0; i < mr->grant.length; i++)
			*region_test_byte(mr, i) = 0xee;

		local_bh_disable();
		soro_cursor_init(&c, &rt->keys, &rt->pd, sge, 2, RW, 0);
		KUNIT_EXPECT_EQ(test, copy_in(&c, &from, bytes), 0);
		soro_cursor_fini(&c);
		local_bh_enable();

		for (i = 0; i < mr->grant.length; i++)
			KUNIT_ASSERT_EQ(test, *region_test_byte(mr, i),
					i - at < bytes ? pattern(skip + i - at) : 0xee);
	}
	kfree_skb(skb);
	region_test_del(test, mr);
	region_test_teardown(rt);
}

static void in_scatters(struct kunit *test)
{
	scatter_with(test, soro_copy_in, true);
	scatter_with(test, soro_copy_in, false);
}

static void in_last_scatters(struct kunit *test)
{
	scatter_with(test, soro_copy_in_last, true);
	scatter_with(test, soro_copy_in_last, false);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(out_gathers),
	KUNIT_CASE(walk_ends),
	KUNIT_CASE(check_looks_at_all),
	KUNIT_CASE(in_scatters),
	KUNIT_CASE(in_last_scatters),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_copy",
	.test_cases = cases,
};

kunit_test_suites(&suite);

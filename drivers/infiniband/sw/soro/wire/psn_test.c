// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the 24-bit PSN arithmetic, above all at its wrap. */
#include <kunit/test.h>
#include "psn.h"

static void add_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_psn_add(0, 0), 0U);
	KUNIT_EXPECT_EQ(test, soro_psn_add(0xfffffe, 1), 0xffffffU);
	KUNIT_EXPECT_EQ(test, soro_psn_add(0xffffff, 1), 0U);
	KUNIT_EXPECT_EQ(test, soro_psn_add(0xffffff, 2), 1U);
	KUNIT_EXPECT_EQ(test, soro_psn_add(0xfffff0, 0x7fffff), 0x7fffefU);
	KUNIT_EXPECT_EQ(test, soro_psn_add(5, 1U << 24), 5U);
}

static void add_steps_back(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_psn_add(0, -1), 0xffffffU);
	KUNIT_EXPECT_EQ(test, soro_psn_add(3, -5), 0xfffffeU);
	KUNIT_EXPECT_EQ(test, soro_psn_add(0x800000, -1), 0x7fffffU);
}

static void diff_is_signed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_psn_diff(7, 7), 0);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(8, 7), 1);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(7, 8), -1);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0xffffff, 0), -1);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0x7fffff, 0), 0x7fffff);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0x800000, 0), -0x800000);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0, 0x800000), -0x800000);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0, 0x800001), 0x7fffff);
}

static void diff_ignores_high_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0xab000001, 0xcd000000), 1);
	KUNIT_EXPECT_EQ(test, soro_psn_diff(0x01000000, 0x00ffffff), 1);
}

static void diff_undoes_add(struct kunit *test)
{
	static const u32 starts[] = { 0, 1, 0x7fffff, 0x800000, 0xfffffe, 0xffffff };
	static const s32 steps[] = { 0, 1, -1, 62, -62, 0x400000, 0x7fffff, -0x800000 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		for (j = 0; j < ARRAY_SIZE(steps); j++)
			KUNIT_EXPECT_EQ(test, steps[j],
					soro_psn_diff(soro_psn_add(starts[i], steps[j]),
						      starts[i]));
}

static void between_wraps(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, soro_psn_between(5, 5, 0));
	KUNIT_EXPECT_TRUE(test, soro_psn_between(5, 5, 1));
	KUNIT_EXPECT_FALSE(test, soro_psn_between(6, 5, 1));
	KUNIT_EXPECT_FALSE(test, soro_psn_between(4, 5, 1));
	KUNIT_EXPECT_TRUE(test, soro_psn_between(0xfffffe, 0xfffffe, 4));
	KUNIT_EXPECT_TRUE(test, soro_psn_between(1, 0xfffffe, 4));
	KUNIT_EXPECT_FALSE(test, soro_psn_between(2, 0xfffffe, 4));
	KUNIT_EXPECT_FALSE(test, soro_psn_between(0xfffffd, 0xfffffe, 4));
	KUNIT_EXPECT_FALSE(test, soro_psn_between(4, 5, 0xffffff));
	KUNIT_EXPECT_TRUE(test, soro_psn_between(3, 5, 0xffffff));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(add_wraps),
	KUNIT_CASE(add_steps_back),
	KUNIT_CASE(diff_is_signed),
	KUNIT_CASE(diff_ignores_high_bits),
	KUNIT_CASE(diff_undoes_add),
	KUNIT_CASE(between_wraps),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_psn",
	.test_cases = cases,
};

kunit_test_suites(&suite);

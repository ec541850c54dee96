/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of KUnit that soro's unit tests use, for user space.
 *
 * The same *_test.c files are a KUnit module in the lab's kernel and a program
 * here; kunit.c runs the suites and prints TAP.
 */
#ifndef SORO_USER_KUNIT_TEST_H
#define SORO_USER_KUNIT_TEST_H

#include <setjmp.h>
#include <linux/types.h>
#include <linux/string.h>
#include <linux/kernel.h>

#define KUNIT_PARAM_DESC_SIZE	128

struct kunit_allocation;

struct kunit {
	void *priv;			/* the test's own */
	const char *name;
	const void *param_value;
	int param_index;

	/* private to kunit.c */
	bool failed;
	bool skipped;
	jmp_buf abort;
	struct kunit_allocation *allocations;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	int (*suite_init)(struct kunit_suite *suite);
	void (*suite_exit)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn)			{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen)	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)				\
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		const __typeof__((array)[0]) *next =				\
			prev ? (const __typeof__((array)[0]) *)prev + 1 : (array); \
		void (*describe)(__typeof__(next), char *) = get_desc;		\
										\
		if (next == (array) + ARRAY_SIZE(array))			\
			return NULL;						\
		if (describe)							\
			describe(next, desc);					\
		return next;							\
	}

void kunit_register(struct kunit_suite *const *suites, int n);

#define SORO_USER_PASTE2(a, b)	a##b
#define SORO_USER_PASTE(a, b)	SORO_USER_PASTE2(a, b)
#define kunit_test_suites(...)							\
	__attribute__((constructor))						\
	static void SORO_USER_PASTE(register_suites_, __LINE__)(void)		\
	{									\
		struct kunit_suite *suites[] = { __VA_ARGS__ };			\
										\
		kunit_register(suites, ARRAY_SIZE(suites));			\
	}									\
	_Static_assert(1, "")
#define kunit_test_suite(suite)	kunit_test_suites(&suite)

void *kunit_kmalloc(struct kunit *test, size_t size, gfp_t gfp);
void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp);
void kunit_kfree(struct kunit *test, const void *ptr);

static inline void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, gfp_t gfp)
{
	return kunit_kzalloc(test, n * size, gfp);
}

__printf(2, 3) void kunit_info(const struct kunit *test, const char *fmt, ...);
#define kunit_warn	kunit_info
#define kunit_err	kunit_info

__printf(4, 5) void kunit_fail(struct kunit *test, const char *file, int line,
			       const char *fmt, ...);
__attribute__((__noreturn__)) void kunit_abort(struct kunit *test);

#define kunit_mark_skipped(test, fmt, ...) do {					\
	kunit_info(test, "SKIP: " fmt, ##__VA_ARGS__);				\
	(test)->skipped = true;							\
} while (0)

#define kunit_skip(test, fmt, ...) do {						\
	kunit_mark_skipped(test, fmt, ##__VA_ARGS__);				\
	kunit_abort(test);							\
} while (0)

/*
 * A check: cond decides, the format and its arguments say what was seen, the
 * caller's own message comes last. ASSERT is EXPECT that does not go on.
 */
#define SORO_USER_CHECK(test, cond, then, seen, ...) do {			\
	if (!(cond)) {								\
		kunit_fail(test, __FILE__, __LINE__, "%s", seen);		\
		kunit_fail(test, __FILE__, __LINE__, "" __VA_ARGS__);		\
		then;								\
	}									\
} while (0)

#define SORO_USER_BINARY(test, left, op, right, then, ...) do {			\
	__typeof__(left) left_ = (left);					\
	__typeof__(right) right_ = (right);					\
	if (!(left_ op right_)) {						\
		kunit_fail(test, __FILE__, __LINE__,				\
			   "expected %s %s %s, but %lld (0x%llx) and %lld (0x%llx)", \
			   #left, #op, #right, (long long)left_, (long long)left_, \
			   (long long)right_, (long long)right_);		\
		kunit_fail(test, __FILE__, __LINE__, "" __VA_ARGS__);		\
		then;								\
	}									\
} while (0)

#define SORO_USER_PTR(test, left, op, right, then, ...)				\
	SORO_USER_BINARY(test, (uintptr_t)(const void *)(left), op,		\
			 (uintptr_t)(const void *)(right), then, __VA_ARGS__)

#define SORO_USER_STR(test, left, op, right, then, ...) do {			\
	const char *left_ = (left);						\
	const char *right_ = (right);						\
	if (!(strcmp(left_, right_) op 0)) {					\
		kunit_fail(test, __FILE__, __LINE__, "%s is \"%s\", %s is \"%s\"", \
			   #left, left_, #right, right_);			\
		kunit_fail(test, __FILE__, __LINE__, "" __VA_ARGS__);		\
		then;								\
	}									\
} while (0)

#define SORO_USER_GO_ON		((void)0)

#define KUNIT_SUCCEED(test)	((void)(test))
#define KUNIT_FAIL(test, fmt, ...)						\
	kunit_fail(test, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

#define KUNIT_EXPECT_TRUE(t, c)		SORO_USER_CHECK(t, c, SORO_USER_GO_ON, "not true: " #c)
#define KUNIT_EXPECT_FALSE(t, c)	SORO_USER_CHECK(t, !(c), SORO_USER_GO_ON, "not false: " #c)
#define KUNIT_EXPECT_EQ(t, l, r)	SORO_USER_BINARY(t, l, ==, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_NE(t, l, r)	SORO_USER_BINARY(t, l, !=, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_LT(t, l, r)	SORO_USER_BINARY(t, l, <, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_LE(t, l, r)	SORO_USER_BINARY(t, l, <=, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_GT(t, l, r)	SORO_USER_BINARY(t, l, >, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_GE(t, l, r)	SORO_USER_BINARY(t, l, >=, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_PTR_EQ(t, l, r)	SORO_USER_PTR(t, l, ==, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_PTR_NE(t, l, r)	SORO_USER_PTR(t, l, !=, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_NULL(t, p)		SORO_USER_PTR(t, p, ==, NULL, SORO_USER_GO_ON)
#define KUNIT_EXPECT_NOT_NULL(t, p)	SORO_USER_PTR(t, p, !=, NULL, SORO_USER_GO_ON)
#define KUNIT_EXPECT_NOT_ERR_OR_NULL(t, p)	KUNIT_EXPECT_NOT_NULL(t, p)
#define KUNIT_EXPECT_STREQ(t, l, r)	SORO_USER_STR(t, l, ==, r, SORO_USER_GO_ON)
#define KUNIT_EXPECT_STRNEQ(t, l, r)	SORO_USER_STR(t, l, !=, r, SORO_USER_GO_ON)

#define KUNIT_EXPECT_TRUE_MSG(t, c, ...)					\
	SORO_USER_CHECK(t, c, SORO_USER_GO_ON, "not true: " #c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...)					\
	SORO_USER_CHECK(t, !(c), SORO_USER_GO_ON, "not false: " #c, __VA_ARGS__)
#define KUNIT_EXPECT_EQ_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, ==, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, !=, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_LT_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, <, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, <=, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_GT_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, >, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, >=, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_EQ_MSG(t, l, r, ...)					\
	SORO_USER_PTR(t, l, ==, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_NE_MSG(t, l, r, ...)					\
	SORO_USER_PTR(t, l, !=, r, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_NULL_MSG(t, p, ...)					\
	SORO_USER_PTR(t, p, ==, NULL, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_NOT_NULL_MSG(t, p, ...)					\
	SORO_USER_PTR(t, p, !=, NULL, SORO_USER_GO_ON, __VA_ARGS__)
#define KUNIT_EXPECT_STREQ_MSG(t, l, r, ...)					\
	SORO_USER_STR(t, l, ==, r, SORO_USER_GO_ON, __VA_ARGS__)

#define KUNIT_ASSERT_TRUE(t, c)		SORO_USER_CHECK(t, c, kunit_abort(t), "not true: " #c)
#define KUNIT_ASSERT_FALSE(t, c)	SORO_USER_CHECK(t, !(c), kunit_abort(t), "not false: " #c)
#define KUNIT_ASSERT_EQ(t, l, r)	SORO_USER_BINARY(t, l, ==, r, kunit_abort(t))
#define KUNIT_ASSERT_NE(t, l, r)	SORO_USER_BINARY(t, l, !=, r, kunit_abort(t))
#define KUNIT_ASSERT_LT(t, l, r)	SORO_USER_BINARY(t, l, <, r, kunit_abort(t))
#define KUNIT_ASSERT_LE(t, l, r)	SORO_USER_BINARY(t, l, <=, r, kunit_abort(t))
#define KUNIT_ASSERT_GT(t, l, r)	SORO_USER_BINARY(t, l, >, r, kunit_abort(t))
#define KUNIT_ASSERT_GE(t, l, r)	SORO_USER_BINARY(t, l, >=, r, kunit_abort(t))
#define KUNIT_ASSERT_PTR_EQ(t, l, r)	SORO_USER_PTR(t, l, ==, r, kunit_abort(t))
#define KUNIT_ASSERT_PTR_NE(t, l, r)	SORO_USER_PTR(t, l, !=, r, kunit_abort(t))
#define KUNIT_ASSERT_NULL(t, p)		SORO_USER_PTR(t, p, ==, NULL, kunit_abort(t))
#define KUNIT_ASSERT_NOT_NULL(t, p)	SORO_USER_PTR(t, p, !=, NULL, kunit_abort(t))
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, p)	KUNIT_ASSERT_NOT_NULL(t, p)
#define KUNIT_ASSERT_STREQ(t, l, r)	SORO_USER_STR(t, l, ==, r, kunit_abort(t))

#define KUNIT_ASSERT_TRUE_MSG(t, c, ...)					\
	SORO_USER_CHECK(t, c, kunit_abort(t), "not true: " #c, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE_MSG(t, c, ...)					\
	SORO_USER_CHECK(t, !(c), kunit_abort(t), "not false: " #c, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, ==, r, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_NE_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, !=, r, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_LT_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, <, r, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_LE_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, <=, r, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_GT_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, >, r, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_GE_MSG(t, l, r, ...)					\
	SORO_USER_BINARY(t, l, >=, r, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_NULL_MSG(t, p, ...)					\
	SORO_USER_PTR(t, p, ==, NULL, kunit_abort(t), __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL_MSG(t, p, ...)					\
	SORO_USER_PTR(t, p, !=, NULL, kunit_abort(t), __VA_ARGS__)

#endif

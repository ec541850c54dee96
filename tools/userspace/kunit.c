// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the registered KUnit suites as a program, one TAP line per case.
 *
 * Arguments: substrings; only cases whose "suite.case" holds one of them run.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <kunit/test.h>

#define MAX_SUITES	256

struct kunit_allocation {
	struct kunit_allocation *next;
	void *ptr;
};

struct totals {
	int run;
	int failed;
	int skipped;
};

static struct kunit_suite *registered[MAX_SUITES];
static int registered_count;

void kunit_register(struct kunit_suite *const *suites, int n)
{
	while (n--) {
		if (registered_count == MAX_SUITES)
			abort();
		registered[registered_count++] = *suites++;
	}
}

static void remember(struct kunit *test, void *ptr)
{
	struct kunit_allocation *allocation = malloc(sizeof(*allocation));

	if (!allocation || !ptr)
		abort();
	allocation->ptr = ptr;
	allocation->next = test->allocations;
	test->allocations = allocation;
}

void *kunit_kmalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	void *ptr = malloc(size);

	remember(test, ptr);
	return ptr;
}

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	void *ptr = calloc(1, size);

	remember(test, ptr);
	return ptr;
}

void kunit_kfree(struct kunit *test, const void *ptr)
{
	struct kunit_allocation **at = &test->allocations;
	struct kunit_allocation *found;

	while (*at && (*at)->ptr != ptr)
		at = &(*at)->next;
	found = *at;
	if (!found)
		abort();
	*at = found->next;
	free(found->ptr);
	free(found);
}

static void free_all(struct kunit *test)
{
	while (test->allocations)
		kunit_kfree(test, test->allocations->ptr);
}

void kunit_info(const struct kunit *test, const char *fmt, ...)
{
	va_list args;

	printf("# %s: ", test->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	if (!*fmt || fmt[strlen(fmt) - 1] != '\n')
		putchar('\n');
}

void kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	test->failed = true;
	if (!*fmt)	/* a check without a message of its own */
		return;
	printf("# %s: %s:%d: ", test->name, file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

void kunit_abort(struct kunit *test)
{
	longjmp(test->abort, 1);
}

static void run_once(struct kunit_suite *suite, struct kunit_case *test_case, struct kunit *test)
{
	if (suite->init && suite->init(test)) {
		kunit_fail(test, suite->name, 0, "init failed");
	} else {
		if (!setjmp(test->abort))
			test_case->run_case(test);
		if (suite->exit)
			suite->exit(test);
	}
	free_all(test);
}

static void run_params(struct kunit_suite *suite, struct kunit_case *test_case, struct kunit *test)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	bool any_failed = false;

	test->param_value = NULL;
	for (;;) {
		desc[0] = '\0';
		test->param_value = test_case->generate_params(test->param_value, desc);
		if (!test->param_value)
			break;
		test->failed = false;
		run_once(suite, test_case, test);
		if (test->failed)
			kunit_info(test, "failed with parameter %d %s", test->param_index, desc);
		any_failed |= test->failed;
		test->param_index++;
	}
	test->failed = any_failed;
}

static void run_case(struct kunit_suite *suite, struct kunit_case *test_case, struct totals *totals)
{
	struct kunit test = { .name = test_case->name };

	if (test_case->generate_params)
		run_params(suite, test_case, &test);
	else
		run_once(suite, test_case, &test);

	totals->run++;
	totals->failed += test.failed;
	totals->skipped += !test.failed && test.skipped;
	printf("%sok %d - %s.%s%s\n", test.failed ? "not " : "", totals->run, suite->name,
	       test_case->name, !test.failed && test.skipped ? " # SKIP" : "");
	fflush(stdout);
}

static bool wanted(const struct kunit_suite *suite, const struct kunit_case *test_case, char **filter)
{
	char full[512];

	if (!*filter)
		return true;
	snprintf(full, sizeof(full), "%s.%s", suite->name, test_case->name);
	for (; *filter; filter++)
		if (strstr(full, *filter))
			return true;
	return false;
}

static void run_suite(struct kunit_suite *suite, char **filter, struct totals *totals)
{
	struct kunit_case *test_case;

	if (suite->suite_init && suite->suite_init(suite)) {
		totals->run++;
		totals->failed++;
		printf("not ok %d - %s: suite_init\n", totals->run, suite->name);
		return;
	}
	for (test_case = suite->test_cases; test_case->run_case; test_case++)
		if (wanted(suite, test_case, filter))
			run_case(suite, test_case, totals);
	if (suite->suite_exit)
		suite->suite_exit(suite);
}

int main(int argc, char **argv)
{
	struct totals totals = { 0 };

	puts("TAP version 13");
	for (int i = 0; i < registered_count; i++)
		run_suite(registered[i], argv + 1, &totals);
	printf("1..%d\n# %d passed, %d failed, %d skipped\n", totals.run,
	       totals.run - totals.failed - totals.skipped, totals.failed, totals.skipped);
	return totals.failed || !totals.run;
}

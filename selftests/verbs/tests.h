/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of tests, one per file. main.c runs them in this order.
 */
#ifndef SORO_VERBS_TESTS_H
#define SORO_VERBS_TESTS_H

#include "fixture.h"

/* Tests that are not always run. */
#define TEST_LONG	1u	/* with --quick only when --test names it */
#define TEST_CUT	2u	/* only when --cut says how to cut the path */

/**
 * struct test - one TAP line
 * @name: group/what
 * @run: the test
 * @arg: parameter of the test
 * @limit_sec: time limit besides the default one, for long tests
 * @flags: TEST_ flags
 */
struct test {
	const char *name;
	void (*run)(struct env *env, long arg);
	long arg;
	unsigned int limit_sec;
	unsigned int flags;
};

/* Each table ends with an empty row. */
extern const struct test rc_data_tests[];
extern const struct test rc_stream_tests[];
extern const struct test rc_atomic_tests[];
extern const struct test rc_order_tests[];
extern const struct test rc_event_tests[];
extern const struct test cq_resize_tests[];
extern const struct test cq_overflow_tests[];
extern const struct test cq_notify_tests[];
extern const struct test event_tests[];
extern const struct test sqd_tests[];
extern const struct test many_tests[];
extern const struct test query_tests[];
extern const struct test nomem_tests[];
extern const struct test rc_retry_tests[];
extern const struct test rc_extent_tests[];
extern const struct test ud_data_tests[];
extern const struct test ud_address_tests[];
extern const struct test ud_qkey_tests[];
extern const struct test ud_error_tests[];
extern const struct test srq_data_tests[];
extern const struct test srq_state_tests[];
extern const struct test srq_fault_tests[];
extern const struct test srq_limit_tests[];
extern const struct test ud_stream_tests[];
extern const struct test mcast_tests[];
extern const struct test mixed_tests[];
extern const struct test idle_tests[];
extern const struct test cut_tests[];
extern const struct test error_tests[];
extern const struct test flush_tests[];
extern const struct test state_tests[];
extern const struct test memory_tests[];
extern const struct test limit_tests[];
extern const struct test mw_bind_tests[];
extern const struct test mw_use_tests[];
extern const struct test inv_tests[];
extern const struct test rereg_tests[];
extern const struct test uc_state_tests[];
extern const struct test uc_stream_tests[];

#endif

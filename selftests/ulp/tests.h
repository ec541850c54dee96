/* SPDX-License-Identifier: GPL-2.0 */
/* The tests, and how they say that something is wrong. */
#ifndef SORO_ULP_TESTS_H
#define SORO_ULP_TESTS_H

#include <linux/string.h>
#include "pair.h"

/* Whether an expectation does not hold; says so, and sets the caller's @failed. */
#define FAILS(cond)	ulp_fails(cond, &failed, kbasename(__FILE__), __LINE__, #cond)
#define DIFFER(a, b)	ulp_differ(a, b, &failed, kbasename(__FILE__), __LINE__, #a)

bool ulp_fails(bool holds, bool *failed, const char *file, int line, const char *what);
bool ulp_differ(long long is, long long should, bool *failed, const char *file, int line,
		const char *what);

bool ulp_data_send(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_data_rdma(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_data_atomic(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_data_datagram(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_data_keys(struct ib_device *dev, enum ib_poll_context poll);

bool ulp_post_limits(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_post_chain(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_post_inline(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_post_irqs_off(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_post_hardirq(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_post_threads(struct ib_device *dev, enum ib_poll_context poll);

bool ulp_cq_arming(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_cq_overflow(struct ib_device *dev, enum ib_poll_context poll);

bool ulp_end_drain(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_end_destroy(struct ib_device *dev, enum ib_poll_context poll);

bool ulp_srq_data(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_srq_limits(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_use(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_chain(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_remote(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_refused(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_limits(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_transports(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_local_under_stream(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_fast_remote_under_stream(struct ib_device *dev, enum ib_poll_context poll);

bool ulp_pool_shared(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_pool_any(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_storm(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_storm_pooled(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_resize_unread(struct ib_device *dev, enum ib_poll_context poll);
bool ulp_resize_traffic(struct ib_device *dev, enum ib_poll_context poll);

int ulp_pool_init(struct ulp_pair *pair, struct ib_device *dev, enum ib_poll_context poll);
void ulp_pool_fini(struct ulp_pair *pair);

extern unsigned int ulp_rounds;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The tests, and how they say that something is wrong. */
#ifndef SORO_ULP_TESTS_H
#define SORO_ULP_TESTS_H

#include <linux/printk.h>
#include "pair.h"

/* Leave a test whose expectation does not hold; @out is where it cleans up. */
#define EXPECT(cond, out) do {							\
	if (!(cond)) {								\
		pr_info("# %s:%d: %s\n", __FILE_NAME__, __LINE__, #cond);	\
		failed = true;							\
		goto out;							\
	}									\
} while (0)

/* The same with numbers. */
#define EXPECT_EQ(a, b, out) do {						\
	long long a_ = (a), b_ = (b);						\
										\
	if (a_ != b_) {								\
		pr_info("# %s:%d: %s is %lld, not %lld\n", __FILE_NAME__,	\
			__LINE__, #a, a_, b_);					\
		failed = true;							\
		goto out;							\
	}									\
} while (0)

#ifndef __FILE_NAME__
#define __FILE_NAME__ __FILE__
#endif

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

extern unsigned int ulp_rounds;

#endif

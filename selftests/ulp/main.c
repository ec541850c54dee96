// SPDX-License-Identifier: GPL-2.0
/*
 * A consumer in the kernel that tests the verbs of a device on loading, and writes TAP to the
 * kernel log, each line behind "soro_ulp: ".
 */
#define pr_fmt(fmt) "soro_ulp: " fmt

#include <linux/module.h>
#include "tests.h"

static char *device = "soro0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the RDMA device; needs an IPv4 address");

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "run the tests whose name contains this");

unsigned int ulp_rounds = 20;
module_param_named(rounds, ulp_rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "of the tests that repeat");

static const struct test {
	const char *name;
	bool (*run)(struct ib_device *dev, enum ib_poll_context poll);
	enum ib_poll_context poll;
} tests[] = {
	{ "send, direct", ulp_data_send, IB_POLL_DIRECT },
	{ "send, softirq", ulp_data_send, IB_POLL_SOFTIRQ },
	{ "send, workqueue", ulp_data_send, IB_POLL_WORKQUEUE },
	{ "read and write, direct", ulp_data_rdma, IB_POLL_DIRECT },
	{ "read and write, softirq", ulp_data_rdma, IB_POLL_SOFTIRQ },
	{ "read and write, workqueue", ulp_data_rdma, IB_POLL_WORKQUEUE },
	{ "atomics, direct", ulp_data_atomic, IB_POLL_DIRECT },
	{ "atomics, softirq", ulp_data_atomic, IB_POLL_SOFTIRQ },
	{ "atomics, workqueue", ulp_data_atomic, IB_POLL_WORKQUEUE },
	{ "datagrams", ulp_data_datagram, IB_POLL_SOFTIRQ },
	{ "keys", ulp_data_keys, IB_POLL_SOFTIRQ },
	{ "limits", ulp_post_limits, IB_POLL_WORKQUEUE },
	{ "chain with a bad link", ulp_post_chain, IB_POLL_SOFTIRQ },
	{ "inline data", ulp_post_inline, IB_POLL_SOFTIRQ },
	{ "interrupts off", ulp_post_irqs_off, IB_POLL_SOFTIRQ },
	{ "hard interrupt", ulp_post_hardirq, IB_POLL_SOFTIRQ },
	{ "threads", ulp_post_threads, IB_POLL_SOFTIRQ },
	{ "arming", ulp_cq_arming, IB_POLL_DIRECT },
	{ "overflow", ulp_cq_overflow, IB_POLL_DIRECT },
	{ "drain, direct", ulp_end_drain, IB_POLL_DIRECT },
	{ "drain, softirq", ulp_end_drain, IB_POLL_SOFTIRQ },
	{ "drain, workqueue", ulp_end_drain, IB_POLL_WORKQUEUE },
	{ "drain in a storm, direct", ulp_storm, IB_POLL_DIRECT },
	{ "drain in a storm, softirq", ulp_storm, IB_POLL_SOFTIRQ },
	{ "drain in a storm, workqueue", ulp_storm, IB_POLL_WORKQUEUE },
	{ "drain in a storm, pool, softirq", ulp_storm_pooled, IB_POLL_SOFTIRQ },
	{ "drain in a storm, pool, workqueue", ulp_storm_pooled, IB_POLL_WORKQUEUE },
	{ "pool, softirq", ulp_pool_shared, IB_POLL_SOFTIRQ },
	{ "pool, workqueue", ulp_pool_shared, IB_POLL_WORKQUEUE },
	{ "pool, unbound workqueue", ulp_pool_shared, IB_POLL_UNBOUND_WORKQUEUE },
	{ "any vector, direct", ulp_pool_any, IB_POLL_DIRECT },
	{ "any vector, softirq", ulp_pool_any, IB_POLL_SOFTIRQ },
	{ "any vector, workqueue", ulp_pool_any, IB_POLL_WORKQUEUE },
	{ "resize, unread", ulp_resize_unread, IB_POLL_DIRECT },
	{ "resize, softirq", ulp_resize_traffic, IB_POLL_SOFTIRQ },
	{ "resize, workqueue", ulp_resize_traffic, IB_POLL_WORKQUEUE },
	{ "destroy, softirq", ulp_end_destroy, IB_POLL_SOFTIRQ },
	{ "fast registration, direct", ulp_fast_use, IB_POLL_DIRECT },
	{ "fast registration, softirq", ulp_fast_use, IB_POLL_SOFTIRQ },
	{ "fast registration in a chain", ulp_fast_chain, IB_POLL_SOFTIRQ },
	{ "fast registration ended by the peer", ulp_fast_remote, IB_POLL_SOFTIRQ },
	{ "fast registration refused", ulp_fast_refused, IB_POLL_SOFTIRQ },
	{ "fast registration: limits", ulp_fast_limits, IB_POLL_SOFTIRQ },
	{ "fast registration: transports", ulp_fast_transports, IB_POLL_SOFTIRQ },
	{ "fast registration ended under WRITEs", ulp_fast_local_under_stream, IB_POLL_SOFTIRQ },
	{ "fast registration ended by the peer under WRITEs", ulp_fast_remote_under_stream,
	  IB_POLL_SOFTIRQ },
	{ "destroy, workqueue", ulp_end_destroy, IB_POLL_WORKQUEUE },
	{ "shared receives, direct", ulp_srq_data, IB_POLL_DIRECT },
	{ "shared receives, softirq", ulp_srq_data, IB_POLL_SOFTIRQ },
	{ "shared receives, limits", ulp_srq_limits, IB_POLL_SOFTIRQ },
};

bool ulp_fails(bool holds, bool *failed, const char *file, int line, const char *what)
{
	if (holds)
		return false;
	pr_info("# %s:%d: %s does not hold\n", file, line, what);
	*failed = true;
	return true;
}

bool ulp_differ(long long is, long long should, bool *failed, const char *file, int line,
		const char *what)
{
	if (is == should)
		return false;
	pr_info("# %s:%d: %s is %lld, not %lld\n", file, line, what, is, should);
	*failed = true;
	return true;
}

static void run(struct ib_device *dev)
{
	unsigned int n = 0, bad = 0, i;
	bool passed;

	pr_info("TAP version 13\n");
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!strstr(tests[i].name, only))
			continue;
		passed = tests[i].run(dev, tests[i].poll);
		bad += !passed;
		pr_info("%s %u - %s\n", passed ? "ok" : "not ok", ++n, tests[i].name);
	}
	pr_info("1..%u\n", n);
	pr_info("# %u passed, %u failed\n", n - bad, bad);
}

static int __init ulp_init(void)
{
	struct ib_device *dev = ib_device_get_by_name(device, RDMA_DRIVER_RXE);

	if (!dev) {
		pr_err("Bail out! no device %s\n", device);
		return -ENODEV;
	}
	run(dev);
	ib_device_put(dev);
	return 0;
}

static void __exit ulp_exit(void)
{
}

module_init(ulp_init);
module_exit(ulp_exit);
MODULE_DESCRIPTION("Test of soro by a consumer in the kernel");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* Owns: showing counters through the core's hw_stats. */
#include "counters.h"

static const struct rdma_stat_desc descs[] = {
#define COUNTER_DESC(counter, text) \
	[SORO_CTR_##counter].name = text,
	SORO_COUNTERS(COUNTER_DESC)
#define DROP_DESC(reason, text, meaning) \
	[SORO_CTR_DROP_BASE + SORO_DROP_##reason - 1].name = text,
	SORO_DROP_REASONS(DROP_DESC)
};

static_assert(ARRAY_SIZE(descs) == SORO_CTR_COUNT);

/**
 * soro_counters_alloc() - alloc_hw_port_stats of the core
 * @ibdev: the device
 * @port: 1
 */
struct rdma_hw_stats *soro_counters_alloc(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * soro_counters_sum() - value of a counter
 * @dev: the device
 * @which: the counter
 *
 * Context: any.
 */
u64 soro_counters_sum(const struct soro_dev *dev, enum soro_counter which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(dev->counters, cpu)->value[which]);
	return sum;
}

/**
 * soro_counters_get() - get_hw_stats of the core
 * @ibdev: the device
 * @stats: filled
 * @port: 1
 * @index: ignored: all are filled
 *
 * Return: number of counters, or -EINVAL for the device level, which has none.
 */
int soro_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct soro_dev *dev = soro_dev(ibdev);
	int i;

	if (!port || !stats)
		return -EINVAL;
	for (i = 0; i < SORO_CTR_COUNT; i++)
		stats->value[i] = soro_counters_sum(dev, i);
	return SORO_CTR_COUNT;
}

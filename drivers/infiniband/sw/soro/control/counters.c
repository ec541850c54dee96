// SPDX-License-Identifier: GPL-2.0
/* Owns: showing counters through the core's hw_stats. */
#include "../run/qp.h"
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

static u64 sum(const struct soro_counters __percpu *ctrs, enum soro_counter which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(ctrs, cpu)->value[which]);
	return sum;
}

/**
 * soro_counters_sum() - value of a counter, with what QPs counted apart
 * @dev: the device
 * @which: the counter
 *
 * Context: process.
 */
u64 soro_counters_sum(struct soro_dev *dev, enum soro_counter which)
{
	u64 all = sum(dev->counters, which);
	unsigned long id;
	void *ctrs;

	xa_lock(&dev->bound);
	xa_for_each(&dev->bound, id, ctrs)
		all += sum((__force struct soro_counters __percpu *)ctrs, which);
	all += dev->past.value[which];
	xa_unlock(&dev->bound);
	return all;
}

/**
 * soro_counters_get() - get_hw_stats of the core
 * @ibdev: the device
 * @stats: filled
 * @port: 1
 * @index: ignored: all are filled
 *
 * What QPs count apart is not in it: the core adds that.
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
		stats->value[i] = sum(dev->counters, i);
	return SORO_CTR_COUNT;
}

/* ---- counters of QPs (rdma statistic qp) ---- */

/**
 * soro_counters_qp_alloc() - counter_alloc_stats of the core
 * @counter: a new set
 */
struct rdma_hw_stats *soro_counters_qp_alloc(struct rdma_counter *counter)
{
	return soro_counters_alloc(counter->device, counter->port);
}

/* The core takes the number of a set from the driver. */
static int create_set(struct soro_dev *dev, struct rdma_counter *counter)
{
	struct soro_counters __percpu *ctrs = alloc_percpu_gfp(struct soro_counters,
							       GFP_KERNEL_ACCOUNT);
	int err;

	if (!ctrs)
		return -ENOMEM;
	err = xa_alloc(&dev->bound, &counter->id, (__force void *)ctrs, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err) {
		free_percpu(ctrs);
		counter->id = 0;
	}
	return err;
}

static struct soro_counters __percpu *find_set(struct rdma_counter *counter)
{
	return (__force struct soro_counters __percpu *)
		xa_load(&soro_dev(counter->device)->bound, counter->id);
}

/**
 * soro_counters_qp_bind() - counter_bind_qp of the core
 * @counter: a set, made by the first QP that is bound to it
 * @ibqp: counts there from now on
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int soro_counters_qp_bind(struct rdma_counter *counter, struct ib_qp *ibqp)
{
	int err = counter->id ? 0 : create_set(soro_dev(ibqp->device), counter);

	if (err)
		return err;
	WRITE_ONCE(soro_qp(ibqp)->counters, find_set(counter));
	ibqp->counter = counter;
	return 0;
}

/**
 * soro_counters_qp_unbind() - counter_unbind_qp of the core
 * @ibqp: counts with its device from now on
 *
 * Context: process; waits for an RCU grace period: after it the set may go.
 * Return: 0.
 */
int soro_counters_qp_unbind(struct ib_qp *ibqp)
{
	struct soro_qp *qp = soro_qp(ibqp);

	WRITE_ONCE(qp->counters, qp->dev->counters);
	ibqp->counter = NULL;
	synchronize_rcu_expedited();
	return 0;
}

/**
 * soro_counters_qp_update() - counter_update_stats of the core
 * @counter: the set; its stats are filled
 *
 * Return: 0.
 */
int soro_counters_qp_update(struct rdma_counter *counter)
{
	const struct soro_counters __percpu *ctrs = find_set(counter);
	int i;

	for (i = 0; i < SORO_CTR_COUNT; i++)
		counter->stats->value[i] = sum(ctrs, i);
	return 0;
}

/**
 * soro_counters_qp_dealloc() - counter_dealloc of the core
 * @counter: a set no QP is bound to
 *
 * Return: 0.
 */
int soro_counters_qp_dealloc(struct rdma_counter *counter)
{
	struct soro_dev *dev = soro_dev(counter->device);
	struct soro_counters __percpu *ctrs;
	int i;

	xa_lock(&dev->bound);
	ctrs = (__force struct soro_counters __percpu *)__xa_erase(&dev->bound, counter->id);
	for (i = 0; i < SORO_CTR_COUNT; i++)
		dev->past.value[i] += sum(ctrs, i);
	xa_unlock(&dev->bound);
	free_percpu(ctrs);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: showing counters through the core's hw_stats (`rdma statistic`). */
#ifndef SORO_CONTROL_COUNTERS_H
#define SORO_CONTROL_COUNTERS_H

#include <rdma/ib_verbs.h>
#include "../run/device.h"

u64 soro_counters_sum(const struct soro_dev *dev, enum soro_counter which);
struct rdma_hw_stats *soro_counters_alloc(struct ib_device *ibdev, u32 port);
int soro_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

#endif

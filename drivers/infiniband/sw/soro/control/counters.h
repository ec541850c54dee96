/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: showing counters through the core's hw_stats (`rdma statistic`). */
#ifndef SORO_CONTROL_COUNTERS_H
#define SORO_CONTROL_COUNTERS_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include "../run/device.h"

u64 soro_counters_sum(struct soro_dev *dev, enum soro_counter which);
struct rdma_hw_stats *soro_counters_alloc(struct ib_device *ibdev, u32 port);
int soro_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

struct rdma_hw_stats *soro_counters_qp_alloc(struct rdma_counter *counter);
int soro_counters_qp_bind(struct rdma_counter *counter, struct ib_qp *ibqp);
int soro_counters_qp_unbind(struct ib_qp *ibqp);
int soro_counters_qp_update(struct rdma_counter *counter);
int soro_counters_qp_dealloc(struct rdma_counter *counter);

#endif

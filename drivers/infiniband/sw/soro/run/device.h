/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what one soro device is made of, and its limits.  Must not know verbs.
 */
#ifndef SORO_RUN_DEVICE_H
#define SORO_RUN_DEVICE_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include "counters.h"
#include "../link/link.h"
#include "../memory/key.h"
#include "../objects/ah.h"
#include "mcast.h"

#define SORO_MAX_PD		BIT(20)
#define SORO_MAX_CQ		BIT(20)
#define SORO_MAX_QP		65536
#define SORO_MAX_QP_WR		16383
#define SORO_MAX_SRQ		65536
#define SORO_MAX_SRQ_WR		SORO_MAX_QP_WR
#define SORO_MAX_CQE		((1 << 20) - 1)
#define SORO_MAX_MR		((1 << 24) - 1)	/* bounded by the key's index bits and memory */
#define SORO_MAX_SGE		32
#define SORO_MAX_INLINE		(SORO_MAX_SGE * 16)	/* inline data takes the place of SGEs */

struct soro_qp;

/**
 * struct soro_dev - one device
 * @ib: the core's part
 * @link: the network's part
 * @keys: memory keys
 * @ahs: address handles
 * @mcasts: multicast groups
 * @counters: per CPU
 * @bound: counters of QPs that are counted apart, by number; its lock guards @past
 * @past: what those counted that are gone
 * @pds: number of protection domains that exist
 * @cqs: of CQs
 * @qps: of QPs
 * @srqs: of SRQs
 * @gsi: its QP 1, RCU
 * @cnp: answer packets marked by ECN with CNPs
 * @node: in the list of devices, RCU
 * @debugfs: its folder
 * @enabled: it was registered once; the core enables it again when it changes its namespace
 */
struct soro_dev {
	struct ib_device ib;
	struct soro_link link;
	struct soro_keys keys;
	struct soro_ahs ahs;
	struct soro_mcasts mcasts;
	struct soro_counters __percpu *counters;
	struct xarray bound;	/* its lock guards past */
	struct soro_counters past;
	atomic_t pds;
	atomic_t cqs;
	atomic_t qps;
	atomic_t srqs;
	struct soro_qp __rcu *gsi;
	bool cnp;
	struct list_head node;
	struct dentry *debugfs;
	bool enabled;
};

/**
 * struct soro_ucontext - a process that opened the device
 * @ib: the core's part
 */
struct soro_ucontext {
	struct ib_ucontext ib;
};

/**
 * soro_dev() - our device of a core device
 * @ibdev: the device
 */
static inline struct soro_dev *soro_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct soro_dev, ib);
}

#endif

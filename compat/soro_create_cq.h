/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the create_cq operation, whose last argument is a bundle since 6.11. */
#ifndef SORO_COMPAT_CREATE_CQ_H
#define SORO_COMPAT_CREATE_CQ_H

#include <linux/version.h>
#include <rdma/uverbs_ioctl.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define SORO_CREATE_CQ_ARG	struct uverbs_attr_bundle
#else
#define SORO_CREATE_CQ_ARG	struct ib_udata
#endif

/**
 * soro_create_cq_udata() - the driver's data in the last argument of create_cq
 * @arg: the argument, NULL for a consumer in the kernel
 */
static inline struct ib_udata *soro_create_cq_udata(SORO_CREATE_CQ_ARG *arg)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
	return arg ? &arg->driver_udata : NULL;
#else
	return arg;
#endif
}

#endif

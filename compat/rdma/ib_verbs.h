/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the <rdma/ib_verbs.h> of newer kernels: FLUSH came with 6.2. */
#ifndef SORO_COMPAT_RDMA_IB_VERBS_H
#define SORO_COMPAT_RDMA_IB_VERBS_H

#include <linux/version.h>
#include_next <rdma/ib_verbs.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* No QP permits what has no bit. Keys are not asked: each has all of no bits. */
#define IB_ACCESS_FLUSH_GLOBAL		0
#define IB_ACCESS_FLUSH_PERSISTENT	0
#define IB_DEVICE_FLUSH_GLOBAL		0
#endif

#endif

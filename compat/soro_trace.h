/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for __assign_str() of one argument, which has two before 6.10. */
#ifndef SORO_COMPAT_TRACE_H
#define SORO_COMPAT_TRACE_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define soro_assign_str(field)	__assign_str(field)
#else
#define soro_assign_str(field)	__assign_str(field, field)
#endif

#endif

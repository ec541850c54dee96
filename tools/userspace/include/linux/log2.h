/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/log2.h>. */
#ifndef SORO_USER_LINUX_LOG2_H
#define SORO_USER_LINUX_LOG2_H

#define ilog2(n)		(63 - __builtin_clzll(n))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/log2.h>. */
#ifndef SORO_USER_LINUX_LOG2_H
#define SORO_USER_LINUX_LOG2_H

#define ilog2(n)		(63 - __builtin_clzll(n))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define roundup_pow_of_two(n)	((n) < 2 ? 1UL : 1UL << (64 - __builtin_clzll((n) - 1ULL)))
#define order_base_2(n)		((n) < 2 ? 0 : ilog2((n) - 1) + 1)

#endif

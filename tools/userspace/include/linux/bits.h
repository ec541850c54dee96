/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/bits.h>. */
#ifndef SORO_USER_LINUX_BITS_H
#define SORO_USER_LINUX_BITS_H

#define BITS_PER_BYTE		8
#define BITS_PER_LONG		64
#define BIT(nr)			(1UL << (nr))
#define BIT_ULL(nr)		(1ULL << (nr))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))

#endif

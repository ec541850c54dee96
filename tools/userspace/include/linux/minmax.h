/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/minmax.h>. */
#ifndef SORO_USER_LINUX_MINMAX_H
#define SORO_USER_LINUX_MINMAX_H

/* Like the kernel's, these refuse to compare pointers to different types. */
#define SORO_USER_CMP(x, y, op) __extension__ ({		\
	__typeof__(x) x_ = (x);					\
	__typeof__(y) y_ = (y);					\
	(void)(&x_ == &y_);					\
	x_ op y_ ? x_ : y_; })

#define min(x, y)		SORO_USER_CMP(x, y, <)
#define max(x, y)		SORO_USER_CMP(x, y, >)
#define min3(x, y, z)		min((__typeof__(x))min(x, y), z)
#define max3(x, y, z)		max((__typeof__(x))max(x, y), z)
#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))
#define clamp(val, lo, hi)	min((__typeof__(val))max(val, lo), hi)
#define clamp_t(type, val, lo, hi)	clamp((type)(val), (type)(lo), (type)(hi))

#define swap(a, b) do {						\
	__typeof__(a) swap_ = (a);				\
	(a) = (b);						\
	(b) = swap_;						\
} while (0)

#endif

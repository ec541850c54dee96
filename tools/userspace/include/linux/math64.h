/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/math64.h>. */
#ifndef SORO_USER_LINUX_MATH64_H
#define SORO_USER_LINUX_MATH64_H

#include <linux/types.h>
#include <linux/math.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#endif

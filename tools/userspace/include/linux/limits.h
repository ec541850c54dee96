/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/limits.h>. */
#ifndef SORO_USER_LINUX_LIMITS_H
#define SORO_USER_LINUX_LIMITS_H

#include_next <linux/limits.h>

#define U8_MAX		0xffU
#define U16_MAX		0xffffU
#define U32_MAX		0xffffffffU
#define S32_MAX		0x7fffffff
#define S32_MIN		(-S32_MAX - 1)
#define U64_MAX		(~0ULL)
#define S64_MAX		((long long)(U64_MAX >> 1))

#endif

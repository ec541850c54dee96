/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/build_bug.h>. */
#ifndef SORO_USER_LINUX_BUILD_BUG_H
#define SORO_USER_LINUX_BUILD_BUG_H

#include <linux/compiler.h>

#define BUILD_BUG_ON(cond)		((void)sizeof(char[1 - 2 * !!(cond)]))
#define BUILD_BUG_ON_MSG(cond, msg)	BUILD_BUG_ON(cond)

#undef static_assert
#define static_assert(expr, ...)	SORO_USER_ASSERT(expr, ##__VA_ARGS__, #expr)
#define SORO_USER_ASSERT(expr, msg, ...)	_Static_assert(expr, msg)

#endif

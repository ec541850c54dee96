/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/math.h>. */
#ifndef SORO_USER_LINUX_MATH_H
#define SORO_USER_LINUX_MATH_H

#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))(y) - 1)) + 1)
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#endif

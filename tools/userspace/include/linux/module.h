/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/module.h>: a program has no module glue. */
#ifndef SORO_USER_LINUX_MODULE_H
#define SORO_USER_LINUX_MODULE_H

#define MODULE_LICENSE(x)	_Static_assert(1, x)
#define MODULE_DESCRIPTION(x)	_Static_assert(1, x)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/stddef.h>. */
#ifndef SORO_USER_LINUX_STDDEF_H
#define SORO_USER_LINUX_STDDEF_H

#include_next <linux/stddef.h>
#include <stddef.h>

#define sizeof_field(type, member)	sizeof(((type *)0)->member)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/errno.h>. */
#ifndef SORO_USER_LINUX_ERRNO_H
#define SORO_USER_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif

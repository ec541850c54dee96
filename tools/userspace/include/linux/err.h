/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/err.h>. */
#ifndef SORO_USER_LINUX_ERR_H
#define SORO_USER_LINUX_ERR_H

#include <linux/errno.h>
#include <linux/types.h>

#define ERR_PTR(err)	((void *)(long)(err))
#define PTR_ERR(ptr)	((long)(ptr))
#define IS_ERR(ptr)	((unsigned long)(ptr) >= (unsigned long)-4095)

#endif

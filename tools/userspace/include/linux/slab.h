/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/slab.h>. */
#ifndef SORO_USER_LINUX_SLAB_H
#define SORO_USER_LINUX_SLAB_H

#include <stdlib.h>
#include <linux/err.h>
#include <linux/types.h>

#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ZERO		0
#define __GFP_NOWARN		0

#define kzalloc(size, gfp)	calloc(1, size)
#define kfree(ptr)		free((void *)(ptr))

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/vmalloc.h>: zeroed memory. */
#ifndef SORO_USER_LINUX_VMALLOC_H
#define SORO_USER_LINUX_VMALLOC_H

#include <linux/slab.h>

#define __vmalloc(size, gfp)	calloc(1, size)
#define vfree(ptr)		free(ptr)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/container_of.h>. */
#ifndef SORO_USER_LINUX_CONTAINER_OF_H
#define SORO_USER_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))

#endif

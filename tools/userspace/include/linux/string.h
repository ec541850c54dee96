/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/string.h>. */
#ifndef SORO_USER_LINUX_STRING_H
#define SORO_USER_LINUX_STRING_H

#include <string.h>
#include <linux/types.h>

static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; bytes--, p++)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/string.h>. */
#ifndef SORO_USER_LINUX_STRING_H
#define SORO_USER_LINUX_STRING_H

#include <string.h>
#include <linux/types.h>

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t n = strlen(from);

	if (!size)
		return -1;
	n = n < size ? n : size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
	return n;
}

static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; bytes--, p++)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

#endif

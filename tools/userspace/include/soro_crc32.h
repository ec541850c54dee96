/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for compat/soro_crc32.h: a plain table, see crc32.c. */
#ifndef SORO_USER_CRC32_H
#define SORO_USER_CRC32_H

#include <linux/types.h>

u32 soro_crc32(u32 crc, const void *data, size_t len);

static inline void soro_crc32_init(void)
{
}

static inline void soro_crc32_exit(void)
{
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fastest reflected CRC-32 that the running kernel has.
 *
 * Stands in for crc32_le() of 6.14, which uses carry-less multiplication by
 * itself. Older kernels offer that only through the crypto API.
 */
#ifndef SORO_COMPAT_CRC32_H
#define SORO_COMPAT_CRC32_H

#include <linux/version.h>
#include <linux/types.h>
#include <linux/crc32.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)

/**
 * soro_crc32() - add bytes to a CRC-32
 * @crc: state; neither it nor the result is inverted
 * @data: bytes to add
 * @len: how many
 *
 * Context: any but hard interrupt.
 * Return: the new state.
 */
static inline u32 soro_crc32(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

static inline void soro_crc32_init(void)
{
}

static inline void soro_crc32_exit(void)
{
}

#else

u32 soro_crc32(u32 crc, const void *data, size_t len);
void soro_crc32_init(void);
void soro_crc32_exit(void);

#endif

#endif

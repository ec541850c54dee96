/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/unaligned.h>. */
#ifndef SORO_USER_LINUX_UNALIGNED_H
#define SORO_USER_LINUX_UNALIGNED_H

#include <linux/types.h>

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = p;

	return b[0] << 8 | b[1];
}

static inline u32 get_unaligned_be24(const void *p)
{
	const u8 *b = p;

	return b[0] << 16 | b[1] << 8 | b[2];
}

static inline u32 get_unaligned_be32(const void *p)
{
	const u8 *b = p;

	return (u32)get_unaligned_be16(b) << 16 | get_unaligned_be16(b + 2);
}

static inline u64 get_unaligned_be64(const void *p)
{
	const u8 *b = p;

	return (u64)get_unaligned_be32(b) << 32 | get_unaligned_be32(b + 4);
}

static inline u32 get_unaligned_le32(const void *p)
{
	const u8 *b = p;

	return (u32)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
}

static inline void put_unaligned_be16(u16 val, void *p)
{
	u8 *b = p;

	b[0] = val >> 8;
	b[1] = val;
}

static inline void put_unaligned_be24(u32 val, void *p)
{
	u8 *b = p;

	b[0] = val >> 16;
	b[1] = val >> 8;
	b[2] = val;
}

static inline void put_unaligned_be32(u32 val, void *p)
{
	u8 *b = p;

	put_unaligned_be16(val >> 16, b);
	put_unaligned_be16(val, b + 2);
}

static inline void put_unaligned_be64(u64 val, void *p)
{
	u8 *b = p;

	put_unaligned_be32(val >> 32, b);
	put_unaligned_be32(val, b + 4);
}

static inline void put_unaligned_le32(u32 val, void *p)
{
	u8 *b = p;

	b[0] = val;
	b[1] = val >> 8;
	b[2] = val >> 16;
	b[3] = val >> 24;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 for user space: the polynomial of Ethernet, reflected, one byte at a
 * time, neither preset nor inverted.
 */
#include "soro_crc32.h"

#define POLY	0xedb88320U

static u32 table[256];

__attribute__((constructor)) static void fill_table(void)
{
	for (u32 i = 0; i < 256; i++) {
		u32 crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLY : 0);
		table[i] = crc;
	}
}

u32 soro_crc32(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;

	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return crc;
}

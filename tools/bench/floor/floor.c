// SPDX-License-Identifier: GPL-2.0
/*
 * soro_floor.ko: what moving bytes with a software ICRC costs at least, on this kernel and
 * processor: two memcpy() and two CRCs, sender and receiver. Measured while it loads, in
 * nanoseconds, which are instructions in a guest that counts them; the results are
 * its parameters.
 */
#include <linux/module.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "soro_crc32.h"

/* A message of 64 KiB in packets of 4096 bytes. */
#define MESSAGE		65536
#define PACKET		4096
#define ROUNDS		64

static ulong bytes = MESSAGE * ROUNDS;
static ulong memcpy_ns;
static ulong crc32_ns;
module_param(bytes, ulong, 0444);
MODULE_PARM_DESC(bytes, "bytes that each of the two measurements below is about");
module_param(memcpy_ns, ulong, 0444);
MODULE_PARM_DESC(memcpy_ns, "time of one memcpy() of them");
module_param(crc32_ns, ulong, 0444);
MODULE_PARM_DESC(crc32_ns, "time of one CRC of them");

/* The compiler is not to replace the function by instructions of its choice. */
static void *(*volatile copy)(void *to, const void *from, size_t len) = memcpy;
static u32 sink;

static u64 measure_memcpy(u8 *to, const u8 *from)
{
	u64 start = ktime_get_ns();
	int round;
	size_t at;

	for (round = 0; round < ROUNDS; round++)
		for (at = 0; at < MESSAGE; at += PACKET)
			copy(to + at, from + at, PACKET);
	return ktime_get_ns() - start;
}

static u64 measure_crc32(const u8 *data)
{
	u64 start = ktime_get_ns();
	int round;
	size_t at;

	for (round = 0; round < ROUNDS; round++)
		for (at = 0; at < MESSAGE; at += PACKET)
			sink = soro_crc32(sink, data + at, PACKET);
	return ktime_get_ns() - start;
}

static int __init floor_init(void)
{
	u8 *from = kvmalloc(MESSAGE, GFP_KERNEL | __GFP_ZERO);
	u8 *to = kvmalloc(MESSAGE, GFP_KERNEL | __GFP_ZERO);
	int ret = -ENOMEM;
	int try;

	if (!from || !to)
		goto free;
	soro_crc32_init();
	/* The timer interrupts some of the tries. */
	memcpy_ns = ULONG_MAX;
	crc32_ns = ULONG_MAX;
	for (try = 0; try < 5; try++) {
		memcpy_ns = min_t(ulong, memcpy_ns, measure_memcpy(to, from));
		crc32_ns = min_t(ulong, crc32_ns, measure_crc32(to));
	}
	soro_crc32_exit();
	ret = 0;
free:
	kvfree(to);
	kvfree(from);
	return ret;
}

static void __exit floor_exit(void)
{
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_DESCRIPTION("Cost of two copies and two CRCs");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Copies between registered memory and buffers or skbs.
 *
 * Programs poll the last byte of a message that is written to them. memcpy()
 * promises nothing about the order in which its bytes become visible, so the
 * last cache line of a message is written after everything else, in ascending
 * order, and its last byte with the last store.
 */
#include <asm/barrier.h>
#include <linux/align.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "copy.h"
#include "cursor.h"

#define TAIL_BYTES	64

/**
 * soro_copy_out - copy registered memory to a buffer
 * @c: position in the memory, which moves
 * @dst: the buffer
 * @bytes: how much
 *
 * Context: BH off. Return: 0, or the error of soro_cursor_span(); then @dst holds a part.
 */
int soro_copy_out(struct soro_cursor *c, void *dst, u32 bytes)
{
	void *src;
	u32 got;

	for (; bytes; bytes -= got, dst += got) {
		src = soro_cursor_span(c, bytes, &got);
		if (IS_ERR(src))
			return PTR_ERR(src);
		memcpy(dst, src, got);
	}
	return 0;
}

static int read_payload(const struct soro_payload *from, u32 at, void *dst, u32 bytes)
{
	if (likely(from->data)) {
		memcpy(dst, from->data + at, bytes);
		return 0;
	}
	return skb_copy_bits(from->skb, from->offset + at, dst, bytes);
}

/**
 * soro_copy_in - copy received bytes to registered memory
 * @c: position in the memory, which moves
 * @from: the bytes
 * @bytes: how many; they must be there
 *
 * Context: BH off. Return: 0, or the error of soro_cursor_span(); then a part has been written.
 */
int soro_copy_in(struct soro_cursor *c, const struct soro_payload *from, u32 bytes)
{
	u32 at, got;
	void *dst;
	int err;

	for (at = 0; at < bytes; at += got) {
		dst = soro_cursor_span(c, bytes - at, &got);
		if (IS_ERR(dst))
			return PTR_ERR(dst);
		err = read_payload(from, at, dst, got);
		if (err)
			return err;
	}
	return 0;
}

/* Ascending stores, each of which is single. */
static void store_ordered(u8 *dst, const u8 *src, u32 bytes)
{
	const u8 *last = src + bytes - 1;

	for (; src < last && !IS_ALIGNED((uintptr_t)dst, sizeof(u64)); src++, dst++)
		WRITE_ONCE(*dst, *src);
	for (; last - src >= sizeof(u64); src += sizeof(u64), dst += sizeof(u64))
		WRITE_ONCE(*(u64 *)dst, get_unaligned((const u64 *)src));
	for (; src < last; src++, dst++)
		WRITE_ONCE(*dst, *src);
	/* Pairs with the load of a process that polls the last byte: all earlier stores first. */
	smp_store_release(dst, *last);
}

static int store_tail(struct soro_cursor *c, const u8 *src, u32 bytes)
{
	void *dst;
	u32 got;

	for (; bytes; bytes -= got, src += got) {
		dst = soro_cursor_span(c, bytes, &got);
		if (IS_ERR(dst))
			return PTR_ERR(dst);
		store_ordered(dst, src, got);
	}
	return 0;
}

/**
 * soro_copy_in_value - store the result of an atomic to registered memory
 * @c: position in the memory, which moves by eight bytes
 * @value: the result, in the byte order of the host
 *
 * Ordered like soro_copy_in_last(). Context: BH off. Return: as soro_copy_in().
 */
int soro_copy_in_value(struct soro_cursor *c, u64 value)
{
	smp_wmb();	/* pairs with the order of loads in the process that polls */
	return store_tail(c, (const u8 *)&value, sizeof(value));
}

/**
 * soro_copy_in_last - copy the end of a message to registered memory
 * @c: position in the memory, which moves
 * @from: the bytes
 * @bytes: how many; they must be there
 *
 * As soro_copy_in(), but a process that sees the last byte sees all bytes before it, and those
 * of earlier copies. Context: BH off. Return: as soro_copy_in().
 */
int soro_copy_in_last(struct soro_cursor *c, const struct soro_payload *from, u32 bytes)
{
	u32 tail_bytes = min_t(u32, bytes, TAIL_BYTES);
	u32 bulk_bytes = bytes - tail_bytes;
	u8 tail[TAIL_BYTES];
	int err;

	err = soro_copy_in(c, from, bulk_bytes);
	if (!err)
		err = read_payload(from, bulk_bytes, tail, tail_bytes);
	if (err)
		return err;

	/* Bulk before tail; pairs with the order of loads in the process that polls. */
	smp_wmb();
	return store_tail(c, tail, tail_bytes);
}

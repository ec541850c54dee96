/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies between registered memory and buffers or skbs.
 *
 * Owns: the order in which bytes become visible to a process that polls its
 * memory. Must not know: packets, QPs.
 */
#ifndef SORO_MEMORY_COPY_H
#define SORO_MEMORY_COPY_H

#include <linux/types.h>

struct sk_buff;
struct soro_cursor;

/**
 * struct soro_payload - received bytes
 * @data: where they are, if they are in one piece, else NULL
 * @skb: where they are otherwise
 * @offset: of the first one in @skb
 */
struct soro_payload {
	const u8 *data;
	const struct sk_buff *skb;
	u32 offset;
};

int soro_copy_out(struct soro_cursor *c, void *dst, u32 bytes);
int soro_copy_in(struct soro_cursor *c, const struct soro_payload *from, u32 bytes);
int soro_copy_in_value(struct soro_cursor *c, u64 value);
int soro_copy_in_last(struct soro_cursor *c, const struct soro_payload *from, u32 bytes);

#endif /* SORO_MEMORY_COPY_H */

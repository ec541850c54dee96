/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the trains that a responder keeps because they came out of order. Must not
 * know: what is in them.
 */
#ifndef SORO_RUN_HELD_H
#define SORO_RUN_HELD_H

#include <linux/skbuff.h>

/**
 * struct soro_held - trains beyond a gap
 * @trains: in order of their PSNs; no lock, the owner of the half has it alone
 * @bytes: memory that they hold
 * @until: jiffies at which they are given up; valid if there are any
 */
struct soro_held {
	struct sk_buff_head trains;
	u32 bytes;
	unsigned long until;
};

static inline void soro_held_init(struct soro_held *held)
{
	__skb_queue_head_init(&held->trains);
	held->bytes = 0;
}

bool soro_held_add(struct soro_held *held, struct sk_buff *skb, u32 psn, u32 skip);
struct sk_buff *soro_held_next(struct soro_held *held, u32 epsn);
struct sk_buff *soro_held_pop(struct soro_held *held);

static inline bool soro_held_empty(const struct soro_held *held)
{
	return skb_queue_empty(&held->trains);
}

#endif

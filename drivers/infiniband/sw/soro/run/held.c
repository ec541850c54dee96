// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the trains that a responder keeps because they came out of order: they are
 * judged again when the gap before them is filled.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include "../link/socket.h"
#include "../wire/psn.h"
#include "held.h"

#define HELD_MAX_BYTES	(512 * 1024)
#define HELD_ALL_BYTES	(64 * 1024 * 1024)	/* of all QPs */
#define HELD_JIFFIES	(10 * HZ)

static atomic_t all_bytes;

/**
 * soro_held_add() - keep a train
 * @held: the store
 * @skb: the train; taken over on success
 * @psn: of its first packet that was not judged yet
 * @skip: packets before that one
 *
 * Context: owner of the half.
 * Return: false if there is no room, or if one that begins there is kept already.
 */
bool soro_held_add(struct soro_held *held, struct sk_buff *skb, u32 psn, u32 skip)
{
	struct sk_buff *other;

	if (held->bytes + skb->truesize > HELD_MAX_BYTES ||
	    atomic_read(&all_bytes) > HELD_ALL_BYTES)
		return false;
	skb_queue_reverse_walk(&held->trains, other) {
		s32 behind = soro_psn_diff(psn, soro_rx(other)->psn);

		if (!behind)
			return false;
		if (behind > 0)
			break;
	}
	if (soro_held_empty(held))
		held->until = jiffies + HELD_JIFFIES;
	soro_rx(skb)->psn = psn;
	soro_rx(skb)->skip = skip;
	soro_rx(skb)->kept = true;
	held->bytes += skb->truesize;
	atomic_add(skb->truesize, &all_bytes);
	__skb_queue_after(&held->trains, other, skb);
	return true;
}

static void take_out(struct soro_held *held, struct sk_buff *skb)
{
	held->bytes -= skb->truesize;
	atomic_sub(skb->truesize, &all_bytes);
	__skb_unlink(skb, &held->trains);
}

/**
 * soro_held_next() - a train whose turn has come
 * @held: the store
 * @epsn: expected PSN
 *
 * Context: owner of the half.
 * Return: a train that begins at or before @epsn, no longer in the store, or NULL.
 */
struct sk_buff *soro_held_next(struct soro_held *held, u32 epsn)
{
	struct sk_buff *skb = skb_peek(&held->trains);

	if (!skb || soro_psn_diff(soro_rx(skb)->psn, epsn) > 0)
		return NULL;
	take_out(held, skb);
	return skb;
}

/**
 * soro_held_pop() - the first train, whatever its turn
 * @held: the store
 *
 * Context: owner of the half, or nobody can own it any more.
 * Return: the train, no longer in the store, or NULL.
 */
struct sk_buff *soro_held_pop(struct soro_held *held)
{
	struct sk_buff *skb = skb_peek(&held->trains);

	if (skb)
		take_out(held, skb);
	return skb;
}

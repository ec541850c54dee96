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

/*
 * A head that is a piece of a page keeps all of the page, 32 KiB, of which truesize knows nothing:
 * what is sent over lo, and what drivers build around their buffers. What is short is therefore
 * copied, as the stack has short heads from slabs for the same reason. But skb_copy() warns of a
 * list that GRO made (rx-gro-list): such a train is not kept.
 */
static struct sk_buff *compact(struct sk_buff *skb)
{
	if (!skb->head_frag ||
	    skb_end_offset(skb) + skb->data_len > SKB_WITH_OVERHEAD(PAGE_SIZE))
		return skb;
	if (skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST)
		return NULL;
	return skb_copy(skb, GFP_ATOMIC | __GFP_NOWARN);
}

/**
 * soro_held_add() - keep a train
 * @held: the store
 * @skb: the train; taken over on success
 * @psn: of its first packet that was not judged yet
 * @skip: packets before that one
 *
 * Context: owner of the half.
 * Return: false if there is no room or memory, if one that begins there is kept already, if the
 * train lies in memory that is needed urgently, or if it would have to be copied and cannot be.
 */
bool soro_held_add(struct soro_held *held, struct sk_buff *skb, u32 psn, u32 skip)
{
	struct sk_buff *other, *keep;

	if (held->bytes + skb->truesize > HELD_MAX_BYTES ||
	    atomic_read(&all_bytes) > HELD_ALL_BYTES)
		return false;
	/* Memory from the reserves is for those who help to free some: sk_filter() is not asked. */
	if (skb_pfmemalloc(skb))
		return false;
	skb_queue_reverse_walk(&held->trains, other) {
		s32 behind = soro_psn_diff(psn, soro_rx(other)->psn);

		if (!behind)
			return false;
		if (behind > 0)
			break;
	}
	keep = compact(skb);
	if (!keep)
		return false;
	if (keep != skb)
		consume_skb(skb);
	if (soro_held_empty(held))
		held->until = jiffies + HELD_JIFFIES;
	soro_rx(keep)->psn = psn;
	soro_rx(keep)->skip = skip;
	soro_rx(keep)->kept = true;
	held->bytes += keep->truesize;
	atomic_add(keep->truesize, &all_bytes);
	__skb_queue_after(&held->trains, other, keep);
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

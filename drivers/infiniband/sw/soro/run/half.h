/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: who may touch a half of a QP, and where a half goes on when its
 * budget is used up.  Must not know what a half does.
 *
 * A half (requester or responder) has at most one owner.  Whoever has work for
 * it kicks it: if it is idle, the caller becomes the owner and runs it there and
 * then; if not, the owner is told to look once more.  Owning means BH off, no
 * sleep, one budget.
 */
#ifndef SORO_RUN_HALF_H
#define SORO_RUN_HALF_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>

/**
 * struct soro_hold - what keeps a QP from being freed
 * @refs: one of the QP itself, one per queued continuation
 * @gone: completed when the last reference is dropped
 */
struct soro_hold {
	refcount_t refs;
	struct completion gone;
};

/**
 * struct soro_half - one half of a QP
 * @word: idle, busy or armed (busy, and to be run again)
 * @dead: nothing runs any more; written by an owner
 * @run: does one budget of work; true if there is more; called by the owner
 * @inbox: trains that arrived; its own lock, any context
 * @inbox_bytes: memory that they take
 * @hold: of the QP
 * @node: in a runner's list while @queued
 * @queued: bit 0: a continuation is queued and holds a reference
 * @dep_map: ownership, as lockdep sees it
 */
struct soro_half {
	atomic_t word;
	bool dead;
	bool (*run)(struct soro_half *half);
	struct sk_buff_head inbox;
	atomic_t inbox_bytes;
	struct soro_hold *hold;
	struct list_head node;
	unsigned long queued;
	struct lockdep_map dep_map;
};

void soro_hold_init(struct soro_hold *hold);
void soro_hold_get(struct soro_hold *hold);
void soro_hold_put(struct soro_hold *hold);

void soro_half_setup(struct soro_half *half, struct soro_hold *hold,
		     bool (*run)(struct soro_half *half));
bool soro_half_push(struct soro_half *half, struct sk_buff *skb);
struct sk_buff *soro_half_pop(struct soro_half *half);
void soro_half_kick(struct soro_half *half);
void soro_half_defer(struct soro_half *half);
void soro_half_own_pair(struct soro_half *a, struct soro_half *b);
void soro_half_disown_pair(struct soro_half *a, struct soro_half *b);
void soro_half_assert_owned(const struct soro_half *half);

void soro_half_init(void);
void soro_half_exit(void);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: ownership of QP halves, and the per-CPU NAPI that continues them: it
 * takes turns with the backlog of the same CPU, so that what is sent is received
 * before more is sent.  Must not know what a half does.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include "half.h"

enum { HALF_IDLE, HALF_BUSY, HALF_ARMED };

#define RUNS_MAX	4	/* runs for new work in a row before others get a turn */
#define INBOX_MAX_BYTES	(4 * 1024 * 1024)
#define POLL_HALVES	2	/* halves continued before the stack gets a turn */

/**
 * struct runner - continuation of halves on one CPU
 * @napi: gives the softirq's budget, fairness and ksoftirqd
 * @lock: guards @halves; leaf, taken with interrupts off
 * @halves: queued halves, each with a reference
 */
struct runner {
	struct napi_struct napi;
	spinlock_t lock;	/* guards halves */
	struct list_head halves;
};

static DEFINE_PER_CPU(struct runner, runners);
static struct net_device runner_dev;

/**
 * soro_hold_init() - start with the owner's reference
 * @hold: memory
 */
void soro_hold_init(struct soro_hold *hold)
{
	refcount_set(&hold->refs, 1);
	init_completion(&hold->gone);
}

/**
 * soro_hold_get() - take a reference; the caller knows that one exists
 * @hold: what is held
 */
void soro_hold_get(struct soro_hold *hold)
{
	refcount_inc(&hold->refs);
}

/**
 * soro_hold_put() - drop a reference
 * @hold: what was held
 *
 * Context: any.
 */
void soro_hold_put(struct soro_hold *hold)
{
	if (refcount_dec_and_test(&hold->refs))
		complete(&hold->gone);
}

static void mark_owned(struct soro_half *half)
{
	/* as a trylock: waiting for a half never happens while owning another */
	lock_acquire(&half->dep_map, 0, 1, 0, 1, NULL, _RET_IP_);
}

static void mark_disowned(struct soro_half *half)
{
	lock_release(&half->dep_map, _RET_IP_);
}

/**
 * soro_half_assert_owned() - the caller must own @half
 * @half: checked by lockdep
 */
void soro_half_assert_owned(const struct soro_half *half)
{
	lockdep_assert(lock_is_held(&half->dep_map));
}

static bool try_own(struct soro_half *half)
{
	/* acquire: pairs with the release in let_go() */
	if (atomic_cmpxchg_acquire(&half->word, HALF_IDLE, HALF_BUSY) != HALF_IDLE)
		return false;
	mark_owned(half);
	return true;
}

/* Own @half, or leave word with its owner; false: the owner will look again. */
static bool own_or_arm(struct soro_half *half)
{
	int seen;

	/* What the caller left is seen by an owner that was told, or that it finds
	 * told already: pairs with the barrier in let_go().
	 */
	smp_mb();
	do {
		if (try_own(half))
			return true;
		seen = atomic_cmpxchg(&half->word, HALF_BUSY, HALF_ARMED);
	} while (seen == HALF_IDLE);
	return false;
}

/* Release @half unless somebody armed it; false: it is still owned, run again. */
static bool let_go(struct soro_half *half)
{
	mark_disowned(half);
	if (atomic_cmpxchg_release(&half->word, HALF_BUSY, HALF_IDLE) == HALF_BUSY)
		return true;
	mark_owned(half);
	/* full barrier, pairs with that in own_or_arm(): see what was left */
	atomic_xchg(&half->word, HALF_BUSY);
	return false;
}

/* Run an owned half until it is idle or its turn is over. */
static void run_owned(struct soro_half *half)
{
	int runs = 0;
	bool more;

	do {
		more = !half->dead && half->run(half);
		if (!more && ++runs < RUNS_MAX)
			continue;
		mark_disowned(half);
		/* What armed it is served by the continuation, which must be queued after
		 * the release: one that finds the half busy only arms it.
		 */
		atomic_set_release(&half->word, HALF_IDLE);
		soro_half_defer(half);
		return;
	} while (!let_go(half));
}

/**
 * soro_half_push() - leave a train in the inbox
 * @half: the half
 * @skb: the train; taken over on success
 *
 * Context: any.
 * Return: false if the inbox is full.
 */
bool soro_half_push(struct soro_half *half, struct sk_buff *skb)
{
	/* several CPUs may overshoot by a train each */
	if (atomic_read(&half->inbox_bytes) > INBOX_MAX_BYTES)
		return false;
	atomic_add(skb->truesize, &half->inbox_bytes);
	skb_queue_tail(&half->inbox, skb);
	return true;
}

/**
 * soro_half_pop() - take the oldest train from the inbox
 * @half: the half
 *
 * Context: owner.
 * Return: the train, or NULL.
 */
struct sk_buff *soro_half_pop(struct soro_half *half)
{
	struct sk_buff *skb = skb_dequeue(&half->inbox);

	if (skb)
		atomic_sub(skb->truesize, &half->inbox_bytes);
	return skb;
}

/**
 * soro_half_kick() - there is work for @half: run it here, or tell its owner
 * @half: the half
 *
 * Context: any; with interrupts off the work is left to the continuation,
 * since handing packets to IP is not possible then.  So it is while ksoftirqd has
 * taken over: it would not take what is sent here, and the backlog would overflow.
 * The caller keeps the QP alive.
 */
void soro_half_kick(struct soro_half *half)
{
	bool nested = in_softirq();

	if (irqs_disabled() || in_hardirq()) {
		soro_half_defer(half);
		return;
	}
	local_bh_disable();
	if (!nested && local_softirq_pending())
		soro_half_defer(half);
	else if (own_or_arm(half))
		run_owned(half);
	local_bh_enable();
}

/**
 * soro_half_defer() - run @half soon, from the continuation
 * @half: the half
 *
 * Context: any.  Takes a reference while queued.
 */
void soro_half_defer(struct soro_half *half)
{
	struct runner *runner;
	unsigned long flags;

	if (test_and_set_bit(0, &half->queued))
		return;
	soro_hold_get(half->hold);
	local_irq_save(flags);
	runner = this_cpu_ptr(&runners);
	spin_lock(&runner->lock);
	list_add_tail(&half->node, &runner->halves);
	spin_unlock(&runner->lock);
	napi_schedule(&runner->napi);
	local_irq_restore(flags);
}

static void continue_half(struct soro_half *half)
{
	struct soro_hold *hold = half->hold;

	/* cleared first: a kick from now on queues it again */
	clear_bit(0, &half->queued);
	smp_mb__after_atomic();	/* pairs with test_and_set_bit() in soro_half_defer() */
	soro_half_kick(half);
	soro_hold_put(hold);
}

static struct soro_half *next_half(struct runner *runner)
{
	struct soro_half *half;

	spin_lock_irq(&runner->lock);
	half = list_first_entry_or_null(&runner->halves, struct soro_half, node);
	if (half)
		list_del_init(&half->node);
	spin_unlock_irq(&runner->lock);
	return half;
}

static int poll(struct napi_struct *napi, int budget)
{
	struct runner *runner = container_of(napi, struct runner, napi);
	struct soro_half *half;
	int done = 0;

	while (done < POLL_HALVES) {
		half = next_half(runner);
		if (!half)
			break;
		continue_half(half);
		done++;
	}
	if (done == POLL_HALVES)
		return budget;	/* others first, then again */
	if (napi_complete_done(napi, done) && !list_empty(&runner->halves))
		napi_schedule(napi);
	return done;
}

/**
 * soro_half_setup() - make a half ready to be kicked
 * @half: memory, zeroed
 * @hold: of its QP
 * @run: what it does
 */
void soro_half_setup(struct soro_half *half, struct soro_hold *hold,
		     bool (*run)(struct soro_half *half))
{
	static struct lock_class_key key;

	atomic_set(&half->word, HALF_IDLE);
	half->run = run;
	half->hold = hold;
	skb_queue_head_init(&half->inbox);
	INIT_LIST_HEAD(&half->node);
	lockdep_init_map(&half->dep_map, "soro_half", &key, 0);
}

/**
 * soro_half_own_pair() - own both halves of a QP, for a change of its state
 * @a: one half
 * @b: the other
 *
 * Context: process; on return BH is off until soro_half_disown_pair().  Owners
 * never sleep and give way after one turn, so the wait is short.
 */
void soro_half_own_pair(struct soro_half *a, struct soro_half *b)
{
	might_sleep();
	for (;;) {
		local_bh_disable();
		if (try_own(a)) {
			if (try_own(b))
				return;
			run_owned(a);
		}
		local_bh_enable();
		cond_resched();
		cpu_relax();
	}
}

/**
 * soro_half_disown_pair() - end of soro_half_own_pair(); runs what came in meanwhile
 * @a: one half
 * @b: the other
 */
void soro_half_disown_pair(struct soro_half *a, struct soro_half *b)
{
	if (!let_go(b))
		run_owned(b);
	if (!let_go(a))
		run_owned(a);
	local_bh_enable();
}

/**
 * soro_half_init() - start the runners
 */
void soro_half_init(void)
{
	int cpu;

	init_dummy_netdev(&runner_dev);
	for_each_possible_cpu(cpu) {
		struct runner *runner = per_cpu_ptr(&runners, cpu);

		spin_lock_init(&runner->lock);
		INIT_LIST_HEAD(&runner->halves);
		netif_napi_add(&runner_dev, &runner->napi, poll);
		napi_enable(&runner->napi);
	}
}

/**
 * soro_half_exit() - stop the runners; every QP is gone
 */
void soro_half_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct runner *runner = per_cpu_ptr(&runners, cpu);

		napi_disable(&runner->napi);
		__netif_napi_del(&runner->napi);
	}
	synchronize_net();
}

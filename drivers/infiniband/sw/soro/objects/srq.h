/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared receive queues.
 *
 * Owns: the ring of receives that several QPs take from, its limit, its size and its
 * events. Must not know: QPs, and what is done with a receive.
 */
#ifndef SORO_OBJECTS_SRQ_H
#define SORO_OBJECTS_SRQ_H

#include <linux/interrupt.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include "ring.h"

/** enum soro_srq_due - events that have to be raised */
enum soro_srq_due {
	SORO_SRQ_DUE_LIMIT	= 1 << 0,	/* fewer receives than the limit are left */
	SORO_SRQ_DUE_ERROR	= 1 << 1,	/* the queue went into error */
};

/**
 * struct soro_srq - a shared receive queue
 * @ib: the core's object
 * @max_sge: SGEs of a receive; constant
 * @lock: guards all from @ring to @due, and the other end of @ring if that is a consumer in the
 *	kernel; a leaf, taken from any context
 * @ring: receives that are posted; none is taken while @lock is free
 * @limit: the event is due when fewer receives are left, 0: not armed
 * @failed: the program broke the ring; no receive is taken any more
 * @due: enum soro_srq_due, until @notifier runs
 * @notifier: calls the handler of a consumer in the kernel, from no call of its
 */
struct soro_srq {
	struct ib_srq ib;
	u32 max_sge;
	spinlock_t lock;	/* ring, limit, failed, due */
	struct soro_ring ring;
	u32 limit;
	bool failed;
	u8 due;
	struct tasklet_struct notifier;
};

static inline struct soro_srq *soro_srq_from_ib(struct ib_srq *ib_srq)
{
	return container_of(ib_srq, struct soro_srq, ib);
}

int soro_srq_create(struct ib_srq *ib_srq, struct ib_srq_init_attr *init, struct ib_udata *udata);
int soro_srq_modify(struct ib_srq *ib_srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		    struct ib_udata *udata);
int soro_srq_query(struct ib_srq *ib_srq, struct ib_srq_attr *attr);
void soro_srq_destroy(struct soro_srq *srq);
int soro_srq_take(struct soro_srq *srq, void *dst, u32 bytes);

#endif /* SORO_OBJECTS_SRQ_H */

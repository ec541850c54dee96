/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queues.
 *
 * Owns: the completion ring, how completions look to the application, arming, overflow and
 * their events. Must not know: what a QP does, work requests.
 */
#ifndef SORO_OBJECTS_CQ_H
#define SORO_OBJECTS_CQ_H

#include <linux/interrupt.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include "ring.h"

/** enum soro_cq_armed - which completion raises the next event; a higher one includes the lower */
enum soro_cq_armed {
	SORO_CQ_IDLE,
	SORO_CQ_ARMED_SOLICITED,
	SORO_CQ_ARMED_NEXT,
};

/** enum soro_cq_due - handlers that have to be called */
enum soro_cq_due {
	SORO_CQ_DUE_NOTIFY	= 1 << 0,	/* the armed completion came */
	SORO_CQ_DUE_OVERFLOW	= 1 << 1,	/* the first completion was lost */
};

/**
 * struct soro_cq - a completion queue
 * @ib: the core's object
 * @lock: guards all from @ring to @due; a leaf, taken from any context
 * @ring: completions: struct ib_uverbs_wc if of user space, else struct ib_wc
 * @armed: enum soro_cq_armed
 * @overflowed: a completion was lost; nothing is added any more (IBA 11.6 leaves the CQ in error)
 * @due: enum soro_cq_due, until @notifier runs
 * @notifier: calls the handlers of a consumer in the kernel, one at a time and from no call of its
 */
struct soro_cq {
	struct ib_cq ib;
	spinlock_t lock;	/* ring, armed, overflowed, due */
	struct soro_ring ring;
	u8 armed;
	bool overflowed;
	u8 due;
	struct tasklet_struct notifier;
};

static inline struct soro_cq *soro_cq_from_ib(struct ib_cq *ib_cq)
{
	return container_of(ib_cq, struct soro_cq, ib);
}

int soro_cq_create(struct ib_cq *ib_cq, const struct ib_cq_init_attr *attr,
		   struct ib_udata *udata);
int soro_cq_destroy(struct ib_cq *ib_cq, struct ib_udata *udata);
int soro_cq_resize(struct ib_cq *ib_cq, int entries, struct ib_udata *udata);
int soro_cq_arm(struct ib_cq *ib_cq, enum ib_cq_notify_flags flags);
int soro_cq_poll(struct ib_cq *ib_cq, int num, struct ib_wc *wc);
bool soro_cq_add(struct soro_cq *cq, const struct ib_wc *wc, bool solicited);

#endif /* SORO_OBJECTS_CQ_H */

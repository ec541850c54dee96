/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queues.
 *
 * Owns: the completion ring, arming, overflow and their events. Must not know:
 * QPs, work requests.
 */
#ifndef SORO_OBJECTS_CQ_H
#define SORO_OBJECTS_CQ_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/ib_verbs.h>
#include "ring.h"

/* Bytes of a completion in the ring. */
#define SORO_CQ_ELEM_BYTES	64

/** enum soro_cq_armed - which completion raises the next event; a higher one includes the lower */
enum soro_cq_armed {
	SORO_CQ_IDLE,
	SORO_CQ_ARMED_SOLICITED,
	SORO_CQ_ARMED_NEXT,
};

/**
 * struct soro_cq - a completion queue of user space
 * @ib: the core's object
 * @lock: guards @ring, @armed and @overflowed; a leaf, taken from any context
 * @ring: completions, produced by the kernel
 * @armed: enum soro_cq_armed
 * @overflowed: a completion was lost; nothing is added any more (IBA 11.6 leaves the CQ in error)
 * @users: one of the CQ itself, one of each handler that runs
 * @idle: completed when the last user is gone
 */
struct soro_cq {
	struct ib_cq ib;
	spinlock_t lock;	/* ring, armed, overflowed */
	struct soro_ring ring;
	u8 armed;
	bool overflowed;
	refcount_t users;
	struct completion idle;
};

static inline struct soro_cq *soro_cq_from_ib(struct ib_cq *ib_cq)
{
	return container_of(ib_cq, struct soro_cq, ib);
}

int soro_cq_create(struct ib_cq *ib_cq, const struct ib_cq_init_attr *attr,
		   struct ib_udata *udata);
int soro_cq_destroy(struct ib_cq *ib_cq, struct ib_udata *udata);
int soro_cq_arm(struct ib_cq *ib_cq, enum ib_cq_notify_flags flags);
bool soro_cq_add(struct soro_cq *cq, const struct ib_uverbs_wc *wc, bool solicited);

#endif /* SORO_OBJECTS_CQ_H */

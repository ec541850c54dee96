// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues.
 *
 * QPs on several processors take from one ring. Each takes the oldest entry, copies it to its own
 * memory and frees the slot in one step under the lock of the queue: an entry goes to exactly one
 * QP, in the order in which they were posted, and is never looked at again.
 *
 * A program posts without a bell and without the lock. That the ring holds fewer entries than
 * the limit is therefore noticed when one is taken, or when the limit is set.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <rdma/soro-abi.h>
#include <rdma/uverbs_ioctl.h>
#include "srq.h"
#include "wqe.h"

/* ---- events ---- */

static void raise_event(struct soro_srq *srq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = type,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

static void raise_events(struct soro_srq *srq, u8 due)
{
	if (due & SORO_SRQ_DUE_LIMIT)
		raise_event(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	if (due & SORO_SRQ_DUE_ERROR)
		raise_event(srq, IB_EVENT_SRQ_ERR);
}

static void notify(struct tasklet_struct *notifier)
{
	struct soro_srq *srq = container_of(notifier, struct soro_srq, notifier);
	unsigned long flags;
	u8 due;

	spin_lock_irqsave(&srq->lock, flags);
	due = srq->due;
	srq->due = 0;
	spin_unlock_irqrestore(&srq->lock, flags);
	raise_events(srq, due);
}

/* Events of user space are only queued, at once; who is in the kernel may post in its handler. */
static void unlock_and_raise(struct soro_srq *srq, unsigned long flags, u8 due)
	__releases(&srq->lock)
{
	if (due && !srq->ib.uobject) {
		srq->due |= due;
		tasklet_schedule(&srq->notifier);
		due = 0;
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	raise_events(srq, due);
}

/* What is due of the limit: its event, once each time that it was set (IBA 10.2.9.1). */
static u8 look_at_limit(struct soro_srq *srq)
{
	lockdep_assert_held(&srq->lock);
	if (soro_ring_pending(&srq->ring) >= srq->limit)
		return 0;
	srq->limit = 0;
	return SORO_SRQ_DUE_LIMIT;
}

/* ---- taking ---- */

/**
 * soro_srq_take - copy the oldest receive and free its slot
 * @srq: the queue
 * @dst: private memory
 * @bytes: its size; no more than a slot is copied
 *
 * Raises the events of the queue that are due: that the limit was reached, or once that the
 * program broke the ring. Context: any.
 *
 * Return: 1; 0 if there is none; -EINVAL if the queue is in error.
 */
int soro_srq_take(struct soro_srq *srq, void *dst, u32 bytes)
{
	unsigned long flags;
	int ret = 0;
	u8 due = 0;

	spin_lock_irqsave(&srq->lock, flags);
	if (!srq->failed && soro_ring_broken(&srq->ring)) {
		srq->failed = true;
		due = SORO_SRQ_DUE_ERROR;
	}
	if (srq->failed) {
		ret = -EINVAL;
	} else if (soro_ring_copy(&srq->ring, dst, bytes)) {
		soro_ring_release(&srq->ring, 1);
		due = look_at_limit(srq);
		ret = 1;
	}
	unlock_and_raise(srq, flags, due);
	return ret;
}

/* ---- creation and destruction ---- */

/* @info is what a program has to be told. */
static int make_ring(const struct soro_srq *srq, u32 max_wr, struct ib_udata *udata,
		     struct soro_ring *ring, struct soro_abi_mmap_info *info)
{
	u32 elem_bytes = SORO_WQE_RECV_BYTES(srq->max_sge);

	if (!max_wr || max_wr > (u32)srq->ib.device->attrs.max_srq_wr)
		return -EINVAL;
	if (!udata)
		return soro_ring_create(ring, max_wr, elem_bytes, NULL, NULL);
	return soro_ring_create(ring, max_wr, elem_bytes,
				rdma_udata_to_uverbs_attr_bundle(udata)->context, info);
}

/**
 * soro_srq_create - create a shared receive queue
 * @ib_srq: zeroed but for what the core has set
 * @init: wishes; what was granted is written back. A limit is set by modify only.
 * @udata: response: where the ring is mapped; NULL for a consumer in the kernel
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for XRC and tag matching; -EINVAL beyond a limit; -EFAULT; -ENOMEM.
 * Nothing is left on failure.
 */
int soro_srq_create(struct ib_srq *ib_srq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct soro_srq *srq = soro_srq_from_ib(ib_srq);
	struct soro_abi_create_srq_resp resp = {};
	struct ib_srq_attr *attr = &init->attr;
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (attr->max_sge > (u32)ib_srq->device->attrs.max_srq_sge)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;
	spin_lock_init(&srq->lock);
	tasklet_setup(&srq->notifier, notify);
	srq->max_sge = max(attr->max_sge, 1U);
	err = make_ring(srq, attr->max_wr, udata, &srq->ring, &resp.rq);
	if (err)
		return err;
	if (udata)
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err)
		goto err_respond;
	attr->max_wr = soro_ring_capacity(&srq->ring);
	attr->max_sge = srq->max_sge;
	return 0;

err_respond:
	soro_ring_destroy(&srq->ring);
	return err;
}

/**
 * soro_srq_destroy - destroy a shared receive queue
 * @srq: a queue that no QP uses any more
 *
 * What is posted is forgotten (IBA 11.2.3.4). Waits for a handler that still runs. Context:
 * process, may sleep.
 */
void soro_srq_destroy(struct soro_srq *srq)
{
	tasklet_kill(&srq->notifier);
	soro_ring_destroy(&srq->ring);
}

/* ---- attributes ---- */

/* The provider maps the new ring when the command has come back. */
static int tell_user(struct ib_udata *udata, const struct soro_abi_mmap_info *info)
{
	struct soro_abi_modify_srq_cmd cmd;
	int err;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	err = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (err)
		return err;
	return copy_to_user(u64_to_user_ptr(cmd.mmap_info), info, sizeof(*info)) ? -EFAULT : 0;
}

/* Entries that are copied with interrupts off. */
#define MOVE_STEP	64

/* Return: 0, and @ring is the old one if there is a new size; -EAGAIN: go on; else -errno. */
static int change(struct soro_srq *srq, const struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		  struct soro_ring *ring)
{
	u32 max_wr = mask & IB_SRQ_MAX_WR ? attr->max_wr : soro_ring_capacity(&srq->ring);
	u32 limit = mask & IB_SRQ_LIMIT ? attr->srq_limit : srq->limit;
	int err;

	lockdep_assert_held(&srq->lock);
	if (srq->failed || soro_ring_broken(&srq->ring) || limit > max_wr)
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR) {
		err = soro_ring_move(&srq->ring, ring, max_wr, MOVE_STEP);
		if (err)
			return err;
		swap(srq->ring, *ring);
	}
	srq->limit = limit;
	return 0;
}

/* One step; all or nothing changes, in the last one. */
static int step(struct soro_srq *srq, const struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		struct soro_ring *ring)
{
	unsigned long flags;
	u8 due = 0;
	int err;

	spin_lock_irqsave(&srq->lock, flags);
	err = change(srq, attr, mask, ring);
	if (!err)
		due = look_at_limit(srq);
	unlock_and_raise(srq, flags, due);
	return err;
}

/**
 * soro_srq_modify - change the size, or set the limit
 * @ib_srq: the queue; it may be in use meanwhile
 * @attr: new values
 * @mask: which
 * @udata: for a new size: where the program wants to be told where the ring is mapped
 *
 * What is posted moves to the new ring; the provider keeps its own posts out meanwhile. A limit
 * that is set while fewer receives are posted raises its event at once. Context: process.
 *
 * Return: 0; -EINVAL beyond a limit, for a size below what is posted, a limit above the size, or
 * a queue in error; -EFAULT; -ENOMEM. Nothing has changed on failure.
 */
int soro_srq_modify(struct ib_srq *ib_srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		    struct ib_udata *udata)
{
	struct soro_srq *srq = soro_srq_from_ib(ib_srq);
	struct soro_abi_mmap_info info;
	struct soro_ring ring = {};
	int err = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR)
		err = make_ring(srq, attr->max_wr, udata, &ring, &info);
	if (err)
		return err;
	if (mask & IB_SRQ_MAX_WR && udata)
		err = tell_user(udata, &info);
	if (err)
		goto out;
	soro_ring_succeed(&ring, &srq->ring);
	while ((err = step(srq, attr, mask, &ring)) == -EAGAIN)
		cond_resched();
out:
	soro_ring_destroy(&ring);
	return err;
}

/**
 * soro_srq_query - show attributes
 * @ib_srq: the queue
 * @attr: filled; the limit is 0 when it is not armed
 *
 * Return: 0.
 */
int soro_srq_query(struct ib_srq *ib_srq, struct ib_srq_attr *attr)
{
	struct soro_srq *srq = soro_srq_from_ib(ib_srq);
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	attr->max_wr = soro_ring_capacity(&srq->ring);
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irqrestore(&srq->lock, flags);
	return 0;
}

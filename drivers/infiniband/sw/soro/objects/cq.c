// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues of user space.
 *
 * A program arms the queue by a system call and then looks at the producer
 * index in shared memory. Both arming and adding hold the lock of the queue: a
 * completion either finds the queue armed, or is in the ring before arming returns.
 */
#include <linux/build_bug.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/soro-abi.h>
#include <rdma/uverbs_ioctl.h>
#include "cq.h"

/* The provider copies entries as they are. */
static_assert(sizeof(struct ib_uverbs_wc) == 48);
static_assert(sizeof(struct ib_uverbs_wc) <= SORO_CQ_ELEM_BYTES);

static void put(struct soro_cq *cq)
{
	if (refcount_dec_and_test(&cq->users))
		complete(&cq->idle);
}

/**
 * soro_cq_create - the create_cq operation
 * @ib_cq: the queue, zeroed but for what the core has set
 * @attr: size and completion vector
 * @udata: of the user; there are no kernel queues yet
 *
 * Context: process. Return: 0 or -errno, and then nothing is left.
 */
int soro_cq_create(struct ib_cq *ib_cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);
	struct soro_abi_create_cq_resp resp = {};
	int err;

	if (!udata || attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > (u32)ib_cq->device->attrs.max_cqe)
		return -EINVAL;
	if (attr->comp_vector >= (u32)ib_cq->device->num_comp_vectors)
		return -EINVAL;
	if (udata->outlen < sizeof(resp))
		return -EINVAL;

	spin_lock_init(&cq->lock);
	refcount_set(&cq->users, 1);
	init_completion(&cq->idle);
	cq->armed = SORO_CQ_IDLE;
	cq->overflowed = false;

	err = soro_ring_create(&cq->ring, attr->cqe, SORO_CQ_ELEM_BYTES,
			       rdma_udata_to_uverbs_attr_bundle(udata)->context, &resp.cq);
	if (err)
		return err;
	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err)
		goto err_copy;
	ib_cq->cqe = soro_ring_capacity(&cq->ring);
	return 0;

err_copy:
	soro_ring_destroy(&cq->ring);
	return err;
}

/**
 * soro_cq_destroy - the destroy_cq operation
 * @ib_cq: a queue that no QP uses any more
 * @udata: unused
 *
 * Waits for handlers that still run. Context: process, may sleep. Return: 0.
 */
int soro_cq_destroy(struct ib_cq *ib_cq, struct ib_udata *udata)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);

	put(cq);
	wait_for_completion(&cq->idle);
	soro_ring_destroy(&cq->ring);
	return 0;
}

/**
 * soro_cq_arm - the req_notify_cq operation
 * @ib_cq: the queue
 * @flags: which completion is to raise an event, and whether missed ones are reported
 *
 * Never raises an event itself: that is up to the next completion. Context: any.
 * Return: 1 if missed events are asked for and there are completions, else 0.
 */
int soro_cq_arm(struct ib_cq *ib_cq, enum ib_cq_notify_flags flags)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);
	unsigned long irq_flags;
	bool empty;
	u8 want;

	want = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ? SORO_CQ_ARMED_SOLICITED :
								   SORO_CQ_ARMED_NEXT;
	spin_lock_irqsave(&cq->lock, irq_flags);
	cq->armed = max(cq->armed, want);
	empty = soro_ring_empty(&cq->ring);
	spin_unlock_irqrestore(&cq->lock, irq_flags);

	return (flags & IB_CQ_REPORT_MISSED_EVENTS) && !empty;
}

/* An unsuccessful completion is a solicited one (IBA 11.4.2.2). */
static bool take_event(struct soro_cq *cq, const struct ib_uverbs_wc *wc, bool solicited)
{
	bool fires;

	lockdep_assert_held(&cq->lock);

	fires = cq->armed == SORO_CQ_ARMED_NEXT ||
		(cq->armed == SORO_CQ_ARMED_SOLICITED && (solicited || wc->status));
	if (fires)
		cq->armed = SORO_CQ_IDLE;
	return fires;
}

static void raise_overflow(struct soro_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

/**
 * soro_cq_add - add a completion
 * @cq: the queue, used by the QP that completes
 * @wc: the completion in the user's encoding
 * @solicited: whether the peer asked for an event
 *
 * Raises the event that is due inline: handlers of the core for user space may run anywhere.
 * Context: any, with no lock held that a handler may need.
 * Return: false if the completion is lost because the queue has overflowed; the QP is then to go
 * into error. The event of the CQ is raised by the first one that is lost (IBA 11.6.3.1).
 */
bool soro_cq_add(struct soro_cq *cq, const struct ib_uverbs_wc *wc, bool solicited)
{
	bool overflows = false;
	bool notifies = false;
	unsigned long flags;
	bool added = false;

	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->overflowed && soro_ring_full(&cq->ring)) {
		cq->overflowed = true;
		overflows = true;
	} else if (!cq->overflowed) {
		soro_ring_push(&cq->ring, wc, sizeof(*wc));
		notifies = take_event(cq, wc, solicited);
		added = true;
	}
	if (overflows || notifies)
		refcount_inc(&cq->users);
	spin_unlock_irqrestore(&cq->lock, flags);

	if (notifies)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	if (overflows)
		raise_overflow(cq);
	if (overflows || notifies)
		put(cq);
	return added;
}

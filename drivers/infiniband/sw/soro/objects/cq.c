// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues.
 *
 * A program arms the queue by a system call and then looks at the producer
 * index in shared memory; a consumer in the kernel arms it and polls. Arming, adding and
 * polling hold the lock of the queue: a completion either finds the queue armed, or is in the
 * ring before arming returns.
 *
 * Handlers of user space only queue an event: they are called where the completion is
 * added. A consumer in the kernel may post and poll in its handler, and hold a lock while it
 * posts that its handler takes: its handlers are called from a tasklet, which also keeps
 * them one at a time (Documentation/infiniband/core_locking.rst of the kernel).
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/soro-abi.h>
#include <rdma/uverbs_ioctl.h>
#include "cq.h"

/* Bytes of a completion in a ring of user space. */
#define USER_BYTES	64

/* The provider copies entries as they are. */
static_assert(sizeof(struct ib_uverbs_wc) == 48);
static_assert(sizeof(struct ib_uverbs_wc) <= USER_BYTES);

/* ---- handlers ---- */

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

static void call_handlers(struct soro_cq *cq, u8 due)
{
	if (due & SORO_CQ_DUE_NOTIFY)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	if (due & SORO_CQ_DUE_OVERFLOW)
		raise_overflow(cq);
}

static void notify(struct tasklet_struct *notifier)
{
	struct soro_cq *cq = container_of(notifier, struct soro_cq, notifier);
	unsigned long flags;
	u8 due;

	spin_lock_irqsave(&cq->lock, flags);
	due = cq->due;
	cq->due = 0;
	spin_unlock_irqrestore(&cq->lock, flags);
	call_handlers(cq, due);
}

/* ---- creation and destruction ---- */

static int create_user_ring(struct soro_ring *ring, u32 entries, struct ib_udata *udata)
{
	/* CREATE_CQ and RESIZE_CQ are answered alike. */
	struct soro_abi_create_cq_resp resp = {};
	int err;

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	err = soro_ring_create(ring, entries, USER_BYTES,
			       rdma_udata_to_uverbs_attr_bundle(udata)->context, &resp.cq);
	if (err)
		return err;
	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err)
		soro_ring_destroy(ring);
	return err;
}

static int create_ring(const struct soro_cq *cq, struct soro_ring *ring, u32 entries,
		       struct ib_udata *udata)
{
	if (!entries || entries > (u32)cq->ib.device->attrs.max_cqe)
		return -EINVAL;
	if (udata)
		return create_user_ring(ring, entries, udata);
	return soro_ring_create(ring, entries, sizeof(struct ib_wc), NULL, NULL);
}

/**
 * soro_cq_create - the create_cq operation
 * @ib_cq: the queue, zeroed but for what the core has set
 * @attr: size and completion vector
 * @udata: of the user, or NULL
 *
 * Context: process. Return: 0 or -errno, and then nothing is left.
 */
int soro_cq_create(struct ib_cq *ib_cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (attr->comp_vector >= (u32)ib_cq->device->num_comp_vectors)
		return -EINVAL;

	spin_lock_init(&cq->lock);
	tasklet_setup(&cq->notifier, notify);
	err = create_ring(cq, &cq->ring, attr->cqe, udata);
	if (err)
		return err;
	ib_cq->cqe = soro_ring_capacity(&cq->ring);
	return 0;
}

/**
 * soro_cq_destroy - the destroy_cq operation
 * @ib_cq: a queue that no QP uses any more
 * @udata: unused
 *
 * Waits for a handler that still runs. Context: process, may sleep. Return: 0.
 */
int soro_cq_destroy(struct ib_cq *ib_cq, struct ib_udata *udata)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);

	tasklet_kill(&cq->notifier);
	/*
	 * ib_free_cq() cancels the work that polls before it calls here, and our last
	 * notification may have queued it once more.
	 */
	if (ib_cq->comp_wq)
		cancel_work_sync(&ib_cq->work);
	soro_ring_destroy(&cq->ring);
	return 0;
}

/* ---- resizing ---- */

/* Entries that are copied with interrupts off. */
#define MOVE_STEP	256

/* One step. Return: 0 when the new ring is in place, -EAGAIN: go on, -EINVAL: it is too small. */
static int move_some(struct soro_cq *cq, struct soro_ring *new, u32 entries)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&cq->lock, flags);
	if (soro_ring_unread(&cq->ring) > entries) {
		err = -EINVAL;
	} else if (!soro_ring_move_unread(&cq->ring, new, MOVE_STEP)) {
		err = -EAGAIN;
	} else {
		swap(cq->ring, *new);
		cq->ib.cqe = soro_ring_capacity(&cq->ring);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

/**
 * soro_cq_resize - the resize_cq operation
 * @ib_cq: the queue; it may be in use meanwhile
 * @entries: how many completions it must hold
 * @udata: of the user, or NULL; librxe polls neither ring until it has mapped the new one
 *
 * Completions that nobody has polled are in the new ring when it takes the place of the old one,
 * in their order; arming stays as it is. A queue that has overflowed stays in error.
 *
 * Context: process. Return: 0, -EINVAL for a size beyond the limits or less than what waits to be
 * polled, -ENOMEM; on failure the queue is as it was.
 */
int soro_cq_resize(struct ib_cq *ib_cq, int entries, struct ib_udata *udata)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);
	struct soro_ring ring = {};
	int err;

	err = create_ring(cq, &ring, entries, udata);
	if (err)
		return err;
	soro_ring_succeed(&ring, &cq->ring);
	while ((err = move_some(cq, &ring, entries)) == -EAGAIN)
		cond_resched();
	/* The new one if that failed, else the old one; a mapping keeps its pages. */
	soro_ring_destroy(&ring);
	return err;
}

/* ---- arming and polling ---- */

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

/**
 * soro_cq_poll - the poll_cq operation
 * @ib_cq: a queue of a consumer in the kernel; programs look into the ring themselves
 * @num: room in @wc
 * @wc: completions, oldest first
 *
 * Context: any; several may poll. Return: how many there were, up to @num, or -EINVAL.
 */
int soro_cq_poll(struct ib_cq *ib_cq, int num, struct ib_wc *wc)
{
	struct soro_cq *cq = soro_cq_from_ib(ib_cq);
	unsigned long flags;
	int n = 0;

	if (ib_cq->uobject)
		return -EINVAL;
	spin_lock_irqsave(&cq->lock, flags);
	while (n < num && soro_ring_pull(&cq->ring, &wc[n], sizeof(*wc)))
		n++;
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/* ---- adding ---- */

/* An unsuccessful completion is a solicited one (IBA 11.4.2.2). */
static bool take_event(struct soro_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool fires;

	lockdep_assert_held(&cq->lock);

	fires = cq->armed == SORO_CQ_ARMED_NEXT ||
		(cq->armed == SORO_CQ_ARMED_SOLICITED && (solicited || wc->status));
	if (fires)
		cq->armed = SORO_CQ_IDLE;
	return fires;
}

static u32 user_flags(int flags)
{
	return (flags & IB_WC_GRH ? SORO_ABI_WC_GRH : 0) |
	       (flags & IB_WC_WITH_IMM ? SORO_ABI_WC_IMM : 0) |
	       (flags & IB_WC_WITH_INVALIDATE ? SORO_ABI_WC_INV : 0);
}

static void push(struct soro_cq *cq, const struct ib_wc *wc)
{
	struct ib_uverbs_wc user;

	if (!cq->ib.uobject) {
		soro_ring_push(&cq->ring, wc, sizeof(*wc));
		return;
	}
	user = (struct ib_uverbs_wc) {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.byte_len = wc->byte_len,
		.ex.imm_data = wc->ex.imm_data,
		.qp_num = wc->qp->qp_num,
		.src_qp = wc->src_qp,
		.wc_flags = user_flags(wc->wc_flags),
		.port_num = wc->port_num,
	};
	soro_ring_push(&cq->ring, &user, sizeof(user));
}

/**
 * soro_cq_add - add a completion
 * @cq: the queue, used by the QP that completes
 * @wc: the completion
 * @solicited: whether the peer asked for an event
 *
 * Raises the event that is due: for user space at once, for a consumer in the kernel soon.
 * Context: any, with no lock held that a handler of the core for user space may need.
 * Return: false if the completion is lost because the queue has overflowed; the QP is then to go
 * into error. The event of the CQ is raised by the first one that is lost (IBA 11.6.3.1).
 */
bool soro_cq_add(struct soro_cq *cq, const struct ib_wc *wc, bool solicited)
{
	unsigned long flags;
	bool added = false;
	u8 due = 0;

	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->overflowed && soro_ring_full(&cq->ring)) {
		cq->overflowed = true;
		due = SORO_CQ_DUE_OVERFLOW;
	} else if (!cq->overflowed) {
		push(cq, wc);
		due = take_event(cq, wc, solicited) ? SORO_CQ_DUE_NOTIFY : 0;
		added = true;
	}
	if (due && !cq->ib.uobject) {
		cq->due |= due;
		tasklet_schedule(&cq->notifier);
		due = 0;
	}
	spin_unlock_irqrestore(&cq->lock, flags);

	call_handlers(cq, due);
	return added;
}

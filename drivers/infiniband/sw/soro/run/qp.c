// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: birth and death of a queue pair, its state, its doorbell.
 */
#include <linux/bitops.h>
#include <linux/interrupt.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/soro-abi.h>
#include "../objects/state.h"
#include "datagram.h"
#include "qp.h"
#include "request.h"
#include "respond.h"
#include "inbound.h"
#include "table.h"
#include "trace.h"

/**
 * soro_qp_set_state() - change the state, and say so to the trace
 * @qp: the QP
 * @to: new state
 * @why: for people
 *
 * Context: any.  The halves see it at their next run.
 */
void soro_qp_set_state(struct soro_qp *qp, enum ib_qp_state to, const char *why)
{
	unsigned long flags;
	u8 from;

	spin_lock_irqsave(&qp->state_lock, flags);
	from = qp->state;
	WRITE_ONCE(qp->state, to);
	spin_unlock_irqrestore(&qp->state_lock, flags);
	if (from != to)
		trace_soro_qp_state(qp->ib.qp_num, from, to, why);
}

/**
 * soro_qp_error() - put the QP in error
 * @qp: the QP
 * @why: for people
 *
 * Context: owner of a half.  Both halves flush their queues soon.
 */
void soro_qp_error(struct soro_qp *qp, const char *why)
{
	/* RESET is reached with both halves owned only, so it cannot be undone here */
	soro_qp_set_state(qp, IB_QPS_ERR, why);
	soro_half_defer(&qp->req.half);
	soro_half_defer(&qp->rsp.half);
}

/**
 * soro_qp_send_error() - a send request failed locally
 * @qp: the QP
 * @why: for people
 *
 * A QP that is not reliable goes on receiving: only its send queue stops, until it
 * is modified to RTS (IBA 10.3.1, send queue error).
 *
 * Context: owner of the requester half, which flushes its queue soon.
 */
void soro_qp_send_error(struct soro_qp *qp, const char *why)
{
	unsigned long flags;
	u8 from;

	if (qp->ib.qp_type == IB_QPT_RC) {
		soro_qp_error(qp, why);
		return;
	}
	spin_lock_irqsave(&qp->state_lock, flags);
	from = qp->state;
	if (soro_state_can(from, SORO_CAN_RESPOND))	/* RTS and SQD */
		WRITE_ONCE(qp->state, IB_QPS_SQE);
	spin_unlock_irqrestore(&qp->state_lock, flags);
	trace_soro_qp_state(qp->ib.qp_num, from, READ_ONCE(qp->state), why);
	soro_half_defer(&qp->req.half);
}

static void raise_event(struct soro_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

static void notify(struct tasklet_struct *notifier)
{
	struct soro_qp *qp = container_of(notifier, struct soro_qp, notifier);
	unsigned long due = xchg(&qp->due, 0);
	unsigned long type;

	for_each_set_bit(type, &due, BITS_PER_LONG)
		raise_event(qp, type);
}

/**
 * soro_qp_event() - raise an affiliated asynchronous event
 * @qp: the QP
 * @type: IB_EVENT_QP_*, IB_EVENT_COMM_EST or IB_EVENT_SQ_DRAINED
 *
 * Events of user space are only queued, at once. A consumer in the kernel must not be called
 * from a call of its, and a half may be run by one (core_locking.rst of the kernel).
 *
 * Context: owner of a half.
 */
void soro_qp_event(struct soro_qp *qp, enum ib_event_type type)
{
	if (qp->ib.uobject) {
		raise_event(qp, type);
		return;
	}
	set_bit(type, &qp->due);
	tasklet_schedule(&qp->notifier);
}

/**
 * soro_qp_event_once() - raise an event that says the same until the QP is reset
 * @qp: the QP
 * @type: IB_EVENT_QP_* or IB_EVENT_COMM_EST
 *
 * Context: owner of a half; both may raise the same event.
 */
void soro_qp_event_once(struct soro_qp *qp, enum ib_event_type type)
{
	if (!test_and_set_bit(type, &qp->told))
		soro_qp_event(qp, type);
}

/**
 * soro_qp_fatal() - work is over and nobody can be told by a completion
 * @qp: the QP
 * @why: for people
 *
 * IBA 11.6.3.2, local work queue catastrophic error: the QP goes into error and says so by
 * an event, once.
 *
 * Context: owner of a half.
 */
void soro_qp_fatal(struct soro_qp *qp, const char *why)
{
	if (READ_ONCE(qp->state) != IB_QPS_ERR)
		soro_qp_error(qp, why);
	soro_qp_event_once(qp, IB_EVENT_QP_FATAL);
}

static void relook(struct timer_list *timer)
{
	struct soro_qp *qp = from_timer(qp, timer, relook);

	soro_half_defer(&qp->req.half);
	soro_half_defer(&qp->rsp.half);
}

/* ---- creation ---- */

/* WQEs in flight: an ACK is asked for long before these are used up. */
#define SLOTS_MAX	1024U

/* QP 1 is for the kernel's MAD layer. */
static bool type_works(enum ib_qp_type type, bool user)
{
	return type == IB_QPT_RC || type == IB_QPT_UC || type == IB_QPT_UD ||
	       (type == IB_QPT_GSI && !user);
}

static int check_init(const struct ib_qp_init_attr *init, const struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (!type_works(init->qp_type, udata) || init->create_flags)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > SORO_MAX_QP_WR || cap->max_send_sge > SORO_MAX_SGE ||
	    cap->max_inline_data > SORO_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > SORO_MAX_QP_WR || cap->max_recv_sge > SORO_MAX_SGE))
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct soro_abi_create_qp_resp))
		return -EINVAL;
	return 0;
}

/* Requester's ring; frees nothing on failure, destroy_queues() does. */
static int create_sq(struct soro_qp *qp, struct ib_ucontext *uctx, struct soro_abi_mmap_info *info)
{
	struct soro_requester *eng = &qp->req.engine;
	struct ib_qp_cap *cap = &qp->cap;
	u32 slots = min_t(u32, cap->max_send_wr, SLOTS_MAX);
	u32 payload = max3(cap->max_send_sge * (u32)sizeof(struct ib_sge), cap->max_inline_data,
			   (u32)sizeof(u64));	/* the value of an ATOMIC WRITE */
	int err;

	err = soro_ring_create(&qp->req.ring, max(cap->max_send_wr, 1U),
			       SORO_WQE_SEND_BYTES(cap->max_send_sge, cap->max_inline_data),
			       uctx, info);
	if (err)
		return err;
	cap->max_send_wr = soro_ring_capacity(&qp->req.ring);
	slots = roundup_pow_of_two(max(slots, 1U));
	eng->mask = slots - 1;
	eng->stride = max_t(u32, sizeof(struct soro_swqe),
			    offsetof(struct soro_swqe, data) + ALIGN(payload, 8));
	return 0;
}

/* The private WQEs are made when something is sent: many QPs only receive. */
static int create_slots(struct soro_qp *qp)
{
	struct soro_requester *eng = &qp->req.engine;
	void *slots = kvcalloc(eng->mask + 1, eng->stride, GFP_KERNEL_ACCOUNT);

	if (!slots)
		return -ENOMEM;
	/* Zeroed before anybody sees it; several threads may ring the first bell. */
	if (cmpxchg(&eng->wqes, NULL, slots))
		kvfree(slots);
	return 0;
}

/* With an SRQ there is no ring, and nothing of what the QP asks for matters (IBA 11.2.4.1). */
static int create_recv_ring(struct soro_qp *qp, struct ib_ucontext *uctx,
			    struct soro_abi_mmap_info *info)
{
	struct ib_qp_cap *cap = &qp->cap;
	int err;

	if (qp->ib.srq) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		return 0;
	}
	err = soro_ring_create(&qp->rsp.ring, max(cap->max_recv_wr, 1U),
			       SORO_WQE_RECV_BYTES(cap->max_recv_sge), uctx, info);
	if (!err)
		cap->max_recv_wr = soro_ring_capacity(&qp->rsp.ring);
	return err;
}

static int create_rq(struct soro_qp *qp, struct ib_ucontext *uctx, struct soro_abi_mmap_info *info)
{
	struct soro_rwqe *recv = &qp->rsp.recv;
	int err;

	err = create_recv_ring(qp, uctx, info);
	if (err)
		return err;
	recv->max_sge = qp->ib.srq ? soro_qp_srq(qp)->max_sge : qp->cap.max_recv_sge;
	recv->sge = kcalloc(max(recv->max_sge, 1U), sizeof(struct ib_sge), GFP_KERNEL_ACCOUNT);
	return recv->sge ? 0 : -ENOMEM;
}

static void destroy_queues(struct soro_qp *qp)
{
	if (soro_ring_exists(&qp->req.ring))
		soro_ring_destroy(&qp->req.ring);
	if (soro_ring_exists(&qp->rsp.ring))
		soro_ring_destroy(&qp->rsp.ring);
	kvfree(qp->req.engine.wqes);
	kfree(qp->rsp.recv.sge);
}

static void setup(struct soro_qp *qp, const struct ib_qp_init_attr *init)
{
	qp->dev = soro_dev(qp->ib.device);
	qp->counters = qp->dev->counters;
	qp->cap = init->cap;
	qp->datagram.mads = init->qp_type == IB_QPT_GSI;
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	spin_lock_init(&qp->state_lock);
	spin_lock_init(&qp->req.post_lock);
	spin_lock_init(&qp->rsp.post_lock);
	mutex_init(&qp->modify);
	soro_hold_init(&qp->hold);
	soro_half_setup(&qp->req.half, &qp->hold,
			soro_qp_is_datagram(qp) ? soro_datagram_send_run : soro_request_run);
	soro_half_setup(&qp->rsp.half, &qp->hold,
			soro_qp_is_datagram(qp) ? soro_datagram_receive_run : soro_respond_run);
	hrtimer_init(&qp->req.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	qp->req.timer.function = soro_request_timer;
	timer_setup(&qp->relook, relook, 0);
	tasklet_setup(&qp->notifier, notify);
	soro_held_init(&qp->rsp.held);
	qp->rsp.relook_msec = 1;
}

static int create_user_queues(struct soro_qp *qp, struct ib_udata *udata)
{
	struct ib_ucontext *uctx = &rdma_udata_to_drv_context(udata, struct soro_ucontext, ib)->ib;
	struct soro_abi_create_qp_resp resp = {};
	int err;

	err = create_sq(qp, uctx, &resp.sq);
	if (!err)
		err = create_rq(qp, uctx, &resp.rq);
	return err ?: ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/* Who posts in the kernel cannot wait for memory. */
static int create_kernel_queues(struct soro_qp *qp)
{
	int err;

	err = create_sq(qp, NULL, NULL);
	if (!err)
		err = create_rq(qp, NULL, NULL);
	if (!err && !soro_qp_is_datagram(qp))
		err = create_slots(qp);
	return err;
}

/**
 * soro_qp_create() - create a QP
 * @ibqp: zeroed
 * @init: wishes; the capabilities that were granted are written back
 * @udata: response: where the rings are mapped; NULL for a consumer in the kernel
 *
 * Return: 0; -EOPNOTSUPP for what soro has not; -EINVAL beyond a limit; -ENOMEM.
 */
int soro_qp_create(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct soro_qp *qp = soro_qp(ibqp);
	int err;

	err = check_init(init, udata);
	if (err)
		return err;
	setup(qp, init);
	if (!atomic_add_unless(&qp->dev->qps, 1, SORO_MAX_QP))
		return -ENOMEM;
	err = udata ? create_user_queues(qp, udata) : create_kernel_queues(qp);
	if (!err)
		err = soro_table_add_qp(qp);
	if (err)
		goto err_queues;
	init->cap = qp->cap;
	return 0;

err_queues:
	destroy_queues(qp);
	atomic_dec(&qp->dev->qps);
	return err;
}

/* ---- destruction ---- */

/* After this nobody runs a half of the QP, nor ever will. */
static void stop(struct soro_qp *qp)
{
	soro_table_del_qp(qp);
	soro_half_own_pair(&qp->req.half, &qp->rsp.half);
	qp->req.half.dead = true;
	qp->rsp.half.dead = true;
	soro_half_disown_pair(&qp->req.half, &qp->rsp.half);
	/* packets that had found the QP are in an inbox now, and their kicks are over */
	synchronize_rcu_expedited();
	hrtimer_cancel(&qp->req.timer);
	del_timer_sync(&qp->relook);
	soro_hold_put(&qp->hold);
	wait_for_completion(&qp->hold.gone);
	tasklet_kill(&qp->notifier);
}

/**
 * soro_qp_destroy() - destroy a QP
 * @ibqp: the QP; the core frees its memory on return
 * @udata: unused
 *
 * Context: process; waits for halves that run and for an RCU grace period.
 * Return: 0.
 */
int soro_qp_destroy(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct soro_qp *qp = soro_qp(ibqp);

	stop(qp);
	if (qp->req.binds)
		soro_mw_forget_qp(&qp->dev->keys, qp);
	soro_inbound_purge(qp, &qp->req.half, SORO_DROP_NO_QP);
	soro_respond_purge(qp, SORO_DROP_NO_QP);
	soro_flow_fini(&qp->req.flow);
	soro_flow_fini(&qp->rsp.flow);
	destroy_queues(qp);
	mutex_destroy(&qp->modify);
	atomic_dec(&qp->dev->qps);
	return 0;
}

/* ---- doorbell ---- */

/**
 * soro_qp_post_send() - the doorbell of the send ring
 * @ibqp: a QP of user space
 * @wr: must be NULL: work requests of user space are in the ring
 * @bad: set to @wr on failure
 *
 * Below RTS the ring is emptied without executing it, so that what was posted too
 * early does not come to life later.
 *
 * Return: 0, -EINVAL, or -ENOMEM: nothing was sent, it may be tried again.
 */
int soro_qp_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad)
{
	struct soro_qp *qp = soro_qp(ibqp);

	*bad = wr;
	if (wr)
		return -EINVAL;
	if (likely(soro_state_can(READ_ONCE(qp->state), SORO_CAN_POST_SEND))) {
		if (unlikely(!READ_ONCE(qp->req.engine.wqes)) && !soro_qp_is_datagram(qp) &&
		    create_slots(qp))
			return -ENOMEM;
		soro_half_kick(&qp->req.half);
		return 0;
	}
	soro_half_own_pair(&qp->req.half, &qp->rsp.half);
	if (!soro_state_can(READ_ONCE(qp->state), SORO_CAN_POST_SEND))
		soro_ring_discard(&qp->req.ring);
	soro_half_disown_pair(&qp->req.half, &qp->rsp.half);
	return -EINVAL;
}

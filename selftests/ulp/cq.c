// SPDX-License-Identifier: GPL-2.0
/* Completion queues with handlers of our own. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/string.h>
#include "tests.h"

static struct ulp_op send, recv;
static struct ib_wc wc[8];

/**
 * struct watched - what the handlers of a queue saw
 * @calls: of the completion handler
 * @inside: that run now
 * @overlaps: that found another one
 * @errors: events that say that the queue has overflowed
 * @fatal: events of a QP that could not report a completion
 */
struct watched {
	atomic_t calls;
	atomic_t inside;
	atomic_t overlaps;
	atomic_t errors;
	atomic_t fatal;
};

static struct watched watched;

static void on_completion(struct ib_cq *cq, void *context)
{
	struct watched *w = context;

	if (atomic_inc_return(&w->inside) != 1)
		atomic_inc(&w->overlaps);
	atomic_inc(&w->calls);
	udelay(20);
	atomic_dec(&w->inside);
}

static void on_event(struct ib_event *event, void *context)
{
	struct watched *w = context;

	if (event->event == IB_EVENT_CQ_ERR)
		atomic_inc(&w->errors);
	else if (event->event == IB_EVENT_QP_FATAL)
		atomic_inc(&w->fatal);
}

static struct ib_cq *create(struct ib_device *dev, u32 cqe)
{
	struct ib_cq_init_attr attr = { .cqe = cqe };
	struct ib_cq *cq;

	memset(&watched, 0, sizeof(watched));
	cq = ib_create_cq(dev, on_completion, on_event, &watched, &attr);
	return IS_ERR(cq) ? NULL : cq;
}

/* A pair whose second end completes receives on a queue of ours. */
static int connect_with(struct ulp_pair *pair, struct ib_device *dev, struct ib_cq *cq)
{
	struct ulp_end *b = &pair->end[1];
	int err = ulp_pair_init(pair, dev, IB_QPT_RC, IB_POLL_DIRECT);

	if (err)
		return err;
	ib_destroy_qp(b->qp);
	b->qp = NULL;
	ib_free_cq(b->rcq);
	b->rcq = cq;
	err = ulp_create_qp(pair, b);
	return err ?: ulp_pair_connect(pair);
}

static void disconnect(struct ulp_pair *pair, struct ib_cq *cq)
{
	if (pair->end[1].rcq == cq)
		pair->end[1].rcq = NULL;
	ulp_pair_fini(pair);
	if (cq)
		ib_destroy_cq(cq);
}

static int message(struct ulp_pair *pair, int flags)
{
	int err;

	err = ulp_recv(&pair->end[1], &recv, 0, 64);
	if (!err)
		err = ulp_send(&pair->end[0], &send, 0, 8, flags);
	return err ?: ulp_wait(pair->end[0].scq, &send);
}

static bool called(int times)
{
	int i;

	for (i = 0; i < 1000 && atomic_read(&watched.calls) < times; i++)
		usleep_range(1000, 2000);
	return atomic_read(&watched.calls) == times;
}

bool ulp_cq_arming(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_cq *cq = create(dev, 16);
	struct ulp_pair pair = {};
	bool failed = false;

	if (FAILS(cq))
		goto out;
	if (FAILS(cq->cqe >= 16))
		goto out;
	if (DIFFER(connect_with(&pair, dev, cq), 0))
		goto out;

	/* Not armed: nobody is called. */
	if (DIFFER(message(&pair, 0), 0))
		goto out;
	if (DIFFER(ib_req_notify_cq(cq, IB_CQ_NEXT_COMP), 0))
		goto out;
	if (DIFFER(ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 1))
		goto out;
	if (DIFFER(atomic_read(&watched.calls), 0))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 4, wc), 1))
		goto out;
	if (DIFFER(wc[0].wr_id, (uintptr_t)&recv.cqe))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 4, wc), 0))
		goto out;
	if (DIFFER(ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 0))
		goto out;

	/* Armed: once. */
	if (DIFFER(message(&pair, 0), 0))
		goto out;
	if (FAILS(called(1)))
		goto out;
	if (DIFFER(message(&pair, 0), 0))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 4, wc), 2))
		goto out;

	/* Armed for what the sender solicits. */
	if (DIFFER(ib_req_notify_cq(cq, IB_CQ_SOLICITED), 0))
		goto out;
	if (DIFFER(message(&pair, 0), 0))
		goto out;
	if (DIFFER(message(&pair, IB_SEND_SOLICITED), 0))
		goto out;
	if (FAILS(called(2)))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 1, wc), 1))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 1, wc), 1))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 1, wc), 0))
		goto out;
	if (DIFFER(atomic_read(&watched.overlaps), 0))
		goto out;
out:
	disconnect(&pair, cq);
	return !failed;
}

/* The QP goes into error, the owner of the queue is told once, what fits stays. */
bool ulp_cq_overflow(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_cq *cq = create(dev, 3);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};
	struct ulp_pair pair = {};
	bool failed = false;
	int room, i;

	if (FAILS(cq))
		goto out;
	room = cq->cqe;
	if (FAILS(room < 8))
		goto out;
	if (DIFFER(connect_with(&pair, dev, cq), 0))
		goto out;
	pair.end[1].qp->event_handler = on_event;
	pair.end[1].qp->qp_context = &watched;
	for (i = 0; i < room; i++)
		if (DIFFER(message(&pair, 0), 0))
			goto out;
	if (DIFFER(atomic_read(&watched.errors), 0))
		goto out;
	message(&pair, 0);
	for (i = 0; i < 1000 && !atomic_read(&watched.errors); i++)
		usleep_range(1000, 2000);
	if (DIFFER(atomic_read(&watched.errors), 1))
		goto out;
	if (DIFFER(ib_query_qp(pair.end[1].qp, &attr, IB_QP_STATE, &init), 0))
		goto out;
	if (DIFFER(attr.qp_state, IB_QPS_ERR))
		goto out;
	if (DIFFER(atomic_read(&watched.fatal), 1))
		goto out;
	if (DIFFER(ib_poll_cq(cq, 8, wc), room))
		goto out;
out:
	disconnect(&pair, cq);
	return !failed;
}

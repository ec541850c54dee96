// SPDX-License-Identifier: GPL-2.0
/* Shared receive queues of consumers in the kernel. */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/string.h>
#include "tests.h"

#define FIRST	8	/* receives posted at first */
#define MORE	4	/* and in the handler of the event */
#define BYTES	3000

/**
 * struct shared - a queue whose handler posts
 * @pair: end 1 takes its receives from the queue
 * @lock: of the consumer: held while it posts, taken by the handler
 * @posted: receives, all in all
 * @low: the limit was reached
 * @err: of the handler's posts
 */
static struct shared {
	struct ulp_pair pair;
	spinlock_t lock;	/* of the consumer */
	unsigned int posted;
	struct completion low;
	int err;
} shared;

static struct ulp_op recvs[FIRST + MORE], send;

static int post_some(struct shared *s, unsigned int n)
{
	struct ulp_end *end = &s->pair.end[1];
	int err = 0;

	for (; n && !err; n--, s->posted++)
		err = ulp_recv(end, &recvs[s->posted], s->posted * BYTES, BYTES);
	return err;
}

static void on_srq_event(struct ib_event *event, void *context)
{
	struct shared *s = context;

	spin_lock_bh(&s->lock);
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		s->err = post_some(s, MORE);
	spin_unlock_bh(&s->lock);
	complete(&s->low);
}

static int open_shared(struct shared *s, struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_srq_init_attr init = {
		.event_handler = on_srq_event,
		.srq_context = s,
		.attr = { .max_wr = FIRST + MORE, .max_sge = ULP_SGES },
	};
	struct ulp_end *end = &s->pair.end[1];
	struct ib_srq *srq;
	int err;

	spin_lock_init(&s->lock);
	init_completion(&s->low);
	s->posted = 0;
	s->err = 0;
	err = ulp_pair_init(&s->pair, dev, IB_QPT_RC, poll);
	if (err)
		return err;
	srq = ib_create_srq(s->pair.pd, &init);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ib_destroy_qp(end->qp);
	end->qp = NULL;
	end->srq = srq;
	err = ulp_create_qp(&s->pair, end);
	return err ?: ulp_pair_connect(&s->pair);
}

/* The SRQ is destroyed when the pair's QPs are gone, and before its PD. */
static void close_shared(struct shared *s)
{
	struct ulp_end *end = &s->pair.end[1];

	if (end->srq) {
		if (end->qp)
			ib_destroy_qp(end->qp);
		end->qp = NULL;
		ib_destroy_srq(end->srq);
	}
	ulp_pair_fini(&s->pair);
}

/* Message @i, and what it took. */
static bool send_one(struct shared *s, unsigned int i)
{
	struct ulp_end *from = &s->pair.end[0], *to = &s->pair.end[1];
	u32 bytes = BYTES - 100 * i;
	bool failed = false;

	ulp_fill(from->buf, bytes, i);
	if (DIFFER(ulp_send(from, &send, 0, bytes, 0), 0) ||
	    DIFFER(ulp_wait(from->scq, &send), IB_WC_SUCCESS) ||
	    DIFFER(ulp_wait(to->rcq, &recvs[i]), IB_WC_SUCCESS))
		return false;
	DIFFER(recvs[i].wc.byte_len, bytes);
	FAILS(!memcmp(from->buf, to->buf + i * BYTES, bytes));
	return !failed;
}

bool ulp_srq_data(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_srq_attr attr = { .max_wr = 100, .srq_limit = 3 };
	struct shared *s = &shared;
	unsigned long flags;
	bool failed = false;
	unsigned int i;
	int err;

	if (DIFFER(open_shared(s, dev, poll), 0))
		goto out;
	/* With interrupts off and under the lock that the handler takes. */
	spin_lock_irqsave(&s->lock, flags);
	err = post_some(s, FIRST);
	spin_unlock_irqrestore(&s->lock, flags);
	if (DIFFER(err, 0))
		goto out;
	if (DIFFER(ib_modify_srq(s->pair.end[1].srq, &attr, IB_SRQ_LIMIT | IB_SRQ_MAX_WR), 0))
		goto out;
	for (i = 0; i < FIRST - 3; i++)
		if (FAILS(send_one(s, i)))
			goto out;
	if (FAILS(!completion_done(&s->low)))
		goto out;
	if (FAILS(send_one(s, i++)))
		goto out;
	if (FAILS(wait_for_completion_timeout(&s->low, ULP_WAIT_SEC * HZ)))
		goto out;
	if (DIFFER(s->err, 0))
		goto out;
	/* What the handler posted comes last, and serves as well. */
	for (; i < FIRST + MORE - 2; i++)
		if (FAILS(send_one(s, i)))
			goto out;

	/* What is left belongs to nobody; the QP says that it is done with the queue. */
	if (DIFFER(ulp_error(&s->pair.end[1]), 0))
		goto out;
	if (FAILS(wait_for_completion_timeout(&s->pair.end[1].last_wqe, ULP_WAIT_SEC * HZ)))
		goto out;
	ib_drain_qp(s->pair.end[1].qp);
	for (; i < FIRST + MORE; i++)
		if (FAILS(!completion_done(&recvs[i].done)))
			goto out;
out:
	close_shared(s);
	return !failed;
}

bool ulp_srq_limits(struct ib_device *dev, enum ib_poll_context poll)
{
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr wr[3] = { };
	struct ib_srq_attr attr;
	struct shared *s = &shared;
	bool failed = false;
	struct ib_srq *srq;
	unsigned int i;

	if (DIFFER(open_shared(s, dev, poll), 0))
		goto out;
	srq = s->pair.end[1].srq;
	if (DIFFER(ib_post_recv(s->pair.end[1].qp, &wr[0], &bad), -EINVAL))
		goto out;
	if (DIFFER(ib_query_srq(srq, &attr), 0))
		goto out;
	if (FAILS(attr.max_wr >= FIRST + MORE && attr.max_sge >= ULP_SGES && !attr.srq_limit))
		goto out;

	/* The second is wrong: the first is posted, the third is not. */
	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	wr[1].num_sge = attr.max_sge + 1;
	if (DIFFER(ib_post_srq_recv(srq, &wr[0], &bad), -EINVAL))
		goto out;
	if (FAILS(bad == &wr[1]))
		goto out;
	for (i = 1; i < 1000; i++)
		if (ib_post_srq_recv(srq, &wr[2], &bad))
			break;
	if (DIFFER(i, attr.max_wr))
		goto out;
	if (FAILS(bad == &wr[2]))
		goto out;
	attr.max_wr--;
	if (DIFFER(ib_modify_srq(srq, &attr, IB_SRQ_MAX_WR), -EINVAL))
		goto out;
out:
	close_shared(s);
	return !failed;
}

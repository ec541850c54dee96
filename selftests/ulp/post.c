// SPDX-License-Identifier: GPL-2.0
/* Posting: what is refused, and from where it may be done. */
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/string.h>
#include "tests.h"

static struct ulp_op ops[2 * ULP_WRS];

bool ulp_post_limits(struct ib_device *dev, enum ib_poll_context poll)
{
	const struct ib_send_wr *bad = NULL;
	const struct ib_recv_wr *bad_recv = NULL;
	struct ib_sge sges[ULP_SGES + 1];
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .sg_list = sges };
	struct ib_recv_wr recv_wr = { .sg_list = sges };
	struct ulp_pair pair;
	bool failed = false;
	struct ib_qp *qp;
	int i;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	qp = pair.end[0].qp;
	for (i = 0; i < ARRAY_SIZE(sges); i++)
		sges[i] = ulp_sge(&pair.end[0], 0, ULP_INLINE / ULP_SGES);

	if (DIFFER(ib_post_recv(qp, &recv_wr, &bad_recv), -EINVAL))
		goto out;
	if (FAILS(bad_recv == &recv_wr))
		goto out;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EINVAL))
		goto out;
	if (FAILS(bad == &wr))
		goto out;

	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	wr.num_sge = ULP_SGES + 1;
	bad = NULL;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EINVAL))
		goto out;
	if (FAILS(bad == &wr))
		goto out;
	wr.num_sge = -1;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EINVAL))
		goto out;
	recv_wr.num_sge = ULP_SGES + 1;
	if (DIFFER(ib_post_recv(qp, &recv_wr, &bad_recv), -EINVAL))
		goto out;

	wr.num_sge = ULP_SGES;
	wr.send_flags = IB_SEND_INLINE;
	sges[0].length++;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EINVAL))
		goto out;
	wr.opcode = IB_WR_RDMA_READ;
	sges[0].length--;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EINVAL))
		goto out;
	wr.send_flags = 0;
	wr.opcode = IB_WR_REG_MR_INTEGRITY;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EOPNOTSUPP))
		goto out;
	wr.opcode = -1;
	if (DIFFER(ib_post_send(qp, &wr, &bad), -EOPNOTSUPP))
		goto out;

	/* Nobody receives: the queue fills up. It is as long as was asked for, or longer. */
	for (i = 0; i < 4 * ULP_WRS; i++) {
		struct ib_send_wr one = { .opcode = IB_WR_SEND };

		if (ib_post_send(qp, &one, &bad))
			break;
	}
	if (FAILS(i >= ULP_WRS && i < 4 * ULP_WRS))
		goto out;
	for (i = 0; i < 4 * ULP_WRS; i++) {
		struct ib_recv_wr one = { };

		if (ib_post_recv(qp, &one, &bad_recv))
			break;
	}
	if (FAILS(i >= ULP_WRS && i < 4 * ULP_WRS))
		goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

/* What stands before the bad request is executed, what stands behind it is not. */
bool ulp_post_chain(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_sge sge[3];
	struct ib_send_wr wr[3];
	const struct ib_send_wr *bad = NULL;
	struct ulp_end *a, *b;
	struct ulp_pair pair;
	bool failed = false;
	int i;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	a = &pair.end[0];
	b = &pair.end[1];
	memset(wr, 0, sizeof(wr));
	for (i = 0; i < 3; i++) {
		ulp_op_init(&ops[i]);
		sge[i] = ulp_sge(a, 100 * i, 100);
		wr[i].wr_cqe = &ops[i].cqe;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
		wr[i].opcode = IB_WR_SEND;
		wr[i].send_flags = IB_SEND_SIGNALED;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
	}
	ulp_fill(a->buf, 300, 1);
	for (i = 0; i < 3; i++)
		if (DIFFER(ulp_recv(b, &ops[3 + i], 100 * i, 100), 0))
			goto out;
	wr[1].num_sge = ULP_SGES + 1;
	if (DIFFER(ib_post_send(a->qp, wr, &bad), -EINVAL))
		goto out;
	if (FAILS(bad == &wr[1]))
		goto out;
	if (DIFFER(ulp_wait(a->scq, &ops[0]), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(ulp_wait(b->rcq, &ops[3]), IB_WC_SUCCESS))
		goto out;
	if (FAILS(!completion_done(&ops[2].done) && !completion_done(&ops[4].done)))
		goto out;

	wr[1].num_sge = 1;
	if (DIFFER(ib_post_send(a->qp, &wr[1], &bad), 0))
		goto out;
	for (i = 1; i < 3; i++) {
		if (DIFFER(ulp_wait(a->scq, &ops[i]), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(ulp_wait(b->rcq, &ops[3 + i]), IB_WC_SUCCESS))
			goto out;
	}
	if (FAILS(!memcmp(a->buf, b->buf, 300)))
		goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

/* Inline data may be changed at once; their key is not looked at. */
bool ulp_post_inline(struct ib_device *dev, enum ib_poll_context poll)
{
	u8 first[ULP_INLINE / 2], second[ULP_INLINE / 2];
	struct ib_sge sge[] = {
		{ .addr = (uintptr_t)first, .length = sizeof(first) },
		{ .addr = (uintptr_t)second, .length = sizeof(second) },
	};
	struct ib_send_wr wr = {
		.wr_cqe = &ops[0].cqe,
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED | IB_SEND_INLINE,
	};
	struct ulp_end *a, *b;
	struct ulp_pair pair;
	bool failed = false;
	u8 want[ULP_INLINE];

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	a = &pair.end[0];
	b = &pair.end[1];
	ulp_fill(want, sizeof(want), 9);
	memcpy(first, want, sizeof(first));
	memcpy(second, want + sizeof(first), sizeof(second));
	ulp_op_init(&ops[0]);
	/* No receive yet: it is sent again later, from where the data were kept. */
	if (DIFFER(ib_post_send(a->qp, &wr, NULL), 0))
		goto out;
	memset(first, 0, sizeof(first));
	memset(second, 0, sizeof(second));
	if (DIFFER(ulp_recv(b, &ops[1], 0, ULP_BUF_BYTES), 0))
		goto out;
	if (DIFFER(ulp_wait(a->scq, &ops[0]), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(ulp_wait(b->rcq, &ops[1]), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(ops[1].wc.byte_len, sizeof(want)))
		goto out;
	if (FAILS(!memcmp(b->buf, want, sizeof(want))))
		goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

/* As in a consumer that posts and completes under one lock. */
static DEFINE_SPINLOCK(consumer_lock);
static int under_lock;

static void done_under_lock(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp_op *op = container_of(wc->wr_cqe, struct ulp_op, cqe);
	unsigned long flags;

	spin_lock_irqsave(&consumer_lock, flags);
	under_lock++;
	op->wc = *wc;
	spin_unlock_irqrestore(&consumer_lock, flags);
	complete(&op->done);
}

static int post_send_again(struct ulp_end *end, struct ulp_op *op)
{
	struct ib_sge sge = ulp_sge(end, 0, 3000);
	struct ib_send_wr wr = {
		.wr_cqe = &op->cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	ulp_op_init(op);
	op->cqe.done = done_under_lock;
	return ib_post_send(end->qp, &wr, NULL);
}

bool ulp_post_irqs_off(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ulp_end *a, *b;
	struct ulp_pair pair;
	unsigned long flags;
	bool failed = false;
	int err, i;

	under_lock = 0;
	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	a = &pair.end[0];
	b = &pair.end[1];
	for (i = 0; i < ulp_rounds; i++) {
		ulp_fill(a->buf, 3000, i);
		spin_lock_irqsave(&consumer_lock, flags);
		err = ulp_recv(b, &ops[1], 0, 3000);
		if (!err)
			err = post_send_again(a, &ops[0]);
		if (DIFFER(under_lock, i))
			goto unlock;
unlock:
		spin_unlock_irqrestore(&consumer_lock, flags);
		if (failed)
			goto out;
		if (DIFFER(err, 0))
			goto out;
		if (DIFFER(ulp_wait(a->scq, &ops[0]), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(ulp_wait(b->rcq, &ops[1]), IB_WC_SUCCESS))
			goto out;
		if (FAILS(!memcmp(a->buf, b->buf, 3000)))
			goto out;
	}
	if (DIFFER(under_lock, ulp_rounds))
		goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

/* A timer that posts, arms and polls in a hard interrupt. */
struct from_timer {
	struct hrtimer timer;
	struct ulp_end *a, *b;
	struct completion fired;
	bool hard;
	int recv_err, send_err, polled;
};

static struct from_timer from_timer;

static enum hrtimer_restart fire(struct hrtimer *timer)
{
	struct from_timer *ft = container_of(timer, struct from_timer, timer);
	struct ib_wc wc;

	ft->hard = in_hardirq();
	ft->recv_err = ulp_recv(ft->b, &ops[1], 0, 3000);
	ft->send_err = post_send_again(ft->a, &ops[0]);
	ft->polled = ib_poll_cq(ft->a->rcq, 1, &wc);	/* on which nothing ever comes */
	ib_req_notify_cq(ft->a->rcq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS);
	complete(&ft->fired);
	return HRTIMER_NORESTART;
}

bool ulp_post_hardirq(struct ib_device *dev, enum ib_poll_context poll)
{
	struct from_timer *ft = &from_timer;
	struct ulp_end *a, *b;
	struct ulp_pair pair;
	bool failed = false;
	int i;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	a = &pair.end[0];
	b = &pair.end[1];
	hrtimer_init(&ft->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	ft->timer.function = fire;
	ft->a = a;
	ft->b = b;
	for (i = 0; i < ulp_rounds; i++) {
		ulp_fill(a->buf, 3000, i);
		init_completion(&ft->fired);
		hrtimer_start(&ft->timer, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
		wait_for_completion(&ft->fired);
		hrtimer_cancel(&ft->timer);
		if (FAILS(ft->hard))
			goto out;
		if (DIFFER(ft->recv_err, 0))
			goto out;
		if (DIFFER(ft->send_err, 0))
			goto out;
		if (DIFFER(ft->polled, 0))
			goto out;
		if (DIFFER(ulp_wait(a->scq, &ops[0]), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(ulp_wait(b->rcq, &ops[1]), IB_WC_SUCCESS))
			goto out;
		if (FAILS(!memcmp(a->buf, b->buf, 3000)))
			goto out;
	}
out:
	ulp_pair_fini(&pair);
	return !failed;
}

#define THREADS	4

/**
 * struct poster - a thread that posts on a QP that others post on too
 * @a: where it sends
 * @b: where it receives
 * @index: which one it is
 * @err: first error
 * @ended: it has
 */
struct poster {
	struct ulp_end *a, *b;
	int index;
	int err;
	struct completion ended;
};

static struct poster posters[THREADS];

static int post_and_wait(void *data)
{
	struct poster *p = data;
	struct ulp_op *send = &ops[2 * p->index], *recv = send + 1;
	int i, err = 0;

	for (i = 0; i < ulp_rounds * 4 && !err; i++) {
		/* Whose receive takes whose message is open: all are alike. */
		err = ulp_recv(p->b, recv, 8192 * p->index, 8192);
		if (!err)
			err = ulp_send(p->a, send, 0, 1 + i * 97 % 8192, 0);
		if (!err)
			err = ulp_wait(p->a->scq, send);
		if (!err)
			err = ulp_wait(p->b->rcq, recv);
		if (!err && be32_to_cpu(recv->wc.ex.imm_data) != recv->wc.byte_len)
			err = -EBADMSG;
		if (!err && memcmp(p->a->buf, p->b->buf + 8192 * p->index, recv->wc.byte_len))
			err = -EBADMSG;
	}
	p->err = err;
	complete(&p->ended);
	return 0;
}

bool ulp_post_threads(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ulp_pair pair;
	bool failed = false;
	int i, started = 0;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	ulp_fill(pair.end[0].buf, 8192, 3);
	for (; started < THREADS; started++) {
		struct poster *p = &posters[started];

		p->a = &pair.end[0];
		p->b = &pair.end[1];
		p->index = started;
		init_completion(&p->ended);
		if (IS_ERR(kthread_run(post_and_wait, p, "soro_ulp/%d", started)))
			break;
	}
	for (i = 0; i < started; i++)
		wait_for_completion(&posters[i].ended);
	if (DIFFER(started, THREADS))
		goto out;
	for (i = 0; i < started; i++)
		if (DIFFER(posters[i].err, 0))
			goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

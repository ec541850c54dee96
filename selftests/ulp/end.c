// SPDX-License-Identifier: GPL-2.0
/* How work ends that is not done: flushed, or gone with its QP. */
#include <linux/kthread.h>
#include <linux/delay.h>
#include "tests.h"

#define RECVS	24
#define SENDS	48

static struct ulp_op sends[SENDS], recvs[RECVS], late;

/* More is sent than the peer receives: some is done, some waits. */
static int post_all(struct ulp_pair *pair)
{
	int err = 0;
	int i;

	for (i = 0; i < RECVS && !err; i++)
		err = ulp_recv(&pair->end[1], &recvs[i], 0, 4096);
	for (i = 0; i < SENDS && !err; i++)
		err = ulp_send(&pair->end[0], &sends[i], 0, 64 + 50 * i, 0);
	return err;
}

/* Everything completes, and what was flushed comes after what was done. */
static bool all_over(struct ulp_op *ops, int n)
{
	bool flushed = false, failed = false;
	int i;

	for (i = 0; i < n; i++) {
		if (FAILS(completion_done(&ops[i].done)))
			goto out;
		if (FAILS(!flushed || ops[i].wc.status))
			goto out;
		if (ops[i].wc.status && DIFFER(ops[i].wc.status, IB_WC_WR_FLUSH_ERR))
			goto out;
		flushed = ops[i].wc.status != IB_WC_SUCCESS;
	}
out:
	return !failed;
}

bool ulp_end_drain(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ulp_pair pair;
	bool failed = false;
	u32 round;

	for (round = 0; round < ulp_rounds && !failed; round++) {
		if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
			goto out;
		if (DIFFER(ulp_pair_connect(&pair), 0))
			goto out;
		if (DIFFER(post_all(&pair), 0))
			goto out;
		if (round % 4)
			usleep_range(200 * (round % 4), 300 * (round % 4));
		if (round % 2)
			ib_drain_qp(pair.end[1].qp);
		ib_drain_qp(pair.end[0].qp);
		ib_drain_qp(pair.end[1].qp);
		if (FAILS(all_over(sends, SENDS)))
			goto out;
		if (FAILS(all_over(recvs, RECVS)))
			goto out;
		if (DIFFER(sends[SENDS - 1].wc.status, IB_WC_WR_FLUSH_ERR))
			goto out;

		/* In error, what is posted is flushed as well. */
		if (DIFFER(ulp_recv(&pair.end[0], &late, 0, 8), 0))
			goto out;
		if (DIFFER(ulp_wait(pair.end[0].rcq, &late), IB_WC_WR_FLUSH_ERR))
			goto out;
		if (DIFFER(ulp_send(&pair.end[1], &late, 0, 8, 0), 0))
			goto out;
		if (DIFFER(ulp_wait(pair.end[1].scq, &late), IB_WC_WR_FLUSH_ERR))
			goto out;
out:
		ulp_pair_fini(&pair);
	}
	return !failed;
}

/**
 * struct sender - a thread that posts until it is told to stop
 * @end: where
 * @stop: told
 * @ended: it has
 * @posted: how many were accepted
 */
struct sender {
	struct ulp_end *end;
	bool stop;
	struct completion ended;
	u32 posted;
};

static struct sender sender;

static void ignore(struct ib_cq *cq, struct ib_wc *wc)
{
}

static struct ib_cqe ignored = { .done = ignore };

static int keep_sending(void *data)
{
	struct sender *s = data;
	struct ib_sge sge = ulp_sge(s->end, 0, 2000);
	struct ib_send_wr wr = {
		.wr_cqe = &ignored,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	while (!READ_ONCE(s->stop)) {
		if (ib_post_send(s->end->qp, &wr, NULL))
			usleep_range(20, 50);
		else
			WRITE_ONCE(s->posted, s->posted + 1);
		cond_resched();
	}
	complete(&s->ended);
	return 0;
}

static int feed(struct ulp_end *end, int n)
{
	struct ib_sge sge = ulp_sge(end, 0, 4096);
	struct ib_recv_wr wr = { .wr_cqe = &ignored, .sg_list = &sge, .num_sge = 1 };
	int err = 0;

	while (n-- && !err)
		err = ib_post_recv(end->qp, &wr, NULL);
	return err;
}

/* The peer goes first, then the sender, while packets and completions are on the way. */
bool ulp_end_destroy(struct ib_device *dev, enum ib_poll_context poll)
{
	struct sender *s = &sender;
	struct ulp_pair pair;
	bool failed = false;
	u32 round, i;

	for (round = 0; round < ulp_rounds && !failed; round++) {
		if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
			goto out;
		if (DIFFER(ulp_pair_connect(&pair), 0))
			goto out;
		if (DIFFER(feed(&pair.end[1], ULP_WRS), 0))
			goto out;
		s->end = &pair.end[0];
		s->stop = false;
		s->posted = 0;
		init_completion(&s->ended);
		if (FAILS(!IS_ERR(kthread_run(keep_sending, s, "soro_ulp/sender"))))
			goto out;
		for (i = 0; i < 10000 && !READ_ONCE(s->posted); i++)
			usleep_range(100, 200);
		usleep_range(500 * (round % 5), 1000 * (round % 5) + 10);
		ib_destroy_qp(pair.end[1].qp);
		pair.end[1].qp = NULL;
		WRITE_ONCE(s->stop, true);
		wait_for_completion(&s->ended);
		if (FAILS(s->posted))
			goto out;
out:
		ulp_pair_fini(&pair);
	}
	return !failed;
}

// SPDX-License-Identifier: GPL-2.0
/* Many connections at a time that are drained while both of their ends have work. */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include "tests.h"

#define THREADS	4
#define SENDS	40
#define RECVS	24

/**
 * struct storm - what one thread works with
 * @dev: the device
 * @poll: how the CQs are polled
 * @pooled: CQs are shared with the other threads
 * @index: of the thread
 * @failed: something was wrong
 * @ended: the thread is over
 * @pair: its connection
 * @send: its sends, of each end
 * @recv: its receives, of each end
 */
struct storm {
	struct ib_device *dev;
	enum ib_poll_context poll;
	bool pooled;
	int index;
	bool failed;
	struct completion ended;
	struct ulp_pair pair;
	struct ulp_op send[2][SENDS];
	struct ulp_op recv[2][RECVS];
};

static int post(struct storm *s)
{
	int err = 0;
	int i, n;

	for (i = 0; i < 2; i++)
		for (n = 0; n < RECVS && !err; n++)
			err = ulp_recv(&s->pair.end[i], &s->recv[i][n], 0, 4096);
	for (n = 0; n < SENDS && !err; n++)
		for (i = 0; i < 2 && !err; i++)
			err = ulp_send(&s->pair.end[i], &s->send[i][n], 0, 64 + 90 * n, 0);
	return err;
}

/* Each has completed when the drain returns; those that were flushed are the last. */
static bool all_over(const struct ulp_op *ops, int n)
{
	bool flushed = false;
	int i;

	for (i = 0; i < n; i++) {
		if (!completion_done((struct completion *)&ops[i].done))
			return false;
		if (ops[i].wc.status != IB_WC_WR_FLUSH_ERR && flushed)
			return false;
		flushed = ops[i].wc.status == IB_WC_WR_FLUSH_ERR;
	}
	return true;
}

static void drain_end(struct ulp_end *end, int how)
{
	switch (how % 3) {
	case 0:
		ib_drain_qp(end->qp);
		break;
	case 1:
		ib_drain_rq(end->qp);
		ib_drain_sq(end->qp);
		break;
	default:
		ib_drain_sq(end->qp);
		ib_drain_rq(end->qp);
		ib_drain_qp(end->qp);
	}
}

static bool one_round(struct storm *s, u32 round)
{
	bool failed = false;
	int i, first = round % 2;

	if (DIFFER(post(s), 0))
		goto out;
	if (round % 4)
		usleep_range(100 * (round % 4), 200 * (round % 4));
	drain_end(&s->pair.end[first], round);
	drain_end(&s->pair.end[!first], s->index);
	for (i = 0; i < 2; i++) {
		if (FAILS(all_over(s->send[i], SENDS)))
			goto out;
		if (FAILS(all_over(s->recv[i], RECVS)))
			goto out;
	}
out:
	return !failed;
}

static int open_pair(struct storm *s)
{
	int err;

	if (s->pooled)
		return ulp_pool_init(&s->pair, s->dev, s->poll);
	err = ulp_pair_init(&s->pair, s->dev, IB_QPT_RC, s->poll);
	return err ?: ulp_pair_connect(&s->pair);
}

static int run(void *data)
{
	struct storm *s = data;
	bool failed = false;
	u32 round;

	for (round = 0; round < ulp_rounds && !failed; round++) {
		if (!DIFFER(open_pair(s), 0))
			FAILS(one_round(s, round));
		if (s->pooled)
			ulp_pool_fini(&s->pair);
		else
			ulp_pair_fini(&s->pair);
	}
	s->failed = failed;
	complete(&s->ended);
	return 0;
}

static bool rage(struct ib_device *dev, enum ib_poll_context poll, bool pooled)
{
	struct storm *storms = kvcalloc(THREADS, sizeof(*storms), GFP_KERNEL);
	bool failed = false;
	int i, n = 0;

	if (FAILS(storms))
		return false;
	for (i = 0; i < THREADS && !failed; i++) {
		storms[i].dev = dev;
		storms[i].poll = poll;
		storms[i].pooled = pooled;
		storms[i].index = i;
		init_completion(&storms[i].ended);
		if (!FAILS(!IS_ERR(kthread_run(run, &storms[i], "soro_ulp/storm%d", i))))
			n++;
	}
	for (i = 0; i < n; i++) {
		wait_for_completion(&storms[i].ended);
		failed |= storms[i].failed;
	}
	kvfree(storms);
	return !failed;
}

bool ulp_storm(struct ib_device *dev, enum ib_poll_context poll)
{
	return rage(dev, poll, false);
}

bool ulp_storm_pooled(struct ib_device *dev, enum ib_poll_context poll)
{
	return rage(dev, poll, true);
}

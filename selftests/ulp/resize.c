// SPDX-License-Identifier: GPL-2.0
/* Resizing of a completion queue by a consumer in the kernel, while it is in use. */
#include <linux/delay.h>
#include <linux/kthread.h>
#include "tests.h"

#define MESSAGES	20

static struct ulp_op send[MESSAGES], recv[MESSAGES];
static struct ib_wc wc[MESSAGES];

static int leave_unread(struct ulp_pair *pair, int n)
{
	int err = 0;
	int i;

	for (i = 0; i < n && !err; i++)
		err = ulp_recv(&pair->end[1], &recv[i], 0, 64);
	for (i = 0; i < n && !err; i++) {
		err = ulp_send(&pair->end[0], &send[i], 0, 8, 0);
		if (!err)
			err = ulp_wait(pair->end[0].scq, &send[i]);
	}
	return err;
}

/* What nobody has polled stays, in its order; a size that is too small is refused. */
bool ulp_resize_unread(struct ib_device *dev, enum ib_poll_context poll)
{
	static const int sizes[] = { MESSAGES, 1000, 63, MESSAGES, 5000 };
	struct ulp_pair pair;
	bool failed = false;
	struct ib_cq *cq;
	u32 i, n = 0;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	cq = pair.end[1].rcq;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	if (DIFFER(leave_unread(&pair, MESSAGES), 0))
		goto out;
	if (DIFFER(ib_resize_cq(cq, MESSAGES - 1), -EINVAL))
		goto out;
	if (DIFFER(ib_resize_cq(cq, 0), -EINVAL))
		goto out;
	if (DIFFER(ib_resize_cq(cq, dev->attrs.max_cqe + 1), -EINVAL))
		goto out;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (DIFFER(ib_resize_cq(cq, sizes[i]), 0))
			goto out;
		if (FAILS(cq->cqe >= sizes[i]))
			goto out;
		if (DIFFER(ib_poll_cq(cq, 1, wc), 1))
			goto out;
		if (DIFFER(wc[0].wr_id, (uintptr_t)&recv[n].cqe))
			goto out;
		n++;
	}
	if (DIFFER(ib_poll_cq(cq, MESSAGES, wc), MESSAGES - n))
		goto out;
	for (i = 0; n < MESSAGES; i++, n++)
		if (DIFFER(wc[i].wr_id, (uintptr_t)&recv[n].cqe))
			goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

/**
 * struct resizer - a thread that changes the size of a queue until it is told to stop
 * @cq: the queue
 * @stop: told
 * @err: of the last change
 * @count: of changes
 * @ended: it has
 */
struct resizer {
	struct ib_cq *cq;
	bool stop;
	int err;
	u32 count;
	struct completion ended;
};

static int keep_resizing(void *data)
{
	struct resizer *r = data;

	while (!READ_ONCE(r->stop) && !r->err) {
		r->err = ib_resize_cq(r->cq, 2 * MESSAGES + 1000 * (r->count % 7));
		r->count++;
		cond_resched();
	}
	complete(&r->ended);
	return 0;
}

/* The core polls on one processor while another changes the size. */
bool ulp_resize_traffic(struct ib_device *dev, enum ib_poll_context poll)
{
	static struct resizer resizer;
	struct ulp_pair pair;
	bool failed = false;
	u32 round, i;

	memset(&resizer, 0, sizeof(resizer));
	init_completion(&resizer.ended);
	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	resizer.cq = pair.end[1].rcq;
	if (FAILS(!IS_ERR(kthread_run(keep_resizing, &resizer, "soro_ulp/resizer"))))
		goto out;
	for (round = 0; round < 4 * ulp_rounds && !failed; round++) {
		if (DIFFER(leave_unread(&pair, MESSAGES), 0))
			break;
		for (i = 0; i < MESSAGES && !failed; i++)
			DIFFER(ulp_wait(pair.end[1].rcq, &recv[i]), IB_WC_SUCCESS);
	}
	WRITE_ONCE(resizer.stop, true);
	wait_for_completion(&resizer.ended);
	DIFFER(resizer.err, 0);
	FAILS(resizer.count);
out:
	ulp_pair_fini(&pair);
	return !failed;
}

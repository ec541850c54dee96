// SPDX-License-Identifier: GPL-2.0
/* Completion queues that the core hands out: from its pool, and on any vector. */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include "tests.h"

#define CQES	(2 * ULP_WRS + 2)

/* Exchange the CQs of an end that has no work yet. */
static void drop_own(struct ulp_end *end)
{
	ib_destroy_qp(end->qp);
	end->qp = NULL;
	ib_free_cq(end->scq);
	ib_free_cq(end->rcq);
	end->scq = NULL;
	end->rcq = NULL;
}

static struct ib_cq *get(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_cq *cq = ib_cq_pool_get(dev, CQES, -1, poll);

	return IS_ERR(cq) ? NULL : cq;
}

/**
 * ulp_pool_init() - as ulp_pair_init() and ulp_pair_connect(), with CQs of the core's pool
 * @pair: memory
 * @dev: the device
 * @poll: how the CQs are polled; not IB_POLL_DIRECT
 *
 * Return: 0 or -errno; ulp_pool_fini() is due in any case.
 */
int ulp_pool_init(struct ulp_pair *pair, struct ib_device *dev, enum ib_poll_context poll)
{
	int err = ulp_pair_init(pair, dev, IB_QPT_RC, IB_POLL_DIRECT);
	int i;

	if (err) {
		ulp_pair_fini(pair);
		memset(pair, 0, sizeof(*pair));
		return err;
	}
	for (i = 0; i < 2; i++)
		drop_own(&pair->end[i]);
	for (i = 0; i < 2; i++) {
		struct ulp_end *end = &pair->end[i];

		end->scq = get(dev, poll);
		end->rcq = get(dev, poll);
		if (!end->scq || !end->rcq)
			return -ENOMEM;
		err = ulp_create_qp(pair, end);
		if (err)
			return err;
	}
	return ulp_pair_connect(pair);
}

/**
 * ulp_pool_fini() - undo ulp_pool_init(); nothing of the pair completes any more
 * @pair: the pair
 */
void ulp_pool_fini(struct ulp_pair *pair)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct ulp_end *end = &pair->end[i];

		if (end->qp)
			ib_destroy_qp(end->qp);
		if (end->scq)
			ib_cq_pool_put(end->scq, CQES);
		if (end->rcq)
			ib_cq_pool_put(end->rcq, CQES);
		end->qp = NULL;
		end->scq = NULL;
		end->rcq = NULL;
	}
	if (pair->pd)
		ulp_pair_fini(pair);
}

static struct ulp_op send, recv;

static bool messages(struct ulp_pair *pair, int n)
{
	struct ulp_end *a = &pair->end[0], *b = &pair->end[1];
	bool failed = false;
	int i;

	for (i = 0; i < n; i++) {
		ulp_fill(a->buf, 3000, i);
		if (DIFFER(ulp_recv(b, &recv, 0, 4096), 0))
			goto out;
		if (DIFFER(ulp_send(a, &send, 0, 3000, 0), 0))
			goto out;
		if (DIFFER(ulp_wait(a->scq, &send), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(ulp_wait(b->rcq, &recv), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(memcmp(a->buf, b->buf, 3000), 0))
			goto out;
	}
out:
	return !failed;
}

/* Two connections on shared CQs; the first goes, the second does not notice. */
bool ulp_pool_shared(struct ib_device *dev, enum ib_poll_context poll)
{
	static struct ulp_pair one, two;
	bool failed = false;

	memset(&two, 0, sizeof(two));
	if (DIFFER(ulp_pool_init(&one, dev, poll), 0))
		goto out;
	if (DIFFER(ulp_pool_init(&two, dev, poll), 0))
		goto out;
	if (FAILS(one.end[0].scq->shared))
		goto out;
	if (FAILS(messages(&one, 20) && messages(&two, 20)))
		goto out;
	ib_drain_qp(one.end[0].qp);
	ib_drain_qp(one.end[1].qp);
	if (FAILS(messages(&two, 20)))
		goto out;
	ib_drain_qp(two.end[0].qp);
	ib_drain_qp(two.end[1].qp);
out:
	ulp_pool_fini(&one);
	ulp_pool_fini(&two);
	return !failed;
}

/* CQs on any vector: all vectors that there are for it, and each queue works. */
bool ulp_pool_any(struct ib_device *dev, enum ib_poll_context poll)
{
	u32 vectors = min_t(u32, dev->num_comp_vectors, num_online_cpus());
	static struct ulp_pair pair;
	unsigned long seen = 0;
	bool failed = false;
	struct ib_cq *cq;
	u32 i;

	for (i = 0; i < 2 * vectors && !failed; i++) {
		if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
			goto out;
		drop_own(&pair.end[1]);
		cq = ib_alloc_cq_any(dev, NULL, CQES, poll);
		if (FAILS(!IS_ERR(cq)))
			goto out;
		pair.end[1].rcq = cq;
		cq = ib_alloc_cq_any(dev, NULL, CQES, poll);
		if (FAILS(!IS_ERR(cq)))
			goto out;
		pair.end[1].scq = cq;
		if (FAILS(cq->comp_vector < vectors))
			goto out;
		seen |= BIT(cq->comp_vector) | BIT(pair.end[1].rcq->comp_vector);
		if (DIFFER(ulp_create_qp(&pair, &pair.end[1]), 0))
			goto out;
		if (DIFFER(ulp_pair_connect(&pair), 0))
			goto out;
		if (FAILS(messages(&pair, 5)))
			goto out;
out:
		ulp_pair_fini(&pair);
	}
	if (!failed && FAILS(vectors == 1 || hweight_long(seen) > 1))
		pr_info("soro_ulp: # vectors %lx\n", seen);
	return !failed;
}

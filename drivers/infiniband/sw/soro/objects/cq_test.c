// SPDX-License-Identifier: GPL-2.0
/* Unit tests of completion queues of consumers in the kernel. */
#include <kunit/test.h>
#include <linux/slab.h>
#include "cq.h"

/**
 * struct cq_test - a queue and what its handlers saw
 * @dev: only its limits are used
 * @qp: only its address is used
 * @cq: the queue
 * @lock: held while completions are added, taken by the handlers
 * @notified: calls of the completion handler
 * @errors: events that say that the queue has overflowed
 */
struct cq_test {
	struct ib_device dev;
	struct ib_qp qp;
	struct soro_cq cq;
	spinlock_t lock;	/* of the consumer */
	int notified;
	int errors;
};

static void on_completion(struct ib_cq *ib_cq, void *context)
{
	struct cq_test *ct = context;

	spin_lock_bh(&ct->lock);
	ct->notified++;
	spin_unlock_bh(&ct->lock);
}

static void on_event(struct ib_event *event, void *context)
{
	struct cq_test *ct = context;

	spin_lock_bh(&ct->lock);
	ct->errors += event->event == IB_EVENT_CQ_ERR;
	spin_unlock_bh(&ct->lock);
}

static struct cq_test *setup(struct kunit *test, u32 cqe)
{
	struct cq_test *ct = kunit_kzalloc(test, sizeof(*ct), GFP_KERNEL);
	struct ib_cq_init_attr attr = { .cqe = cqe };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ct);
	spin_lock_init(&ct->lock);
	ct->dev.attrs.max_cqe = 64;
	ct->dev.num_comp_vectors = 1;
	ct->cq.ib.device = &ct->dev;
	ct->cq.ib.comp_handler = on_completion;
	ct->cq.ib.event_handler = on_event;
	ct->cq.ib.cq_context = ct;
	KUNIT_ASSERT_EQ(test, soro_cq_create(&ct->cq.ib, &attr, NULL), 0);
	return ct;
}

static bool add(struct cq_test *ct, u64 id, enum ib_wc_status status, bool solicited)
{
	struct ib_wc wc = {
		.wr_id = id,
		.status = status,
		.qp = &ct->qp,
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE,
		.network_hdr_type = RDMA_NETWORK_IPV6,
	};
	bool added;

	/* A handler that is called in here waits for ever. */
	spin_lock_bh(&ct->lock);
	added = soro_cq_add(&ct->cq, &wc, solicited);
	spin_unlock_bh(&ct->lock);
	return added;
}

/* What was due has been called when this returns. */
static void settle(struct cq_test *ct)
{
	tasklet_unlock_wait(&ct->cq.notifier);
	while (test_bit(TASKLET_STATE_SCHED, &ct->cq.notifier.state))
		schedule_timeout_uninterruptible(1);
	tasklet_unlock_wait(&ct->cq.notifier);
}

static void polls_what_was_added(struct kunit *test)
{
	struct cq_test *ct = setup(test, 7);
	static struct ib_wc wc[8];
	u64 id;

	KUNIT_EXPECT_EQ(test, ct->cq.ib.cqe, 7);
	KUNIT_EXPECT_EQ(test, soro_cq_poll(&ct->cq.ib, 8, wc), 0);
	for (id = 0; id < 5; id++)
		KUNIT_EXPECT_TRUE(test, add(ct, id, IB_WC_SUCCESS, false));
	KUNIT_EXPECT_EQ(test, soro_cq_poll(&ct->cq.ib, 0, wc), 0);
	KUNIT_EXPECT_EQ(test, soro_cq_poll(&ct->cq.ib, 2, wc), 2);
	KUNIT_EXPECT_EQ(test, soro_cq_poll(&ct->cq.ib, 8, wc + 2), 3);
	for (id = 0; id < 5; id++)
		KUNIT_EXPECT_EQ(test, wc[id].wr_id, id);
	KUNIT_EXPECT_PTR_EQ(test, wc[0].qp, &ct->qp);
	KUNIT_EXPECT_EQ(test, wc[0].wc_flags, (int)(IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE));
	KUNIT_EXPECT_EQ(test, wc[0].network_hdr_type, RDMA_NETWORK_IPV6);
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->notified, 0);
	soro_cq_destroy(&ct->cq.ib, NULL);
}

static void arms_for_one(struct kunit *test)
{
	enum ib_cq_notify_flags missed = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;
	struct cq_test *ct = setup(test, 15);
	struct ib_wc wc;

	KUNIT_EXPECT_EQ(test, soro_cq_arm(&ct->cq.ib, missed), 0);
	add(ct, 0, IB_WC_SUCCESS, false);
	add(ct, 1, IB_WC_SUCCESS, false);
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->notified, 1);
	KUNIT_EXPECT_EQ(test, soro_cq_arm(&ct->cq.ib, missed), 1);
	while (soro_cq_poll(&ct->cq.ib, 1, &wc))
		;
	KUNIT_EXPECT_EQ(test, soro_cq_arm(&ct->cq.ib, missed), 0);
	add(ct, 2, IB_WC_SUCCESS, false);
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->notified, 2);

	soro_cq_arm(&ct->cq.ib, IB_CQ_SOLICITED);
	add(ct, 3, IB_WC_SUCCESS, false);
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->notified, 2);
	add(ct, 4, IB_WC_SUCCESS, true);
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->notified, 3);
	soro_cq_arm(&ct->cq.ib, IB_CQ_SOLICITED);
	add(ct, 5, IB_WC_WR_FLUSH_ERR, false);
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->notified, 4);
	soro_cq_destroy(&ct->cq.ib, NULL);
}

static void overflow_is_told_once(struct kunit *test)
{
	struct cq_test *ct = setup(test, 3);
	static struct ib_wc wc[4];
	u64 id;

	for (id = 0; id < 3; id++)
		KUNIT_EXPECT_TRUE(test, add(ct, id, IB_WC_SUCCESS, false));
	KUNIT_EXPECT_FALSE(test, add(ct, 3, IB_WC_SUCCESS, false));
	KUNIT_EXPECT_FALSE(test, add(ct, 4, IB_WC_SUCCESS, false));
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->errors, 1);
	KUNIT_EXPECT_EQ(test, soro_cq_poll(&ct->cq.ib, 4, wc), 3);
	/* Room does not mend it: who lost a completion has lost it. */
	KUNIT_EXPECT_FALSE(test, add(ct, 5, IB_WC_SUCCESS, false));
	settle(ct);
	KUNIT_EXPECT_EQ(test, ct->errors, 1);
	soro_cq_destroy(&ct->cq.ib, NULL);
}

static void limits(struct kunit *test)
{
	struct cq_test *ct = setup(test, 64);
	struct ib_cq_init_attr attr = { .cqe = 65 };
	struct soro_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	cq->ib.device = &ct->dev;
	KUNIT_EXPECT_EQ(test, soro_cq_create(&cq->ib, &attr, NULL), -EINVAL);
	attr.cqe = 0;
	KUNIT_EXPECT_EQ(test, soro_cq_create(&cq->ib, &attr, NULL), -EINVAL);
	attr.cqe = 1;
	attr.comp_vector = 1;
	KUNIT_EXPECT_EQ(test, soro_cq_create(&cq->ib, &attr, NULL), -EINVAL);
	attr.comp_vector = 0;
	attr.flags = 1;
	KUNIT_EXPECT_EQ(test, soro_cq_create(&cq->ib, &attr, NULL), -EOPNOTSUPP);
	soro_cq_destroy(&ct->cq.ib, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(polls_what_was_added),
	KUNIT_CASE(arms_for_one),
	KUNIT_CASE(overflow_is_told_once),
	KUNIT_CASE(limits),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_cq",
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of shared receive queues of consumers in the kernel. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <rdma/soro-abi.h>
#include "srq.h"

#define TAKERS	3
#define POSTS	2000

/**
 * struct srq_test - a queue and what its handler saw
 * @dev: only its limits are used
 * @srq: the queue
 * @lock: held while receives are taken, taken by the handler
 * @limits: events that say that the limit was reached
 * @errors: events that say that the queue is in error
 */
struct srq_test {
	struct ib_device dev;
	struct soro_srq srq;
	spinlock_t lock;	/* of the consumer */
	int limits;
	int errors;
};

static void on_event(struct ib_event *event, void *context)
{
	struct srq_test *st = context;

	spin_lock_bh(&st->lock);
	st->limits += event->event == IB_EVENT_SRQ_LIMIT_REACHED;
	st->errors += event->event == IB_EVENT_SRQ_ERR;
	spin_unlock_bh(&st->lock);
}

static struct srq_test *setup(struct kunit *test, u32 max_wr)
{
	struct srq_test *st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);
	struct ib_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = 2 } };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, st);
	spin_lock_init(&st->lock);
	st->dev.attrs.max_srq_wr = 63;
	st->dev.attrs.max_srq_sge = 4;
	st->srq.ib.device = &st->dev;
	st->srq.ib.event_handler = on_event;
	st->srq.ib.srq_context = st;
	KUNIT_ASSERT_EQ(test, soro_srq_create(&st->srq.ib, &init, NULL), 0);
	KUNIT_ASSERT_GE(test, init.attr.max_wr, max_wr);
	return st;
}

static bool post(struct srq_test *st, u64 id)
{
	struct soro_abi_recv_wqe *wqe;

	spin_lock_irq(&st->srq.lock);
	wqe = soro_ring_reserve(&st->srq.ring);
	if (wqe) {
		wqe->wr_id = id;
		soro_ring_commit(&st->srq.ring);
	}
	spin_unlock_irq(&st->srq.lock);
	return wqe;
}

static int take(struct srq_test *st, u64 *id)
{
	struct soro_abi_recv_wqe wqe;
	int ret;

	/* A handler that is called in here waits for ever. */
	spin_lock_bh(&st->lock);
	ret = soro_srq_take(&st->srq, &wqe, sizeof(wqe));
	spin_unlock_bh(&st->lock);
	*id = wqe.wr_id;
	return ret;
}

static int modify(struct srq_test *st, int mask, u32 max_wr, u32 limit)
{
	struct ib_srq_attr attr = { .max_wr = max_wr, .srq_limit = limit };

	return soro_srq_modify(&st->srq.ib, &attr, mask, NULL);
}

/* What was due has been raised when this returns. */
static void settle(struct srq_test *st)
{
	while (test_bit(TASKLET_STATE_SCHED, &st->srq.notifier.state))
		schedule_timeout_uninterruptible(1);
	tasklet_unlock_wait(&st->srq.notifier);
}

static void takes_in_order(struct kunit *test)
{
	struct srq_test *st = setup(test, 7);
	u64 posted = 0, taken = 0, id;

	KUNIT_EXPECT_EQ(test, take(st, &id), 0);
	while (taken < 100) {
		while (post(st, posted))
			posted++;
		/* The slot is free when the entry is taken. */
		KUNIT_ASSERT_EQ(test, posted - taken, (u64)soro_ring_capacity(&st->srq.ring));
		KUNIT_ASSERT_EQ(test, take(st, &id), 1);
		KUNIT_ASSERT_EQ(test, id, taken++);
	}
	soro_srq_destroy(&st->srq);
}

static void limit_is_told_once(struct kunit *test)
{
	struct srq_test *st = setup(test, 15);
	struct ib_srq_attr attr;
	u64 id;

	for (id = 0; id < 8; id++)
		post(st, id);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_LIMIT, 0, 7), 0);
	KUNIT_EXPECT_EQ(test, take(st, &id), 1);
	soro_srq_query(&st->srq.ib, &attr);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, 7U);
	settle(st);
	KUNIT_EXPECT_EQ(test, st->limits, 0);	/* seven are not below seven */
	KUNIT_EXPECT_EQ(test, take(st, &id), 1);
	settle(st);
	KUNIT_EXPECT_EQ(test, st->limits, 1);
	soro_srq_query(&st->srq.ib, &attr);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, 0U);
	while (take(st, &id))
		;
	settle(st);
	KUNIT_EXPECT_EQ(test, st->limits, 1);
	/* Too late to wait for one that is taken. */
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_LIMIT, 0, 1), 0);
	settle(st);
	KUNIT_EXPECT_EQ(test, st->limits, 2);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_LIMIT, 0, 16), -EINVAL);
	soro_srq_destroy(&st->srq);
}

static void resize_keeps_what_is_posted(struct kunit *test)
{
	static const u32 sizes[] = { 63, 5, 31, 6 };
	struct srq_test *st = setup(test, 7);
	u64 posted = 0, taken = 0, id;
	u32 i;

	while (post(st, posted))
		posted++;
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_MAX_WR, posted - 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_MAX_WR, 64, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_MAX_WR, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_MAX_WR | IB_SRQ_LIMIT, 9, 10), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify(st, 4, 9, 10), -EINVAL);
	KUNIT_EXPECT_EQ(test, soro_ring_capacity(&st->srq.ring), 7U);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		while (posted - taken > 4) {
			KUNIT_ASSERT_EQ(test, take(st, &id), 1);
			KUNIT_ASSERT_EQ(test, id, taken++);
		}
		KUNIT_ASSERT_EQ(test, modify(st, IB_SRQ_MAX_WR, sizes[i], 0), 0);
		while (post(st, posted))
			posted++;
		KUNIT_ASSERT_GE(test, posted - taken, (u64)sizes[i]);
	}
	while (take(st, &id))
		KUNIT_ASSERT_EQ(test, id, taken++);
	KUNIT_EXPECT_EQ(test, taken, posted);
	soro_srq_destroy(&st->srq);
}

static void broken_ring_is_told_once(struct kunit *test)
{
	struct srq_test *st = setup(test, 7);
	u64 id;

	post(st, 1);
	WRITE_ONCE(st->srq.ring.shared->producer, 8);
	KUNIT_EXPECT_EQ(test, take(st, &id), -EINVAL);
	WRITE_ONCE(st->srq.ring.shared->producer, 1);
	KUNIT_EXPECT_EQ(test, take(st, &id), -EINVAL);
	settle(st);
	KUNIT_EXPECT_EQ(test, st->errors, 1);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_LIMIT, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_MAX_WR, 15, 0), -EINVAL);
	soro_srq_destroy(&st->srq);
}

static void limits(struct kunit *test)
{
	struct srq_test *st = setup(test, 63);
	struct soro_srq *srq = kunit_kzalloc(test, sizeof(*srq), GFP_KERNEL);
	struct ib_srq_init_attr init = { .attr = { .max_wr = 64, .max_sge = 1 } };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, srq);
	srq->ib.device = &st->dev;
	KUNIT_EXPECT_EQ(test, soro_srq_create(&srq->ib, &init, NULL), -EINVAL);
	init.attr.max_wr = 0;
	KUNIT_EXPECT_EQ(test, soro_srq_create(&srq->ib, &init, NULL), -EINVAL);
	init.attr.max_wr = 1;
	init.attr.max_sge = 5;
	KUNIT_EXPECT_EQ(test, soro_srq_create(&srq->ib, &init, NULL), -EINVAL);
	init.attr.max_sge = 1;
	init.srq_type = IB_SRQT_XRC;
	KUNIT_EXPECT_EQ(test, soro_srq_create(&srq->ib, &init, NULL), -EOPNOTSUPP);
	soro_srq_destroy(&st->srq);
}

/**
 * struct taker - a thread that takes as long as there is something to come
 * @st: from where
 * @seen: how often each entry was taken, by all of them
 * @left: entries that nobody has taken
 * @disorder: entries that came later than one that was posted after them
 */
struct taker {
	struct srq_test *st;
	atomic_t *seen;
	atomic_t *left;
	u32 disorder;
};

static int run_taker(void *data)
{
	struct soro_abi_recv_wqe wqe;
	struct taker *taker = data;
	u64 last = 0;

	while (atomic_read(taker->left)) {
		if (soro_srq_take(&taker->st->srq, &wqe, sizeof(wqe)) != 1) {
			cond_resched();
			continue;
		}
		taker->disorder += wqe.wr_id < last;
		last = wqe.wr_id;
		atomic_inc(&taker->seen[wqe.wr_id]);
		atomic_dec(taker->left);
	}
	return 0;
}

static void each_is_taken_once(struct kunit *test)
{
	atomic_t *seen = kunit_kzalloc(test, POSTS * sizeof(*seen), GFP_KERNEL);
	struct task_struct *tasks[TAKERS] = {};
	struct srq_test *st = setup(test, 15);
	struct taker takers[TAKERS] = {};
	atomic_t left = ATOMIC_INIT(POSTS);
	u64 posted = 0;
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	st->dev.attrs.max_srq_wr = POSTS;
	for (i = 0; i < TAKERS; i++) {
		takers[i] = (struct taker) { st, seen, &left };
		tasks[i] = kthread_run(run_taker, &takers[i], "soro_taker");
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tasks[i]);
		get_task_struct(tasks[i]);
	}
	while (posted < POSTS) {
		if (post(st, posted))
			posted++;
		else
			cond_resched();
		/* The second time in steps, and as often as the ring is full there. */
		if (posted == POSTS / 3 || posted == POSTS / 2)
			KUNIT_EXPECT_EQ(test, modify(st, IB_SRQ_MAX_WR, 500, 0), 0);
	}
	while (atomic_read(&left))
		schedule_timeout_uninterruptible(1);
	for (i = 0; i < TAKERS; i++) {
		kthread_stop(tasks[i]);
		put_task_struct(tasks[i]);
		KUNIT_EXPECT_EQ(test, takers[i].disorder, 0U);
	}
	for (i = 0; i < POSTS; i++)
		KUNIT_ASSERT_EQ(test, atomic_read(&seen[i]), 1);
	soro_srq_destroy(&st->srq);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(takes_in_order),
	KUNIT_CASE(limit_is_told_once),
	KUNIT_CASE(resize_keeps_what_is_posted),
	KUNIT_CASE(broken_ring_is_told_once),
	KUNIT_CASE(limits),
	KUNIT_CASE(each_is_taken_once),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_srq",
	.test_cases = cases,
};

kunit_test_suites(&suite);

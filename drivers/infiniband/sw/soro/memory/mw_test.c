// SPDX-License-Identifier: GPL-2.0
/* Unit tests of windows, fast registrations and invalidation: who may, and what is left. */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include "fast.h"
#include "invalidate.h"
#include "mw.h"
#include "region_test.h"

#define IOVA	0x7f0000000000ULL
#define RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND)
#define RW	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE)

/* Two QPs: only their addresses are used. */
static const char qp_a, qp_b;

/**
 * struct fixture - a region and a window
 * @rt: key space
 * @mr: 512 bytes at IOVA
 * @mw: the window
 */
struct fixture {
	struct region_test *rt;
	struct soro_mr *mr;
	struct soro_mw mw;
};

static struct fixture *setup(struct kunit *test, enum ib_mw_type type)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	f->rt = region_test_setup(test);
	f->mr = region_test_add(test, f->rt, IOVA, 2, 0, RIGHTS);
	f->mw.ib.pd = &f->rt->pd;
	f->mw.ib.type = type;
	KUNIT_ASSERT_EQ(test, soro_mw_alloc(&f->rt->keys, &f->mw.ib), 0);
	return f;
}

static void teardown(struct kunit *test, struct fixture *f)
{
	soro_mw_dealloc(&f->mw.ib);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr->windows), 0);
	region_test_del(test, f->mr);
	region_test_teardown(f->rt);
}

static struct soro_bind bind_of(const struct fixture *f, u32 variant)
{
	return (struct soro_bind) {
		.addr = IOVA + 100,
		.length = 300,
		.mr_lkey = f->mr->grant.key,
		.mw_rkey = f->mw.ib.rkey,
		.rkey = (f->mw.ib.rkey & ~0xffU) | variant,
		.access = RW,
	};
}

static int do_bind(struct fixture *f, const void *qp, const struct soro_bind *bind)
{
	int err;

	local_bh_disable();
	err = soro_mw_bind(&f->rt->keys, &f->rt->pd, qp, bind);
	local_bh_enable();
	return err;
}

static int invalidate(struct region_test *rt, const void *qp, u32 key, bool remote)
{
	int err;

	local_bh_disable();
	err = soro_invalidate(&rt->keys, &rt->pd, qp, key, remote);
	local_bh_enable();
	return err;
}

static int use(struct fixture *f, const void *qp, u32 key, u64 va, u64 bytes, int access)
{
	return region_test_use(f->rt, &f->rt->pd, qp, key, va, bytes, access);
}

static void type_1_of_its_pd(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct soro_bind bind = bind_of(f, 1);
	u32 key = bind.rkey, old = f->mw.ib.rkey;

	KUNIT_EXPECT_EQ(test, use(f, &qp_a, old, IOVA + 100, 1, IB_ACCESS_REMOTE_READ), -ENOENT);
	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_a, &bind), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 100, 300, RW), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, IOVA + 100, 300, RW), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 99, 1, RW), -ERANGE);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 100, 301, RW), -ERANGE);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 100, 8, IB_ACCESS_REMOTE_ATOMIC), -EACCES);
	KUNIT_EXPECT_EQ(test, use(f, NULL, key, IOVA + 100, 1, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, use(f, NULL, key, IOVA + 100, 1, IB_ACCESS_LOCAL_WRITE), -ENOENT);
	KUNIT_EXPECT_EQ(test, region_test_use(f->rt, &f->rt->other_pd, &qp_a, key, IOVA + 100, 1,
					      IB_ACCESS_REMOTE_READ), -EXDEV);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_a, key, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_a, key, true), -EINVAL);

	/* Bound anew: the old key is over. */
	bind.mw_rkey = key;
	bind.rkey++;
	bind.addr += 50;
	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_b, &bind), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 150, 1, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key + 1, IOVA + 150, 300, RW), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr->windows), 1);

	/* A stale key binds nothing; a length of 0 unbinds, whatever region is named. */
	KUNIT_EXPECT_EQ(test, do_bind(f, &qp_a, &bind), -ENOENT);
	bind.mw_rkey = key + 1;
	bind.rkey = key + 2;
	bind.length = 0;
	bind.mr_lkey = 0;
	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_a, &bind), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key + 1, IOVA + 150, 1, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key + 2, IOVA + 150, 1, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr->windows), 0);
	teardown(test, f);
}

static void type_2_of_its_qp(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	struct soro_bind bind = bind_of(f, 9);
	u32 key = bind.rkey;

	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_a, &bind), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 100, 300, RW), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, IOVA + 100, 300, RW), -EXDEV);
	KUNIT_EXPECT_EQ(test, do_bind(f, &qp_a, &bind), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_b, key, false), -EXDEV);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_b, key, true), -EXDEV);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_a, key ^ 1, true), -ENOENT);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_a, key, true), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, key, IOVA + 100, 1, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_a, key, false), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr->windows), 0);

	/* Free again, for another QP too, and bound by offsets. */
	bind.access |= IB_ZERO_BASED;
	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_b, &bind), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, 0, 300, RW), 0);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, 0, 301, RW), -ERANGE);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, IOVA + 100, 1, RW), -ERANGE);
	soro_mw_forget_qp(&f->rt->keys, &qp_a);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, 0, 300, RW), 0);
	soro_mw_forget_qp(&f->rt->keys, &qp_b);
	KUNIT_EXPECT_EQ(test, use(f, &qp_b, key, 0, 300, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr->windows), 0);
	teardown(test, f);
}

/* A window sees the bytes of the region that it is bound to. */
static void window_is_a_part(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	struct soro_bind bind = bind_of(f, 9);
	struct soro_grant *grant;
	u32 offset, got;

	bind.access |= IB_ZERO_BASED;
	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_a, &bind), 0);
	local_bh_disable();
	grant = soro_grant_get(&f->rt->keys, &f->rt->pd, &qp_a, bind.rkey, 0, 300, RW);
	for (offset = 0; !IS_ERR(grant) && offset < 300; offset++)
		KUNIT_EXPECT_PTR_EQ(test, (u8 *)soro_grant_span(grant, offset, 300 - offset, &got),
				    region_test_byte(f->mr, 100 + offset));
	KUNIT_EXPECT_FALSE(test, IS_ERR(grant));
	if (!IS_ERR(grant))
		soro_grant_put(grant);
	local_bh_enable();
	teardown(test, f);
}

static void bind_refuses(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct soro_bind good = bind_of(f, 1), bind;

#define EXPECT_BIND(field, value, err) do {			\
	bind = good;						\
	bind.field = value;					\
	KUNIT_EXPECT_EQ(test, do_bind(f, &qp_a, &bind), err);	\
} while (0)

	EXPECT_BIND(mw_rkey, good.mw_rkey ^ 1, -ENOENT);
	EXPECT_BIND(mw_rkey, f->mr->grant.key, -ENOENT);
	EXPECT_BIND(mw_rkey, 0, -ENOENT);
	EXPECT_BIND(mr_lkey, f->mr->grant.key ^ 1, -ENOENT);
	EXPECT_BIND(mr_lkey, f->mw.ib.rkey, -ENOENT);
	EXPECT_BIND(mr_lkey, 0, -ENOENT);
	EXPECT_BIND(addr, IOVA - 1, -ERANGE);
	EXPECT_BIND(addr, IOVA + 213, -ERANGE);
	EXPECT_BIND(length, 413, -ERANGE);
	EXPECT_BIND(length, U64_MAX, -ERANGE);
	EXPECT_BIND(access, RW | IB_ZERO_BASED, -EINVAL);
	EXPECT_BIND(access, RW | IB_ACCESS_ON_DEMAND, -EINVAL);

	f->mr->grant.access = RIGHTS & ~IB_ACCESS_LOCAL_WRITE;
	EXPECT_BIND(access, IB_ACCESS_REMOTE_WRITE, -EACCES);
	EXPECT_BIND(access, IB_ACCESS_REMOTE_ATOMIC, -EACCES);
	f->mr->grant.access = RIGHTS & ~IB_ACCESS_MW_BIND;
	EXPECT_BIND(access, RW, -EACCES);
	f->mr->grant.access = RIGHTS | IB_ZERO_BASED;
	EXPECT_BIND(access, RW, -EACCES);
	f->mr->grant.access = RIGHTS;

	f->mr->grant.pd = &f->rt->other_pd;
	EXPECT_BIND(access, RW, -EXDEV);
	f->mr->grant.pd = &f->rt->pd;
	local_bh_disable();
	KUNIT_EXPECT_EQ(test, soro_mw_bind(&f->rt->keys, &f->rt->other_pd, &qp_a, &good), -EXDEV);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr->windows), 0);
	KUNIT_EXPECT_EQ(test, do_bind(f, &qp_a, &good), 0);
	teardown(test, f);
}

static void type_2_needs_a_range(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	struct soro_bind bind = bind_of(f, 1);

	bind.length = 0;
	KUNIT_EXPECT_EQ(test, do_bind(f, &qp_a, &bind), -EINVAL);
	teardown(test, f);
}

static void unknown_type(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	struct soro_mw mw = { .ib.type = 3 };

	KUNIT_EXPECT_EQ(test, soro_mw_alloc(&rt->keys, &mw.ib), -EINVAL);
	region_test_teardown(rt);
}

static void bound_region_stays(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct soro_bind bind = bind_of(f, 1);

	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_a, &bind), 0);
	KUNIT_EXPECT_EQ(test, soro_mr_dereg(&f->mr->ib), -EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soro_mr_rereg_user(&f->mr->ib, IB_MR_REREG_TRANS, 0x1000,
							 0x1000, 0x1000, 0, &f->rt->pd)), -EBUSY);
	KUNIT_EXPECT_EQ(test, use(f, &qp_a, bind.rkey, IOVA + 100, 300, RW), 0);
	KUNIT_EXPECT_EQ(test, invalidate(f->rt, &qp_a, f->mr->grant.key, false), -EINVAL);
	teardown(test, f);
}

/**
 * struct stranger - one who binds to regions of another protection domain, in vain
 * @f: key space, and a window
 * @key: of the region of the moment
 */
struct stranger {
	struct fixture *f;
	u32 key;
};

static int bind_in_vain(void *arg)
{
	struct stranger *s = arg;
	struct soro_bind bind = bind_of(s->f, 1);

	while (!kthread_should_stop()) {
		bind.mr_lkey = READ_ONCE(s->key);
		local_bh_disable();
		soro_mw_bind(&s->f->rt->keys, &s->f->rt->other_pd, &qp_b, &bind);
		local_bh_enable();
		cond_resched();
	}
	return 0;
}

#define THREADS_MAX	7

/* One on each other processor. Return: how many there are. */
static int start_threads(struct kunit *test, int (*run)(void *arg), void *arg,
			 struct task_struct **tasks)
{
	int i, n = min_t(int, THREADS_MAX, num_online_cpus() - 1);

	for (i = 0; i < n; i++) {
		tasks[i] = kthread_run(run, arg, "soro_mw_test");
		KUNIT_EXPECT_FALSE(test, IS_ERR(tasks[i]));
		if (IS_ERR(tasks[i]))
			break;
	}
	return i;
}

static void stop_threads(struct task_struct **tasks, int n)
{
	while (n--)
		kthread_stop(tasks[n]);
}

/* Anybody may name any key: what is refused does not keep a region for a moment. */
static void stranger_holds_nothing(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct stranger s = { .f = f };
	struct task_struct *tasks[THREADS_MAX];
	int n = start_threads(test, bind_in_vain, &s, tasks);
	int i, err = 0;

	for (i = 0; i < 2000 && !err; i++) {
		struct ib_mr *ib_mr = soro_mr_get_dma(&f->rt->keys, &f->rt->pd,
						      IB_ACCESS_LOCAL_WRITE);

		KUNIT_EXPECT_FALSE(test, IS_ERR(ib_mr));
		if (IS_ERR(ib_mr))
			break;
		WRITE_ONCE(s.key, soro_mr_from_ib(ib_mr)->grant.key);
		usleep_range(20, 40);
		err = soro_mr_dereg(ib_mr);
		while (err && soro_mr_dereg(ib_mr))
			cond_resched();
	}
	stop_threads(tasks, n);
	KUNIT_EXPECT_EQ_MSG(test, err, 0, "region %d", i);
	teardown(test, f);
}

/**
 * struct reader - one who uses a window without a pause
 * @f: key space and window
 * @key: of the window
 * @until: jiffies; then no more
 */
struct reader {
	struct fixture *f;
	u32 key;
	unsigned long until;
};

#define READ_SECONDS	10
#define READ_USEC	50

static int read_on(void *arg)
{
	const struct reader *r = arg;
	struct soro_grant *grant;

	while (!kthread_should_stop()) {
		cond_resched();
		if (time_after(jiffies, r->until))
			continue;
		local_bh_disable();
		grant = soro_grant_get(&r->f->rt->keys, &r->f->rt->pd, &qp_a, r->key, IOVA + 100,
				       1, IB_ACCESS_REMOTE_READ);
		udelay(READ_USEC);
		if (!IS_ERR(grant))
			soro_grant_put(grant);
		local_bh_enable();
	}
	return 0;
}

/* However many use a window, it can be bound anew. (With two processors they hardly overlap.) */
static void readers_let_a_writer_in(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct soro_bind bind = bind_of(f, 1);
	struct reader reader = { .f = f, .key = bind.rkey };
	struct task_struct *tasks[THREADS_MAX];
	u64 start, longest = 0;
	int i, n;

	KUNIT_ASSERT_EQ(test, do_bind(f, &qp_a, &bind), 0);
	bind.mw_rkey = bind.rkey;
	reader.until = jiffies + READ_SECONDS * HZ;
	n = start_threads(test, read_on, &reader, tasks);
	for (i = 0; i < 20; i++) {
		msleep(20);
		start = ktime_get_ns();
		KUNIT_EXPECT_EQ(test, do_bind(f, &qp_a, &bind), 0);
		longest = max(longest, ktime_get_ns() - start);
	}
	stop_threads(tasks, n);
	KUNIT_EXPECT_LT(test, longest, (u64)NSEC_PER_SEC);
	teardown(test, f);
}

/* ---- fast registration ---- */

static int fast_register(struct region_test *rt, u32 key, int access)
{
	int err;

	local_bh_disable();
	err = soro_fast_register(&rt->keys, &rt->pd, key, access);
	local_bh_enable();
	return err;
}

#define PAGES	4
#define PAGE_BYTES	512U	/* not PAGE_SIZE */

static void map(struct kunit *test, struct ib_mr *ib_mr, u8 *memory, u32 bytes, u32 offset,
		int expect)
{
	struct scatterlist sg[PAGES + 1];
	unsigned int skip = offset;
	u32 i, n = DIV_ROUND_UP(bytes, PAGE_BYTES);

	sg_init_table(sg, n);
	for (i = 0; i < n; i++) {
		/* every other page, so that nothing is merged */
		sg_dma_address(&sg[i]) = (uintptr_t)memory + 2 * i * PAGE_BYTES;
		sg_dma_len(&sg[i]) = min(PAGE_BYTES, bytes - i * PAGE_BYTES);
	}
	ib_mr->page_size = PAGE_BYTES;
	KUNIT_EXPECT_EQ(test, soro_fast_map(ib_mr, sg, n, &skip), expect);
}

static void fast_states(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	u8 *memory = kunit_kzalloc(test, 16 * PAGE_BYTES, GFP_KERNEL);
	struct ib_mr *ib_mr = soro_fast_alloc(&rt->keys, &rt->pd, IB_MR_TYPE_MEM_REG, PAGES);
	struct soro_grant *grant;
	u32 key, got, i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ib_mr));
	memory = PTR_ALIGN(memory, PAGE_BYTES);
	key = ib_mr->lkey;
	KUNIT_EXPECT_EQ(test, fast_register(rt, key, RW), -EINVAL);	/* nothing mapped */
	map(test, ib_mr, memory, 3 * PAGE_BYTES + 7, 100, 4);
	KUNIT_EXPECT_EQ(test, ib_mr->length, 3ULL * PAGE_BYTES + 7 - 100);
	KUNIT_EXPECT_EQ(test, fast_register(rt, key, IB_ACCESS_MW_BIND), -EINVAL);
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, &qp_a, key, ib_mr->iova, 1, 0), -ENOENT);

	key = (key & ~0xffU) | ((key + 1) & 0xff);
	ib_mr->iova |= 5ULL << 60;	/* a name that differs from the address */
	KUNIT_ASSERT_EQ(test, fast_register(rt, key, RW), 0);
	KUNIT_EXPECT_EQ(test, fast_register(rt, key, RW), -EINVAL);	/* valid */
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, &qp_a, ib_mr->lkey, ib_mr->iova, 1, 0),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, &qp_a, key, ib_mr->iova,
					      ib_mr->length, RW), 0);
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, &qp_a, key, ib_mr->iova,
					      ib_mr->length + 1, RW), -ERANGE);
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, &qp_a, key, ib_mr->iova, 1,
					      IB_ACCESS_LOCAL_WRITE), -EACCES);
	grant = &soro_mr_from_ib(ib_mr)->grant;
	for (i = 0; i < ib_mr->length; i++) {
		u32 at = 100 + i;

		KUNIT_ASSERT_PTR_EQ(test, (u8 *)soro_grant_span(grant, ib_mr->iova + i, 1, &got),
				    memory + at / PAGE_BYTES * 2 * PAGE_BYTES + at % PAGE_BYTES);
	}

	/* The next list may be made while this one is valid. */
	map(test, ib_mr, memory + PAGE_BYTES, PAGE_BYTES, 0, 1);
	KUNIT_EXPECT_PTR_EQ(test, (u8 *)soro_grant_span(grant, grant->iova, 1, &got), memory + 100);
	KUNIT_EXPECT_EQ(test, invalidate(rt, &qp_b, key, true), 0);
	KUNIT_EXPECT_EQ(test, invalidate(rt, &qp_b, key, true), -EACCES);	/* not its to end */
	KUNIT_EXPECT_EQ(test, invalidate(rt, &qp_b, key, false), 0);	/* nobody knew */
	KUNIT_EXPECT_EQ(test, region_test_use(rt, &rt->pd, &qp_a, key, grant->iova, 1, RW),
			-ENOENT);
	KUNIT_ASSERT_EQ(test, fast_register(rt, key, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_PTR_EQ(test, (u8 *)soro_grant_span(grant, ib_mr->iova, 1, &got),
			    memory + PAGE_BYTES);
	/* Without a remote right it is none of the peer's. */
	KUNIT_EXPECT_EQ(test, invalidate(rt, &qp_b, key, true), -EACCES);
	KUNIT_EXPECT_EQ(test, soro_mr_dereg(ib_mr), 0);
	region_test_teardown(rt);
}

static void fast_limits(struct kunit *test)
{
	struct region_test *rt = region_test_setup(test);
	u8 *memory = kunit_kzalloc(test, 16 * PAGE_BYTES, GFP_KERNEL);
	struct ib_mr *ib_mr;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	memory = PTR_ALIGN(memory, PAGE_BYTES);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soro_fast_alloc(&rt->keys, &rt->pd, IB_MR_TYPE_SG_GAPS, 1)),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soro_fast_alloc(&rt->keys, &rt->pd, IB_MR_TYPE_MEM_REG, 0)),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soro_fast_alloc(&rt->keys, &rt->pd, IB_MR_TYPE_MEM_REG,
						      SORO_FAST_PAGES_MAX + 1)), -EINVAL);
	ib_mr = soro_fast_alloc(&rt->keys, &rt->pd, IB_MR_TYPE_MEM_REG, PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ib_mr));
	map(test, ib_mr, memory, (PAGES + 1) * PAGE_BYTES, 0, PAGES);
	KUNIT_EXPECT_EQ(test, ib_mr->length, (u64)PAGES * PAGE_BYTES);
	ib_mr->length++;	/* a consumer that lies */
	KUNIT_EXPECT_EQ(test, fast_register(rt, ib_mr->rkey, RW), -EINVAL);
	ib_mr->length = U64_MAX;
	KUNIT_EXPECT_EQ(test, fast_register(rt, ib_mr->rkey, RW), -EINVAL);
	ib_mr->length = 0;
	KUNIT_EXPECT_EQ(test, fast_register(rt, ib_mr->rkey, RW), -EINVAL);
	KUNIT_EXPECT_EQ(test, fast_register(rt, ib_mr->rkey + 0x100, RW), -ENOENT);
	KUNIT_EXPECT_EQ(test, soro_mr_dereg(ib_mr), 0);
	region_test_teardown(rt);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(type_1_of_its_pd),
	KUNIT_CASE(type_2_of_its_qp),
	KUNIT_CASE(window_is_a_part),
	KUNIT_CASE(bind_refuses),
	KUNIT_CASE(type_2_needs_a_range),
	KUNIT_CASE(unknown_type),
	KUNIT_CASE(bound_region_stays),
	KUNIT_CASE(stranger_holds_nothing),
	KUNIT_CASE(readers_let_a_writer_in),
	KUNIT_CASE(fast_states),
	KUNIT_CASE(fast_limits),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_mw",
	.test_cases = cases,
};

kunit_test_suites(&suite);

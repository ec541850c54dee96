// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues: what is granted, what is refused, and sizes that change.
 */
#include <errno.h>
#include <string.h>

#include "srq_fixture.h"
#include "tap.h"
#include "tests.h"

static bool refused(struct device *dev, uint32_t wr, uint32_t sge, const char *what)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = wr, .max_sge = sge } };
	struct ibv_srq *srq;

	errno = 0;
	srq = ibv_create_srq(dev->pd, &init);
	if (CHECK(!srq, "an SRQ with %s was created", what))
		return CHECK(errno == EINVAL, "%s: errno %d", what, errno);
	ibv_destroy_srq(srq);
	return false;
}

static void test_create(struct env *env, long arg)
{
	const struct ibv_device_attr *a = &env->dev[0].attr;
	struct device *dev = &env->dev[0];
	const uint32_t wr = a->max_srq_wr, sge = a->max_srq_sge;
	struct ibv_srq *srq;

	(void)arg;
	CHECK(a->max_srq > 0 && a->max_srq_wr > 0 && a->max_srq_sge > 0, "limits: %d, %d, %d",
	      a->max_srq, a->max_srq_wr, a->max_srq_sge);
	CHECK(a->device_cap_flags & IBV_DEVICE_SRQ_RESIZE, "no resize is promised");
	refused(dev, wr + 1, 1, "too many WRs");
	refused(dev, ~0u, 1, "2^32 - 1 WRs");
	refused(dev, 0, 1, "no WRs");
	refused(dev, 1, sge + 1, "too many SGEs");
	refused(dev, 1, ~0u, "2^32 - 1 SGEs");
	srq = srq_open(dev, 1, 0);
	if (srq) {
		srq_expect_attr(srq, 1, 0, "the smallest");
		srq_close(srq);
	}
	srq = srq_open(dev, wr, sge);
	if (srq) {
		srq_expect_attr(srq, wr, 0, "the largest");
		CHECK(srq_resize(srq, wr + 1) == EINVAL, "larger than the largest");
		srq_close(srq);
	}
}

/* XRC and tag matching do not exist: the kind of SRQ is refused. */
static void test_kinds(struct env *env, long arg)
{
	static const enum ibv_srq_type types[] = { IBV_SRQT_XRC, IBV_SRQT_TM };
	unsigned int i;

	(void)arg;
	for (i = 0; i < 2; i++) {
		struct ibv_srq_init_attr_ex init = {
			.attr = { .max_wr = 4, .max_sge = 1 },
			.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
			.srq_type = types[i],
			.pd = env->dev[0].pd,
		};
		struct ibv_srq *srq = ibv_create_srq_ex(env->dev[0].ctx, &init);

		if (!CHECK(!srq, "an SRQ of type %d was created", types[i]))
			ibv_destroy_srq(srq);
	}
}

static void test_modify(struct env *env, long arg)
{
	struct ibv_srq_attr attr = { .max_wr = 7, .srq_limit = 8 };
	struct ibv_srq *srq = srq_open(&env->dev[0], 7, 1);
	int err;

	(void)arg;
	if (!srq)
		return;
	srq_post_empty(srq, 0, 5);
	/* All or nothing. */
	CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) == EINVAL,
	      "a limit above the size");
	CHECK(srq_set_limit(srq, 8) == EINVAL, "a limit above the size");
	CHECK(srq_set_limit(srq, ~0u) == EINVAL, "a limit of 2^32 - 1");
	CHECK(srq_resize(srq, 0) == EINVAL, "no size");
	CHECK(srq_resize(srq, 4) == EINVAL, "smaller than what is posted");
	srq_expect_attr(srq, 7, 0, "after what was refused");
	CHECK(!srq_resize(srq, 5), "exactly what is posted");
	attr = (struct ibv_srq_attr) { .max_wr = 31, .srq_limit = 3 };
	err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT);
	CHECK(!err, "both at once: %s", strerror(err));
	srq_expect_attr(srq, 31, 3, "both at once");
	CHECK(srq_resize(srq, 2) == EINVAL, "a size below the limit");
	srq_expect_attr(srq, 31, 3, "at the end");
	srq_close(srq);
}

/* A full queue takes no more, and as many as were granted. */
static void test_full(struct env *env, long arg)
{
	struct ibv_srq *srq = srq_open(&env->dev[0], 7, 1);
	struct ibv_srq_attr attr;
	struct ibv_sge sge[2] = { };

	(void)arg;
	if (!srq)
		return;
	CHECK(!ibv_query_srq(srq, &attr), "ibv_query_srq");
	CHECK(srq_post(srq, 0, sge, 2), "more SGEs than granted");
	srq_post_empty(srq, 0, attr.max_wr);
	CHECK(srq_post(srq, 0, NULL, 0) == ENOMEM, "more WRs than granted");
	CHECK(!srq_resize(srq, 20), "resize");
	srq_post_empty(srq, 0, 20 - attr.max_wr);
	srq_close(srq);
}

/* What is posted stays, in its order, wherever in the ring it stands. */
static void test_resize(struct env *env, long arg)
{
	static const uint32_t sizes[] = { 40, 9, 100, 8, 8, 500, 12 };
	struct pair_opts opts = pair_defaults(env);
	uint64_t posted = 0, taken = 0;
	struct pair pair;
	unsigned int i;

	(void)arg;
	opts.srq = srq_open(&env->dev[1], 15, 2);
	if (!opts.srq)
		return;
	if (pair_open(&pair, env, &opts)) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !tap_failed(); i++) {
			srq_post_empty(opts.srq, posted, 8 - (posted - taken));
			posted = taken + 8;
			CHECK(!srq_resize(opts.srq, sizes[i]), "resize to %u", sizes[i]);
			srq_expect_attr(opts.srq, sizes[i], 0, "resized");
			while (posted - taken > i % 5)
				srq_send_one(&pair, taken++, "what was posted before");
		}
		pair_close(&pair);
	}
	srq_close(opts.srq);
}

/* Who uses it keeps it; and a QP with an SRQ has no receive queue. */
static void test_in_use(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct pair pair;

	(void)arg;
	opts.srq = srq_open(&env->dev[1], 7, 1);
	if (!opts.srq)
		return;
	/* Whatever a QP with an SRQ wants of receives is ignored (IBA 11.2.4.1). */
	opts.recv_wr = 16;
	if (pair_open(&pair, env, &opts)) {
		CHECK(ibv_post_recv(pair.end[1].qp, &wr, &bad), "post_recv to a QP with an SRQ");
		CHECK(!ibv_query_qp(pair.end[1].qp, &attr, IBV_QP_CAP, &init), "ibv_query_qp");
		CHECK(init.srq == opts.srq, "query_qp names another SRQ");
		CHECK(!attr.cap.max_recv_wr, "%u receives", attr.cap.max_recv_wr);
		CHECK(ibv_destroy_srq(opts.srq) == EBUSY, "an SRQ in use was destroyed");
		srq_post_empty(opts.srq, 5, 1);
		srq_send_one(&pair, 5, "still there");
		pair_close(&pair);
	}
	srq_close(opts.srq);
}

/* Many of them, each good for a message. */
static void test_many(struct env *env, long arg)
{
	const unsigned int count = env->quick ? 50 : 500;
	struct ibv_srq *srqs[500];
	unsigned int n = 0, i;

	(void)arg;
	while (n < count && (srqs[n] = srq_open(&env->dev[0], 3, 1)))
		n++;
	for (i = 0; i < n; i++)
		srq_post_empty(srqs[i], i, 3);
	while (n--)
		srq_close(srqs[n]);
}

const struct test srq_limit_tests[] = {
	{ "srq/create", test_create },
	{ "srq/kinds", test_kinds },
	{ "srq/modify", test_modify },
	{ "srq/full", test_full },
	{ "srq/resize", test_resize },
	{ "srq/in-use", test_in_use },
	{ "srq/many", test_many },
	{ }
};

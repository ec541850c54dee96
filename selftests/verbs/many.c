// SPDX-License-Identifier: GPL-2.0
/*
 * Many objects, and large ones: they can be made as the limits say, work beside each other,
 * and are all gone in the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

/* Time for the objects of one kind, of which there is a bounded number in any case. */
#define BUDGET_MSEC 60000

static bool in_time(uint64_t began, unsigned int done)
{
	if (now_msec() - began < BUDGET_MSEC)
		return true;
	tap_note("%u objects after %u s: no more", done, BUDGET_MSEC / 1000);
	return false;
}

/* A pair whose QPs are neither the first nor the last of many still works. */
static void test_qps(struct env *env, long count)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_cq *cq = ibv_create_cq(env->dev[0].ctx, 16, NULL, NULL, 0);
	struct ibv_qp **qps = calloc(count, sizeof(*qps));
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 },
	};
	struct pair pair = { 0 };
	uint64_t began = now_msec();
	unsigned int n;

	if (!CHECK(qps && cq, "ibv_create_cq: %s", strerror(errno)))
		return;
	for (n = 0; n < count && in_time(began, n); n++) {
		if (n == count / 2 && !pair_open(&pair, env, &opts))
			break;
		qps[n] = ibv_create_qp(env->dev[0].pd, &attr);
		if (!CHECK(qps[n], "QP %u: %s", n, strerror(errno)))
			break;
	}
	tap_note("%u QPs in %llu ms", n, (unsigned long long)(now_msec() - began));
	if (pair.end[0].qp) {
		end_follow(&pair.end[0], "among many");
		end_follow(&pair.end[1], "among many");
		pair_close(&pair);
	}
	while (n--)
		CHECK(!ibv_destroy_qp(qps[n]), "ibv_destroy_qp");
	CHECK(!ibv_destroy_cq(cq), "ibv_destroy_cq");
	free(qps);
}

/* The keys of some of many regions are good for the memory that they name. */
static void use_keys(struct env *env, struct ibv_mr **mrs, unsigned int n)
{
	const unsigned int pick[] = { 0, n / 2, n - 1 };
	struct pair_opts opts = pair_defaults(env);
	struct buf remote = { 0 };
	struct pair pair;
	unsigned int i;

	if (pair_open(&pair, env, &opts) &&
	    buf_open(&remote, env->dev[1].pd, 64, IBV_ACCESS_LOCAL_WRITE |
		     IBV_ACCESS_REMOTE_WRITE)) {
		for (i = 0; i < 3; i++) {
			struct ibv_mr *mr = mrs[pick[i]];
			struct ibv_sge sge = { (uintptr_t)mr->addr + i, 64, mr->lkey };
			struct ibv_send_wr wr = {
				.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge,
				.num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
				.wr.rdma = { (uintptr_t)remote.mem, remote.mr->rkey },
			};

			CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
			end_expect_status(&pair.end[0], false, i, IBV_WC_SUCCESS, "WRITE");
			CHECK(!memcmp(remote.mem, (uint8_t *)mr->addr + i, 64), "data");
		}
		memcpy(remote.image, remote.map, remote.map_len);
	}
	pair_close(&pair);
	buf_close(&remote);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void check_keys_differ(struct ibv_mr **mrs, unsigned int n)
{
	uint32_t *keys = calloc(n, sizeof(*keys));
	unsigned int i;

	if (!CHECK(keys, "no memory"))
		return;
	for (i = 0; i < n; i++)
		keys[i] = mrs[i]->lkey;
	qsort(keys, n, sizeof(*keys), by_value);
	for (i = 1; i < n; i++) {
		if (!CHECK(keys[i] != keys[i - 1], "two regions have key 0x%x", keys[i]))
			break;
	}
	free(keys);
}

static void test_mrs(struct env *env, long count)
{
	struct ibv_mr **mrs = calloc(count, sizeof(*mrs));
	uint64_t began = now_msec();
	unsigned int n, i;
	uint8_t *page;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!CHECK(mrs && page != MAP_FAILED, "no memory"))
		return;
	for (i = 0; i < 4096; i++)
		page[i] = i * 7 + i / 256;
	for (n = 0; n < count && in_time(began, n); n++) {
		mrs[n] = ibv_reg_mr(env->dev[0].pd, page, 4096, 0);
		if (!CHECK(mrs[n], "MR %u: %s", n, strerror(errno)))
			break;
	}
	tap_note("%u MRs in %llu ms", n, (unsigned long long)(now_msec() - began));
	if (n > 2) {
		check_keys_differ(mrs, n);
		use_keys(env, mrs, n);
	}
	while (n--)
		CHECK(!ibv_dereg_mr(mrs[n]), "ibv_dereg_mr");
	munmap(page, 4096);
	free(mrs);
}

/* A CQ of the largest size that query_device names, and many small ones. */
static void test_cqs(struct env *env, long count)
{
	struct ibv_cq **cqs = calloc(count, sizeof(*cqs)), *cq;
	int max = env->dev[0].attr.max_cqe;
	uint64_t began = now_msec();
	unsigned int n;

	cq = ibv_create_cq(env->dev[0].ctx, max, NULL, NULL, 0);
	if (CHECK(cq, "a CQ of %d entries: %s", max, strerror(errno))) {
		CHECK(cq->cqe == max, "%d entries, not %d", cq->cqe, max);
		CHECK(ibv_resize_cq(cq, max + 1) == EINVAL, "resized beyond the limit");
		CHECK(!ibv_resize_cq(cq, max), "resize to the limit");
		CHECK(!ibv_destroy_cq(cq), "ibv_destroy_cq");
	}
	errno = 0;
	cq = ibv_create_cq(env->dev[0].ctx, max + 1, NULL, NULL, 0);
	CHECK(!cq && errno == EINVAL, "a CQ of %d entries: errno %d", max + 1, errno);
	if (!CHECK(cqs, "no memory"))
		return;
	for (n = 0; n < count && in_time(began, n); n++) {
		cqs[n] = ibv_create_cq(env->dev[0].ctx, 1, NULL, NULL, 0);
		if (!CHECK(cqs[n], "CQ %u: %s", n, strerror(errno)))
			break;
	}
	tap_note("%u CQs in %llu ms", n, (unsigned long long)(now_msec() - began));
	while (n--)
		CHECK(!ibv_destroy_cq(cqs[n]), "ibv_destroy_cq");
	free(cqs);
}

/* QPs as large as query_device allows, one limit at a time. */
static void test_large_qps(struct env *env, long arg)
{
	const struct ibv_device_attr *a = &env->dev[0].attr;
	const uint32_t wr = a->max_qp_wr, sge = a->max_sge;
	const struct ibv_qp_cap caps[] = {
		{ wr, 1, 1, 1, 0 }, { 1, wr, 1, 1, 0 }, { 1, 1, sge, 1, 0 }, { 1, 1, 1, sge, 0 },
		{ wr, wr, 1, 1, 0 }, { 64, 64, sge, sge, 0 },
	};
	struct ibv_cq *cq = ibv_create_cq(env->dev[0].ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp;
	unsigned int i;

	(void)arg;
	if (!CHECK(cq, "ibv_create_cq: %s", strerror(errno)))
		return;
	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		struct ibv_qp_init_attr attr = {
			.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = caps[i],
		};

		qp = ibv_create_qp(env->dev[0].pd, &attr);
		if (!CHECK(qp, "QP %u: %s", i, strerror(errno)))
			continue;
		CHECK(attr.cap.max_send_wr >= caps[i].max_send_wr &&
		      attr.cap.max_recv_wr >= caps[i].max_recv_wr &&
		      attr.cap.max_send_sge >= caps[i].max_send_sge &&
		      attr.cap.max_recv_sge >= caps[i].max_recv_sge, "QP %u: less granted", i);
		CHECK(!ibv_destroy_qp(qp), "ibv_destroy_qp");
	}
	CHECK(!ibv_destroy_cq(cq), "ibv_destroy_cq");
}

const struct test many_tests[] = {
	{ "many/large-qps", test_large_qps, 0, 0 },
	{ "many/qps-100", test_qps, 100, 0 },
	{ "many/mrs-1000", test_mrs, 1000, 0 },
	{ "many/cqs-100", test_cqs, 100, 0 },
	{ "many/qps-1000", test_qps, 1000, 300, TEST_LONG },
	{ "many/mrs-100000", test_mrs, 100000, 300, TEST_LONG },
	{ "many/cqs-2000", test_cqs, 2000, 300, TEST_LONG },
	{ }
};

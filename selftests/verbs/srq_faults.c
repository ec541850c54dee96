// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues with receives that are wrong, or whose ring was broken by its owner.
 */
#include <errno.h>
#include <rdma/rdma_user_rxe.h>
#include <stdio.h>
#include <string.h>

#include "srq_fixture.h"
#include "tap.h"
#include "tests.h"

/* ---- receives that are wrong ---- */

/**
 * struct fault - a receive in the queue, and what comes of it
 * @name: for messages
 * @lkey: added to the key
 * @bytes: of the receive
 * @local: @remote: status of the receive and of the send
 */
static const struct fault {
	const char *name;
	uint32_t lkey;
	unsigned int bytes;
	enum ibv_wc_status local, remote;
} faults[] = {
	{ "a key of nothing", 0x100, 64, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR },
	{ "too short", 0, 63, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR },
};

static void run_fault(struct env *env, const struct fault *fault)
{
	struct pair_opts opts = pair_defaults(env);
	struct srq_pair shared;
	struct pair other;
	struct bufs bufs;

	if (!srq_pair_open(&shared, env, &opts))
		return;
	if (bufs_open(&bufs, env, 64) && pair_open(&other, env, &opts)) {
		struct ibv_sge to = {
			(uintptr_t)bufs.rx[1].mem, fault->bytes, bufs.rx[1].mr->lkey + fault->lkey,
		};
		struct ibv_sge from = { (uintptr_t)bufs.tx[0].mem, 64, bufs.tx[0].mr->lkey };
		struct end *end = &shared.pair.end[1];

		CHECK(!srq_post(shared.srq, 30, &to, 1), "post_srq_recv");
		srq_post_empty(shared.srq, 31, 2);
		srq_post_send(&shared.pair.end[0], &from);
		if (!env->lossy)
			end_expect_status(&shared.pair.end[0], false, 1, fault->remote,
					  fault->name);
		end_expect_status(end, true, 30, fault->local, fault->name);
		CHECK(srq_last_wqe_event(end, env->wait_msec), "%s: no event", fault->name);
		end_wait_state(end, IBV_QPS_ERR, fault->name);
		/* It is the fault of one receive and of the QP that took it. */
		srq_send_one(&other, 31, fault->name);
		pair_close(&other);
	}
	bufs_close(&bufs);
	srq_pair_close(&shared);
}

static void test_faults(struct env *env, long arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]) && !tap_failed(); i++)
		run_fault(env, &faults[i]);
}

/* IBA 10.2.9: memory of receives has to be of the PD of the queue, whatever that of the QP. */
static void test_pd(struct env *env, long arg)
{
	struct ibv_pd *pd = ibv_alloc_pd(env->dev[1].ctx);
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct pair_opts opts = pair_defaults(env);
	struct buf own, foreign;
	struct pair pair;

	(void)arg;
	if (!CHECK(pd, "ibv_alloc_pd"))
		return;
	opts.srq = ibv_create_srq(pd, &init);
	if (!CHECK(opts.srq, "ibv_create_srq: %s", strerror(errno)))
		goto out_pd;
	if (buf_open(&own, pd, 64, IBV_ACCESS_LOCAL_WRITE) &&
	    buf_open(&foreign, env->dev[1].pd, 64, IBV_ACCESS_LOCAL_WRITE) &&
	    pair_open(&pair, env, &opts)) {
		struct ibv_sge sge[] = {
			{ (uintptr_t)own.mem, 64, own.mr->lkey },
			{ (uintptr_t)foreign.mem, 64, foreign.mr->lkey },
		};
		uint64_t text = 0;
		struct ibv_send_wr wr = {
			.wr_id = 1, .opcode = IBV_WR_SEND, .num_sge = 1,
			.send_flags = IBV_SEND_SIGNALED,
		};
		struct buf from;

		if (buf_open(&from, env->dev[0].pd, 8, 0)) {
			struct ibv_sge data = { (uintptr_t)from.mem, 8, from.mr->lkey };

			wr.sg_list = &data;
			memcpy(&text, from.mem, 8);
			CHECK(!srq_post(opts.srq, 40, &sge[0], 1) &&
			      !srq_post(opts.srq, 41, &sge[1], 1), "post_srq_recv");
			CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
			end_expect_status(&pair.end[0], false, 1, IBV_WC_SUCCESS, "send");
			end_expect_status(&pair.end[1], true, 40, IBV_WC_SUCCESS, "PD of the SRQ");
			CHECK(!memcmp(&text, own.mem, 8), "data");
			CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
			end_expect_status(&pair.end[1], true, 41, IBV_WC_LOC_PROT_ERR,
					  "PD of the QP");
			buf_check(&foreign, "memory of another PD");
			buf_close(&from);
		}
		pair_close(&pair);
		buf_close(&foreign);
		buf_close(&own);
	}
	srq_close(opts.srq);
out_pd:
	CHECK(!ibv_dealloc_pd(pd), "ibv_dealloc_pd");
}

/* ---- a ring that its owner has broken ---- */

#define RINGS_MAX 256

static unsigned int find_rings(struct rxe_queue_buf **rings)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	unsigned int n = 0;
	char line[512];

	while (maps && n < RINGS_MAX && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "uverbs") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			rings[n++] = (struct rxe_queue_buf *)from;
	}
	if (maps)
		fclose(maps);
	return n;
}

/* The ring of an SRQ that is created here: the one that was not there before. */
static struct rxe_queue_buf *open_with_ring(struct device *dev, struct ibv_srq **srq)
{
	struct rxe_queue_buf *before[RINGS_MAX], *after[RINGS_MAX];
	unsigned int n = find_rings(before), m, i, j;

	*srq = srq_open(dev, 15, 1);
	m = find_rings(after);
	for (i = 0; *srq && i < m; i++) {
		for (j = 0; j < n && before[j] != after[i]; j++)
			;
		if (j == n)
			return after[i];
	}
	CHECK(false, "no ring");
	return NULL;
}

static void test_broken(struct env *env, long index)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_srq_attr attr = { .srq_limit = 1 };
	struct srq_pair good;
	struct rxe_queue_buf *ring;
	struct pair pair;
	struct end *end = &pair.end[1];

	if (!srq_pair_open(&good, env, &opts))
		return;
	ring = open_with_ring(&env->dev[1], &opts.srq);
	if (ring && pair_open(&pair, env, &opts)) {
		srq_post_empty(opts.srq, 50, 2);
		srq_send_one(&pair, 50, "before");
		__atomic_store_n(&ring->producer_index, (uint32_t)index, __ATOMIC_RELEASE);
		srq_post_send(&pair.end[0], NULL);
		if (!env->lossy)
			end_expect_status(&pair.end[0], false, 1, IBV_WC_REM_OP_ERR, "broken");
		CHECK(srq_event(end->dev, opts.srq, IBV_EVENT_SRQ_ERR, env->wait_msec),
		      "no event of a broken queue");
		end_wait_state(end, IBV_QPS_ERR, "a QP of a broken queue");
		end_expect_none(end, "broken");
		CHECK(ibv_modify_srq(opts.srq, &attr, IBV_SRQ_LIMIT) == EINVAL,
		      "a limit of a broken queue");
		CHECK(srq_resize(opts.srq, 40) == EINVAL, "a new size of a broken queue");
		/* The others do not notice. */
		srq_post_empty(good.srq, 60, 1);
		srq_send_one(&good.pair, 60, "another queue");
		pair_close(&pair);
	}
	srq_close(opts.srq);
	srq_pair_close(&good);
}

/* Any other index is one that could have been: the ring holds at most what was granted. */
static void test_full_of_nothing(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct rxe_queue_buf *ring = open_with_ring(&env->dev[1], &opts.srq);
	struct pair pair;
	int i;

	(void)arg;
	if (ring && pair_open(&pair, env, &opts)) {
		/* Slots of zeros are receives without memory. */
		__atomic_store_n(&ring->producer_index, 15, __ATOMIC_RELEASE);
		for (i = 0; i < 15; i++)
			srq_send_one(&pair, 0, "a slot of zeros");
		CHECK(ring->consumer_index == 15, "the consumer index is %u", ring->consumer_index);
		pair_close(&pair);
	}
	srq_close(opts.srq);
}

const struct test srq_fault_tests[] = {
	{ "srq/faults", test_faults },
	{ "srq/pd", test_pd },
	{ "srq/broken-16", test_broken, 16 },
	{ "srq/broken-all-ones", test_broken, 0xffffffff },
	{ "srq/full-of-nothing", test_full_of_nothing },
	{ }
};

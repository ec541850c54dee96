// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues that run empty, reach their limit, serve QPs that fail, hold receives
 * that are wrong, or are broken by their owner.
 */
#include <errno.h>
#include <rdma/rdma_user_rxe.h>
#include <stdio.h>
#include <string.h>

#include "srq_fixture.h"
#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

/* Long enough for an event that should not come to come. */
#define QUIET_MSEC	100
#define LONG_BYTES	(4 * 1024 * 1024)

/* A queue and a pair whose end 1 takes from it. */
struct shared {
	struct ibv_srq *srq;
	struct pair pair;
};

static bool shared_open(struct shared *shared, struct env *env, struct pair_opts *opts)
{
	memset(shared, 0, sizeof(*shared));
	device_drain_events(&env->dev[1]);
	shared->srq = srq_open(&env->dev[1], 15, 4);
	opts->srq = shared->srq;
	if (shared->srq && pair_open(&shared->pair, env, opts))
		return true;
	srq_close(shared->srq);
	return false;
}

static void shared_close(struct shared *shared)
{
	pair_close(&shared->pair);
	srq_close(shared->srq);
}

static bool post_send(struct end *end, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .sg_list = sge, .num_sge = !!sge,
		.send_flags = IBV_SEND_SIGNALED,
	};

	return CHECK(!end_post_send(end, &wr), "post_send");
}

/* ---- empty ---- */

static void test_empty(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct shared shared;

	(void)arg;
	opts.rnr_retry = 1;
	if (!shared_open(&shared, env, &opts))
		return;
	/* RC is told to wait, as long as it has agreed to. */
	if (post_send(&shared.pair.end[0], NULL) && !env->lossy)
		end_expect_status(&shared.pair.end[0], false, 1, IBV_WC_RNR_RETRY_EXC_ERR,
				  "the queue is empty");
	end_expect_none(&shared.pair.end[1], "the queue is empty");
	shared_close(&shared);
}

static void test_filled_in_time(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct shared shared;

	(void)arg;
	if (!shared_open(&shared, env, &opts))
		return;
	if (post_send(&shared.pair.end[0], NULL)) {
		sleep_msec(QUIET_MSEC);
		end_expect_none(&shared.pair.end[0], "the queue is empty");
		srq_post_empty(shared.srq, 70, 1);
		end_expect_status(&shared.pair.end[0], false, 1, IBV_WC_SUCCESS, "send");
		end_expect_status(&shared.pair.end[1], true, 70, IBV_WC_SUCCESS, "receive");
	}
	shared_close(&shared);
}

/* Nobody waits in UC and UD: what finds no receive is lost, and the next one finds it. */
static void test_empty_unreliable(struct env *env, long is_ud)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair *pair;
	struct buf area;
	struct ibv_sge sge;
	struct ud ud;
	struct pair uc;

	if (env->lossy) {
		tap_skip("messages may be lost here");
		return;
	}
	opts.uc = !is_ud;
	opts.srq = srq_open(&env->dev[1], 15, 4);
	if (!opts.srq)
		return;
	if (!buf_open(&area, env->dev[1].pd, 100, IBV_ACCESS_LOCAL_WRITE))
		goto out_srq;
	sge = (struct ibv_sge) { (uintptr_t)area.mem, area.len, area.mr->lkey };
	if (!(is_ud ? ud_open(&ud, env, &opts) : pair_open(&uc, env, &opts)))
		goto out_buf;
	pair = is_ud ? &ud.pair : &uc;
	for (int i = 0; i < 2 && !tap_failed(); i++) {
		struct ibv_send_wr wr = {
			.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		};

		if (is_ud)
			wr = ud_wr(&ud, 0, 1);
		CHECK(!i || !srq_post(opts.srq, 71, &sge, 1), "post_srq_recv");
		CHECK(!end_post_send(&pair->end[0], &wr), "post_send");
		end_expect_status(&pair->end[0], false, 1, IBV_WC_SUCCESS, "send");
		sleep_msec(QUIET_MSEC);
	}
	end_expect_status(&pair->end[1], true, 71, IBV_WC_SUCCESS, "receive");
	end_expect_none(&pair->end[1], "the message that found none");
	if (is_ud)
		ud_close(&ud);
	else
		pair_close(&uc);
out_buf:
	buf_close(&area);
out_srq:
	srq_close(opts.srq);
}

/* ---- limit ---- */

static bool limit_event(struct shared *shared, unsigned int msec)
{
	return srq_event(shared->pair.end[1].dev, shared->srq, IBV_EVENT_SRQ_LIMIT_REACHED, msec);
}

static void test_limit(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct shared shared;
	int i;

	(void)arg;
	if (!shared_open(&shared, env, &opts))
		return;
	srq_post_empty(shared.srq, 0, 10);
	CHECK(!srq_set_limit(shared.srq, 7), "arm");
	srq_expect_attr(shared.srq, 15, 7, "armed");
	for (i = 0; i < 3; i++)
		srq_send_one(&shared.pair, i, "down to the limit");
	CHECK(!limit_event(&shared, QUIET_MSEC), "an event with as many receives as the limit");
	srq_expect_attr(shared.srq, 15, 7, "at the limit");
	srq_send_one(&shared.pair, 3, "below the limit");
	CHECK(limit_event(&shared, env->wait_msec), "no event below the limit");
	srq_expect_attr(shared.srq, 15, 0, "after the event");

	/* Once each time that it is set. */
	for (i = 4; i < 7; i++)
		srq_send_one(&shared.pair, i, "not armed");
	srq_post_empty(shared.srq, 10, 3);
	srq_send_one(&shared.pair, 7, "not armed");
	CHECK(!limit_event(&shared, QUIET_MSEC), "a second event");
	CHECK(!srq_set_limit(shared.srq, 5), "arm again");
	srq_send_one(&shared.pair, 8, "armed again");
	CHECK(limit_event(&shared, env->wait_msec), "no event after it was armed again");

	/* Armed too late: there are four. */
	CHECK(!srq_set_limit(shared.srq, 5), "arm late");
	CHECK(limit_event(&shared, env->wait_msec), "no event of a limit that is not kept already");
	srq_expect_attr(shared.srq, 15, 0, "armed late");

	/* Taken back. */
	CHECK(!srq_set_limit(shared.srq, 4), "arm");
	CHECK(!srq_set_limit(shared.srq, 0), "disarm");
	srq_send_one(&shared.pair, 9, "disarmed");
	CHECK(!limit_event(&shared, QUIET_MSEC), "an event of a limit that was taken back");
	shared_close(&shared);
}

/* ---- QPs that fail ---- */

static bool last_wqe_event(struct end *end, unsigned int msec)
{
	return device_event(end->dev, end->qp, IBV_EVENT_QP_LAST_WQE_REACHED, msec);
}

/* What is in the queue belongs to all: a QP in error takes nothing of it and says so. */
static void test_last_wqe(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct shared shared;
	struct pair other;
	struct end *end;

	(void)arg;
	if (!shared_open(&shared, env, &opts))
		return;
	end = &shared.pair.end[1];
	if (pair_open(&other, env, &opts)) {
		srq_post_empty(shared.srq, 0, 4);
		srq_send_one(&shared.pair, 0, "before the error");
		CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
		CHECK(last_wqe_event(end, env->wait_msec), "no event that the last WQE was reached");
		CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR again");
		CHECK(!last_wqe_event(end, QUIET_MSEC), "a second event");
		end_expect_none(end, "in error");
		srq_send_one(&other, 1, "another QP");

		/* RESET leaves the queue alone, and the QP is good again. */
		CHECK(!end_to_state(end, IBV_QPS_RESET) &&
		      !end_to_state(&shared.pair.end[0], IBV_QPS_RESET), "to RESET");
		if (pair_connect(&shared.pair))
			srq_send_one(&shared.pair, 2, "after RESET");
		CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
		CHECK(last_wqe_event(end, env->wait_msec), "no event in the second life");
		pair_close(&other);
	}
	shared_close(&shared);
}

/* A receive that a message has taken is flushed to the CQ of the QP that took it. */
static void test_in_hand(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct shared shared;
	struct pair other;
	struct bufs bufs;

	(void)arg;
	if (!shared_open(&shared, env, &opts))
		return;
	if (!bufs_open(&bufs, env, LONG_BYTES))
		goto out_shared;
	if (pair_open(&other, env, &opts)) {
		struct end *end = &shared.pair.end[1];
		struct ibv_sge to = {
			(uintptr_t)bufs.rx[1].mem, LONG_BYTES, bufs.rx[1].mr->lkey,
		};
		struct ibv_sge from = {
			(uintptr_t)bufs.tx[0].mem, LONG_BYTES, bufs.tx[0].mr->lkey,
		};

		CHECK(!srq_post(shared.srq, 20, &to, 1), "post_srq_recv");
		srq_post_empty(shared.srq, 21, 1);
		/* Stopped long before its end: no window is as long. */
		post_send(&shared.pair.end[0], &from);
		sleep_msec(env->lossy ? 500 : 1);
		CHECK(!end_to_state(&shared.pair.end[0], IBV_QPS_ERR), "sender to ERR");
		sleep_msec(20);
		CHECK(!end_to_state(end, IBV_QPS_ERR), "receiver to ERR");
		end_expect_status(end, true, 20, IBV_WC_WR_FLUSH_ERR, "the receive in hand");
		CHECK(last_wqe_event(end, env->wait_msec), "no event that the last WQE was reached");
		end_expect_none(end, "after the flush");
		srq_send_one(&other, 21, "another QP");
		pair_close(&other);
	}
	/* What of the message arrived is left open. */
	memcpy(bufs.rx[1].image, bufs.rx[1].map, bufs.rx[1].map_len);
	bufs_close(&bufs);
out_shared:
	shared_close(&shared);
}

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
	struct shared shared;
	struct pair other;
	struct bufs bufs;

	if (!shared_open(&shared, env, &opts))
		return;
	if (bufs_open(&bufs, env, 64) && pair_open(&other, env, &opts)) {
		struct ibv_sge to = {
			(uintptr_t)bufs.rx[1].mem, fault->bytes, bufs.rx[1].mr->lkey + fault->lkey,
		};
		struct ibv_sge from = { (uintptr_t)bufs.tx[0].mem, 64, bufs.tx[0].mr->lkey };
		struct end *end = &shared.pair.end[1];

		CHECK(!srq_post(shared.srq, 30, &to, 1), "post_srq_recv");
		srq_post_empty(shared.srq, 31, 2);
		post_send(&shared.pair.end[0], &from);
		if (!env->lossy)
			end_expect_status(&shared.pair.end[0], false, 1, fault->remote,
					  fault->name);
		end_expect_status(end, true, 30, fault->local, fault->name);
		CHECK(last_wqe_event(end, env->wait_msec), "%s: no event", fault->name);
		end_wait_state(end, IBV_QPS_ERR, fault->name);
		/* It is the fault of one receive and of the QP that took it. */
		srq_send_one(&other, 31, fault->name);
		pair_close(&other);
	}
	bufs_close(&bufs);
	shared_close(&shared);
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
			end_expect_status(&pair.end[1], true, 40, IBV_WC_SUCCESS, "PD of the queue");
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
	struct shared good;
	struct rxe_queue_buf *ring;
	struct pair pair;
	struct end *end = &pair.end[1];

	if (!shared_open(&good, env, &opts))
		return;
	ring = open_with_ring(&env->dev[1], &opts.srq);
	if (ring && pair_open(&pair, env, &opts)) {
		srq_post_empty(opts.srq, 50, 2);
		srq_send_one(&pair, 50, "before");
		__atomic_store_n(&ring->producer_index, (uint32_t)index, __ATOMIC_RELEASE);
		post_send(&pair.end[0], NULL);
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
	shared_close(&good);
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

const struct test srq_state_tests[] = {
	{ "srq/empty", test_empty },
	{ "srq/filled-in-time", test_filled_in_time },
	{ "srq/empty-uc", test_empty_unreliable, false },
	{ "srq/empty-ud", test_empty_unreliable, true },
	{ "srq/limit", test_limit },
	{ "srq/last-wqe", test_last_wqe },
	{ "srq/in-hand", test_in_hand },
	{ "srq/faults", test_faults },
	{ "srq/pd", test_pd },
	{ "srq/broken-16", test_broken, 16 },
	{ "srq/broken-all-ones", test_broken, 0xffffffff },
	{ "srq/full-of-nothing", test_full_of_nothing },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * CQs that overflow (IBA 11.6.3.2): one event of the CQ, QPs that can no longer report
 * completions go into error and say so, nothing that waits is overwritten.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

/* Words of a ring that librxe shares with the kernel. */
#define MASK_WORD 1
#define CONSUMER_WORD 64

static void fill_receives(struct end *end, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		CHECK(!end_post_recv(end, 100 + i, NULL, 0), "post_recv");
}

/* Messages until the receiver's CQ is full, and one more; that of the last may not complete. */
static void overflow_receives(struct pair *pair, unsigned int room)
{
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	unsigned int i;

	fill_receives(&pair->end[1], room + 3);
	for (i = 0; i < room && !tap_failed(); i++) {
		CHECK(!end_post_send(&pair->end[0], &wr), "post_send");
		end_expect_status(&pair->end[0], false, 1, IBV_WC_SUCCESS, "send");
	}
	wr.send_flags = 0;
	CHECK(!end_post_send(&pair->end[0], &wr), "post_send");
}

/* What fitted is there, unchanged, and nothing else. */
static void expect_full(struct end *end, unsigned int room)
{
	unsigned int i;

	for (i = 0; i < room && !tap_failed(); i++)
		end_expect_status(end, true, 100 + i, IBV_WC_SUCCESS, "receive that fitted");
	end_expect_none(end, "beyond what fitted");
}

static bool open_small(struct pair *pair, struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	return pair_open(pair, env, &opts) &&
	       CHECK(!ibv_resize_cq(pair->end[1].rcq, 7), "resize to 7") &&
	       CHECK(pair->end[1].rcq->cqe == 7, "%d entries", pair->end[1].rcq->cqe);
}

static void test_receive(struct env *env, long arg)
{
	struct pair pair;
	struct end *to = &pair.end[1];
	struct async_want want[2] = {
		{ NULL, ASYNC(IBV_EVENT_CQ_ERR) }, { NULL, ASYNC(IBV_EVENT_QP_FATAL) },
	};

	(void)arg;
	if (!open_small(&pair, env))
		return;
	want[0].object = to->rcq;
	want[1].object = to->qp;
	overflow_receives(&pair, 7);
	async_expect(to->dev, want, 2, env->wait_msec, "overflow");
	end_wait_state(to, IBV_QPS_ERR, "receiver");
	expect_full(to, 7);

	/* Room does not mend it: the next connection ends in the same way, without CQ_ERR. */
	CHECK(!end_to_state(to, IBV_QPS_RESET), "to RESET");
	CHECK(!end_to_state(&pair.end[0], IBV_QPS_RESET), "to RESET");
	if (pair_connect(&pair)) {
		want[0].types = 0;
		fill_receives(to, 1);
		CHECK(!end_post_send(&pair.end[0], &(struct ibv_send_wr) {
			.opcode = IBV_WR_SEND }), "post_send");
		async_expect(to->dev, want, 2, env->wait_msec, "second connection");
		end_wait_state(to, IBV_QPS_ERR, "receiver");
		CHECK(!ibv_poll_cq(to->rcq, 1, &(struct ibv_wc) { 0 }), "a completion");
	}
	pair_close(&pair);
}

static void test_send(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
	};
	struct pair pair;
	struct end *end = &pair.end[0];
	struct async_want want[2] = {
		{ NULL, ASYNC(IBV_EVENT_CQ_ERR) }, { NULL, ASYNC(IBV_EVENT_QP_FATAL) },
	};
	int i;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	want[0].object = end->scq;
	want[1].object = end->qp;
	if (CHECK(!ibv_resize_cq(end->scq, 3), "resize to 3")) {
		for (i = 0; i < 12; i++) {
			wr.wr_id = i;
			CHECK(!end_post_send(end, &wr), "post_send");
		}
		async_expect(end->dev, want, 2, env->wait_msec, "overflow");
		end_wait_state(end, IBV_QPS_ERR, "sender");
		for (i = 0; i < end->scq->cqe; i++)
			end_expect_status(end, false, i, IBV_WC_SUCCESS, "send that fitted");
		end_expect_none(end, "beyond what fitted");
		CHECK(end_state(&pair.end[1]) == IBV_QPS_RTS, "the peer left RTS");
	}
	pair_close(&pair);
}

/* A QP that has nothing to report does not notice before it has. */
static void test_two(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair, other;
	struct end *to = &pair.end[1];
	struct async_want want[3] = {
		{ NULL, ASYNC(IBV_EVENT_CQ_ERR) }, { NULL, ASYNC(IBV_EVENT_QP_FATAL) },
	};
	struct ibv_cq *own;

	(void)arg;
	if (!open_small(&pair, env))
		return;
	if (!pair_create(&other, env, &opts))
		goto out_close;
	/* The second connection completes its receives to the CQ of the first. */
	end_destroy_qp(&other.end[1]);
	own = other.end[1].rcq;
	other.end[1].rcq = to->rcq;
	if (end_create_qp(&other.end[1], &opts, NULL) && pair_connect(&other)) {
		want[0].object = to->rcq;
		want[1].object = to->qp;
		want[2].object = other.end[1].qp;
		overflow_receives(&pair, 7);
		async_expect(to->dev, want, 3, env->wait_msec, "overflow");
		CHECK(end_state(&other.end[1]) == IBV_QPS_RTS, "the other QP left RTS");
		want[0].types = 0;
		want[1].types = 0;
		want[2].types = ASYNC(IBV_EVENT_QP_FATAL);
		fill_receives(&other.end[1], 1);
		CHECK(!end_post_send(&other.end[0], &(struct ibv_send_wr) {
			.opcode = IBV_WR_SEND }), "post_send");
		async_expect(to->dev, want, 3, env->wait_msec, "the other QP");
		end_wait_state(&other.end[1], IBV_QPS_ERR, "the other QP");
		expect_full(to, 7);
	}
	end_destroy_qp(&other.end[1]);
	other.end[1].rcq = own;
	pair_close(&other);
out_close:
	pair_close(&pair);
}

/* The ring of a CQ whose size nothing else of this process has. */
static uint32_t *find_ring(const struct ibv_cq *cq)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint32_t *ring = NULL;
	char line[512];
	uint32_t *from;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "uverbs"))
			continue;
		from = (uint32_t *)strtoul(line, NULL, 16);
		if (from[MASK_WORD] == (uint32_t)cq->cqe)
			ring = from;
	}
	if (maps)
		fclose(maps);
	return ring;
}

/* A program that claims to have read more than there is frees no slot. */
static void test_liar(struct env *env, long high_bits)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *to = &pair.end[1];
	struct async_want want[2] = {
		{ NULL, ASYNC(IBV_EVENT_CQ_ERR) }, { NULL, ASYNC(IBV_EVENT_QP_FATAL) },
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	uint32_t *ring = NULL;
	int i;

	if (!pair_open(&pair, env, &opts))
		return;
	want[0].object = to->rcq;
	want[1].object = to->qp;
	if (CHECK(!ibv_resize_cq(to->rcq, 15), "resize to 15"))
		ring = find_ring(to->rcq);
	if (!CHECK(ring, "the ring is not mapped"))
		goto out_close;
	fill_receives(to, 20);
	for (i = 0; i < 15 && !tap_failed(); i++) {
		/* One step too far would be an old fault of librxe, which is forgiven. */
		ring[CONSUMER_WORD] = (i + 2 < 15 ? i + 2 : 0) | high_bits;
		CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
		end_expect_status(&pair.end[0], false, 0, IBV_WC_SUCCESS, "send");
	}
	wr.send_flags = 0;
	CHECK(!end_post_send(&pair.end[0], &wr), "post_send");
	async_expect(to->dev, want, 2, env->wait_msec, "overflow");
	ring[CONSUMER_WORD] = 0;
	expect_full(to, 15);
out_close:
	pair_close(&pair);
}

const struct test cq_overflow_tests[] = {
	{ "cq/overflow-receive", test_receive, 0, 0 },
	{ "cq/overflow-send", test_send, 0, 0 },
	{ "cq/overflow-two-qps", test_two, 0, 0 },
	{ "cq/liar", test_liar, 0, 0 },
	{ "cq/liar-high-bits", test_liar, 0x7ab50000, 0 },
	{ }
};

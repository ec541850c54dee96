// SPDX-License-Identifier: GPL-2.0
/*
 * Order: fences, READ after WRITE, completions of unsignalled work.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define PAIRS 8

/*
 * IBA 10.8.3.3, fence: a request with the fence indicator does not begin before
 * all earlier READs are complete. Each READ here fetches what the fenced
 * request behind it sends on, so a missing fence sends stale bytes.
 */
struct relay {
	struct buf far, middle, back;
	size_t len;
};

static struct ibv_sge part(const struct buf *buf, int i, size_t len)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)buf->mem + i * len, .length = len, .lkey = buf->mr->lkey,
	};
}

static void relay_batch(struct pair *pair, struct relay *r, enum op_id second)
{
	const struct op_desc *op = op_desc(second);
	struct ibv_send_wr wr[2 * PAIRS];
	struct ibv_sge middle[PAIRS];
	int i;

	memset(wr, 0, sizeof(wr));
	for (i = 0; i < PAIRS; i++) {
		struct ibv_sge back = part(&r->back, i, r->len);
		struct ibv_send_wr *read = &wr[2 * i], *fenced = &wr[2 * i + 1];

		if (op->takes_recv && !CHECK(!end_post_recv(&pair->end[1], i, &back,
							    op->to_recv), "post_recv"))
			return;
		middle[i] = part(&r->middle, i, r->len);
		read->wr_id = 2 * i;
		read->next = fenced;
		read->sg_list = &middle[i];
		read->num_sge = 1;
		read->opcode = IBV_WR_RDMA_READ;
		read->wr.rdma.remote_addr = part(&r->far, i, r->len).addr;
		read->wr.rdma.rkey = r->far.mr->rkey;
		fenced->wr_id = 2 * i + 1;
		fenced->next = i + 1 < PAIRS ? &wr[2 * i + 2] : NULL;
		fenced->sg_list = &middle[i];
		fenced->num_sge = 1;
		fenced->opcode = op->wr;
		fenced->send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
		fenced->wr.rdma.remote_addr = back.addr;
		fenced->wr.rdma.rkey = r->back.mr->rkey;
	}
	if (!CHECK(!end_post_send(&pair->end[0], wr), "post_send of the batch"))
		return;
	for (i = 0; i < PAIRS; i++) {
		if (!end_expect_status(&pair->end[0], false, 2 * i + 1, IBV_WC_SUCCESS, "fenced") ||
		    (op->takes_recv &&
		     !end_expect_status(&pair->end[1], true, i, IBV_WC_SUCCESS, "relayed")))
			return;
	}
	memcpy(r->back.image + (r->back.mem - r->back.map), r->far.mem, PAIRS * r->len);
	memcpy(r->middle.image + (r->middle.mem - r->middle.map), r->far.mem, PAIRS * r->len);
	buf_check(&r->middle, "what was read");
	buf_check(&r->back, "what was sent on behind a fence");
}

static void test_fence(struct env *env, long second)
{
	static const size_t lens[] = { 8, 1500, 70000 };
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	unsigned int i;

	for (i = 0; i < 3 && !tap_failed(); i++) {
		struct relay r = { .len = lens[i] };
		size_t size = PAIRS * r.len;

		opts.wr_api = i & 1;
		if (buf_open(&r.far, env->dev[1].pd, size, IBV_ACCESS_REMOTE_READ) &&
		    buf_open(&r.middle, env->dev[0].pd, size, IBV_ACCESS_LOCAL_WRITE) &&
		    buf_open(&r.back, env->dev[1].pd, size,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) &&
		    pair_open(&pair, env, &opts)) {
			relay_batch(&pair, &r, second);
			pair_close(&pair);
		}
		buf_close(&r.far);
		buf_close(&r.middle);
		buf_close(&r.back);
	}
}

/*
 * IBA 10.8.3.3, ordering rules: a READ sees the WRITEs before it on the same
 * queue, without any fence; so does a receive behind a WRITE.
 */
static void test_read_after_write(struct env *env, long len)
{
	struct pair_opts opts = pair_defaults(env);
	struct buf src = { 0 }, far = { 0 }, back = { 0 };
	struct pair pair;
	int round;

	if (!buf_open(&src, env->dev[0].pd, 2 * len, 0) ||
	    !buf_open(&far, env->dev[1].pd, len, IBV_ACCESS_LOCAL_WRITE |
		      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ) ||
	    !buf_open(&back, env->dev[0].pd, len, IBV_ACCESS_LOCAL_WRITE) ||
	    !pair_open(&pair, env, &opts))
		goto out_bufs;
	for (round = 0; round < 10 && !tap_failed(); round++) {
		struct ibv_sge from = part(&src, round & 1, len), to = part(&back, 0, len);
		struct ibv_send_wr send = {
			.wr_id = 3, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		};
		struct ibv_send_wr read = {
			.wr_id = 2, .next = &send, .sg_list = &to, .num_sge = 1,
			.opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { (uintptr_t)far.mem, far.mr->rkey },
		};
		struct ibv_send_wr write = {
			.wr_id = 1, .next = &read, .sg_list = &from, .num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE,
			.wr.rdma = { (uintptr_t)far.mem, far.mr->rkey },
		};

		CHECK(!end_post_recv(&pair.end[1], 4, NULL, 0), "post_recv");
		if (!CHECK(!end_post_send(&pair.end[0], &write), "post_send"))
			break;
		end_expect_status(&pair.end[1], true, 4, IBV_WC_SUCCESS, "receive");
		CHECK(!memcmp(far.mem, (void *)(uintptr_t)from.addr, len),
		      "round %d: the receive came before the WRITE's data", round);
		end_expect_status(&pair.end[0], false, 2, IBV_WC_SUCCESS, "READ");
		CHECK(!memcmp(back.mem, (void *)(uintptr_t)from.addr, len),
		      "round %d: the READ does not see the WRITE before it", round);
		end_expect_status(&pair.end[0], false, 3, IBV_WC_SUCCESS, "SEND");
	}
	pair_close(&pair);
out_bufs:
	buf_close(&src);
	buf_close(&far);
	buf_close(&back);
}

/* Polling on the last byte of a WRITE: once it is there, so is all before it. */
static void test_last_byte(struct env *env, long len)
{
	struct pair_opts opts = pair_defaults(env);
	struct buf src = { 0 }, far = { 0 };
	struct pair pair;
	int round;

	if (!buf_open(&src, env->dev[0].pd, len, 0) ||
	    !buf_open(&far, env->dev[1].pd, len, IBV_ACCESS_LOCAL_WRITE |
		      IBV_ACCESS_REMOTE_WRITE) ||
	    !pair_open(&pair, env, &opts))
		goto out_bufs;
	for (round = 1; round <= 20 && !tap_failed(); round++) {
		volatile uint8_t *last = far.mem + len - 1;
		uint64_t deadline = now_msec() + env->wait_msec;
		struct ibv_sge from = part(&src, 0, len);
		struct ibv_send_wr write = {
			.wr_id = round, .sg_list = &from, .num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { (uintptr_t)far.mem, far.mr->rkey },
		};

		*last = ~round;
		memset(src.mem, round, len);
		if (!CHECK(!end_post_send(&pair.end[0], &write), "post_send"))
			break;
		while (*last != (uint8_t)round && now_msec() < deadline)
			;
		CHECK(*last == (uint8_t)round && far.mem[0] == (uint8_t)round &&
		      far.mem[len / 2] == (uint8_t)round &&
		      !memcmp(far.mem, src.mem, len), "round %d: bytes missing", round);
		end_expect_status(&pair.end[0], false, round, IBV_WC_SUCCESS, "WRITE");
	}
	pair_close(&pair);
out_bufs:
	/* Their images were not kept up. */
	buf_close(&src);
	buf_close(&far);
}

/*
 * A queue of one entry takes the next request as soon as the completion of the last one
 * was polled (IBA 10.8.5). Long messages complete on some other CPU, and the event wakes us
 * at once.
 */
static void test_full_queue(struct env *env, long id)
{
	const struct op_desc *op = op_desc(id);
	struct pair_opts opts = pair_defaults(env);
	size_t len = 300000;
	struct buf near = { 0 }, far = { 0 };
	int round, rounds = env->quick ? 60 : 200;
	struct pair pair;

	opts.send_wr = 1;
	opts.recv_wr = 1;
	opts.events = true;
	if (!buf_open(&near, env->dev[0].pd, len, IBV_ACCESS_LOCAL_WRITE) ||
	    !buf_open(&far, env->dev[1].pd, len, IBV_ACCESS_LOCAL_WRITE |
		      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ) ||
	    !pair_open(&pair, env, &opts))
		goto out_bufs;
	CHECK(pair.end[0].cap.max_send_wr == 1, "%u entries granted", pair.end[0].cap.max_send_wr);
	for (round = 0; round < rounds && !tap_failed(); round++) {
		struct ibv_sge here = part(&near, 0, len), there = part(&far, 0, len);
		struct ibv_send_wr wr = {
			.sg_list = &here, .num_sge = 1, .opcode = op->wr,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { there.addr, far.mr->rkey },
		};

		if ((op->takes_recv && !CHECK(!end_post_recv(&pair.end[1], 0, &there, 1),
					      "post_recv in round %d", round)) ||
		    !CHECK(!end_post_send(&pair.end[0], &wr), "post_send in round %d", round) ||
		    (op->takes_recv && !end_expect_status(&pair.end[1], true, 0, IBV_WC_SUCCESS,
							  "receive")) ||
		    !end_expect_status(&pair.end[0], false, 0, IBV_WC_SUCCESS, "request"))
			break;
	}
	pair_close(&pair);
out_bufs:
	/* The data are looked at elsewhere. */
	memcpy(op->is_read ? near.image + (near.mem - near.map) : far.image + (far.mem - far.map),
	       op->is_read ? far.mem : near.mem, len);
	buf_close(&near);
	buf_close(&far);
}

const struct test rc_order_tests[] = {
	{ "order/fenced-send", test_fence, OP_SEND, 0 },
	{ "order/fenced-write", test_fence, OP_WRITE, 0 },
	{ "order/fenced-write_imm", test_fence, OP_WRITE_IMM, 0 },
	{ "order/read-after-write", test_read_after_write, 64, 0 },
	{ "order/read-after-long-write", test_read_after_write, 20000, 0 },
	{ "order/last-byte-last", test_last_byte, 30, 0 },
	{ "order/last-byte-last-long", test_last_byte, 5000, 0 },
	{ "order/full-queue-send", test_full_queue, OP_SEND, 0 },
	{ "order/full-queue-read", test_full_queue, OP_READ, 0 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * UC messages in bursts, on a path that may lose, double and reorder: each one that arrives is
 * whole, arrives once, and after those that were sent before it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define BURST 16
#define RECVS (2 * BURST)
#define MAX_LEN 20000
#define LONGER 50		/* times, for long messages: many trains each */
#define QUIET_MSEC 200		/* then nothing of a burst is on its way any more */
#define MIGRATE 0x100		/* in a test's argument, beside the path MTU */
#define LONG 0x200

/**
 * struct stream - what was sent and what arrived
 * @sent: messages sent; their number is their immediate data
 * @next: lowest number that may arrive
 * @arrived: how many did
 * @tx: what is sent, a different place for each number
 * @rx: one piece for each receive, then one for each WRITE of a burst
 * @scale: how many times longer than usual messages are
 * @migrate: each message is posted on another processor than the one before
 */
struct stream {
	struct pair pair;
	uint32_t sent, next, arrived;
	struct buf tx, rx;
	uint32_t scale;
	bool migrate;
};

static uint32_t len_of(const struct stream *s, uint32_t number)
{
	static const uint32_t lens[] = { 0, 1, 7, 1023, 1024, 1025, 4096, 9000, MAX_LEN };

	return lens[number * 7 % (sizeof(lens) / sizeof(lens[0]))] * s->scale;
}

static bool is_write(uint32_t number)
{
	return number % 3 == 2;
}

static const uint8_t *source_of(const struct stream *s, uint32_t number)
{
	return s->tx.mem + number * 31 % 1000;
}

static uint8_t *piece(const struct stream *s, unsigned int i)
{
	return s->rx.mem + (size_t)i * MAX_LEN * s->scale;
}

static bool post_recv(struct stream *s, unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)piece(s, i), MAX_LEN * s->scale, s->rx.mr->lkey };

	return CHECK(!end_post_recv(&s->pair.end[1], i, &sge, 1), "post_recv");
}

static bool post_one(struct stream *s, bool last)
{
	uint32_t number = s->sent++;
	struct ibv_sge sge = {
		(uintptr_t)source_of(s, number), len_of(s, number), s->tx.mr->lkey
	};
	struct ibv_send_wr wr = {
		.wr_id = number, .sg_list = &sge, .num_sge = sge.length > 0,
		.opcode = is_write(number) ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_SEND_WITH_IMM,
		.send_flags = last ? IBV_SEND_SIGNALED : 0, .imm_data = number,
		.wr.rdma = {
			.remote_addr = (uintptr_t)piece(s, RECVS + number % BURST),
			.rkey = s->rx.mr->rkey,
		},
	};

	return CHECK(!end_post_send(&s->pair.end[0], &wr), "post_send");
}

static bool take_one(struct stream *s, const struct ibv_wc *wc)
{
	uint32_t number = wc->imm_data;
	const uint8_t *data;

	if (!CHECK(wc->status == IBV_WC_SUCCESS, "receive: %s", ibv_wc_status_str(wc->status)) ||
	    !CHECK(number >= s->next && number < s->sent, "message %u, %u to %u may come", number,
		   s->next, s->sent - 1))
		return false;
	data = piece(s, is_write(number) ? RECVS + number % BURST : wc->wr_id);
	s->next = number + 1;
	s->arrived++;
	return CHECK(wc->opcode == (is_write(number) ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV),
		     "message %u: opcode %d", number, wc->opcode) &&
	       CHECK(wc->byte_len == len_of(s, number), "message %u: %u bytes", number,
		     wc->byte_len) &&
	       CHECK(!memcmp(data, source_of(s, number), wc->byte_len), "message %u is damaged",
		     number) &&
	       post_recv(s, wc->wr_id);
}

/* Take what arrives until the last message of a burst did, or nothing does for a while. */
static bool take_burst(struct stream *s)
{
	uint64_t quiet = now_msec();
	struct ibv_wc wc;

	while (s->next != s->sent && now_msec() < quiet + QUIET_MSEC) {
		if (!ibv_poll_cq(s->pair.end[1].rcq, 1, &wc))
			continue;
		if (!take_one(s, &wc))
			return false;
		quiet = now_msec();
	}
	return true;
}

static void go_to_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static bool run_burst(struct stream *s)
{
	unsigned int i;

	for (i = 0; i < BURST; i++) {
		if (s->migrate)
			go_to_cpu(i % 2);
		if (!post_one(s, i == BURST - 1))
			return false;
	}
	return end_expect_status(&s->pair.end[0], false, s->sent - 1, IBV_WC_SUCCESS, "burst") &&
	       take_burst(s);
}

static bool open_stream(struct stream *s, struct env *env, long mtu)
{
	struct pair_opts opts = pair_defaults(env);
	size_t longest = (size_t)MAX_LEN * s->scale;
	unsigned int i;

	opts.uc = true;
	opts.pmtu = mtu;
	opts.send_wr = BURST;
	opts.recv_wr = RECVS;
	if (!buf_open(&s->tx, env->dev[0].pd, longest + 1000, 0) ||
	    !buf_open(&s->rx, env->dev[1].pd, (RECVS + BURST) * longest,
		      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) ||
	    !pair_open(&s->pair, env, &opts))
		return false;
	for (i = 0; i < RECVS; i++) {
		if (!post_recv(s, i))
			return false;
	}
	return true;
}

static void test_stream(struct env *env, long arg)
{
	struct stream s = { .migrate = arg & MIGRATE, .scale = arg & LONG ? LONGER : 1 };
	unsigned int bursts = (env->quick ? 12 : 60) / (arg & LONG ? 4 : 1);
	long mtu = arg & ~(MIGRATE | LONG);
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (s.migrate && !(CPU_ISSET(0, &cpus) && CPU_ISSET(1, &cpus))) {
		tap_skip("one processor");
		return;
	}

	if ((enum ibv_mtu)mtu > env->dev[0].port.active_mtu ||
	    (enum ibv_mtu)mtu > env->dev[1].port.active_mtu) {
		tap_skip("active MTU of the port is smaller");
		return;
	}
	if (open_stream(&s, env, mtu)) {
		while (bursts-- && run_burst(&s))
			;
		tap_note("%u of %u messages arrived", s.arrived, s.sent);
		CHECK(s.arrived, "nothing arrived");
		/* A processor that stands still (busy host) can have its queue overtaken. */
		CHECK(env->lossy || s.sent - s.arrived <= s.sent / 100, "messages were lost");
		CHECK(end_state(&s.pair.end[0]) == IBV_QPS_RTS &&
		      end_state(&s.pair.end[1]) == IBV_QPS_RTS, "a QP left RTS");
	}
	sched_setaffinity(0, sizeof(cpus), &cpus);
	pair_close(&s.pair);
	buf_close(&s.tx);
	buf_close(&s.rx);
}

const struct test uc_stream_tests[] = {
	{ "uc/stream-256", test_stream, IBV_MTU_256, 300 },
	{ "uc/stream-1024", test_stream, IBV_MTU_1024, 300 },
	{ "uc/stream-4096", test_stream, IBV_MTU_4096, 300 },
	{ "uc/migrate-256", test_stream, MIGRATE | IBV_MTU_256, 300 },
	{ "uc/migrate-1024", test_stream, MIGRATE | IBV_MTU_1024, 300 },
	{ "uc/migrate-long", test_stream, MIGRATE | LONG | IBV_MTU_4096, 300 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Pipelines: many messages at once, posted as completions come, queues full,
 * one or both directions, one operation or a mix, signalled or not. Each
 * message is checked byte by byte when it is done.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define MAX_WINDOW 128
#define ALL_OPS ((1u << OP_SEND) | (1u << OP_SEND_IMM) | (1u << OP_WRITE) | \
		 (1u << OP_WRITE_IMM) | (1u << OP_READ))

/* What a stream is made of. */
struct plan {
	unsigned int ops;
	unsigned int messages;
	size_t max_len;
	bool both_ways;
	bool unsignalled;
};

struct message {
	enum op_id op;
	size_t len;
	uint32_t imm;
	unsigned int recv_number;	/* which receive it takes, if any */
	bool signalled, sent, received;
};

/*
 * One direction. Message i has slot i % window in each of three areas: what
 * is sent or read (tx of the source), where WRITE and READ data go, and,
 * counted by receives, where SEND data go.
 */
struct stream {
	struct pair *pair;
	const struct plan *plan;
	struct end *from, *to;
	unsigned int window, recv_window;
	struct message *msg;
	unsigned int posted, sent, retired;
	unsigned int recv_posted, recv_taken, received;
	unsigned int unsignalled_run;
	struct buf src, dst, recv, peer_src, read_dst;
	size_t slot;
};

static bool stream_open(struct stream *s, struct pair *pair, const struct plan *plan, int from)
{
	struct ibv_pd *here = pair->end[from].dev->pd, *there = pair->end[!from].dev->pd;
	int write = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	memset(s, 0, sizeof(*s));
	s->pair = pair;
	s->plan = plan;
	s->from = &pair->end[from];
	s->to = &pair->end[!from];
	s->window = pair->opts.send_wr < MAX_WINDOW ? pair->opts.send_wr : MAX_WINDOW;
	s->recv_window = pair->opts.recv_wr < MAX_WINDOW ? pair->opts.recv_wr : MAX_WINDOW;
	s->slot = plan->max_len + 64;
	s->msg = calloc(plan->messages, sizeof(*s->msg));
	return CHECK(s->msg, "no memory") &&
	       buf_open(&s->src, here, s->window * s->slot, 0) &&
	       buf_open(&s->dst, there, s->window * s->slot, write) &&
	       buf_open(&s->recv, there, s->recv_window * s->slot, IBV_ACCESS_LOCAL_WRITE) &&
	       buf_open(&s->peer_src, there, s->window * s->slot, IBV_ACCESS_REMOTE_READ) &&
	       buf_open(&s->read_dst, here, s->window * s->slot, IBV_ACCESS_LOCAL_WRITE);
}

static void stream_close(struct stream *s)
{
	struct buf *all[] = { &s->src, &s->dst, &s->recv, &s->peer_src, &s->read_dst };
	unsigned int i;

	for (i = 0; i < 5; i++) {
		if (all[i]->image && !tap_failed())
			buf_check(all[i], "stream buffer at the end");
		buf_close(all[i]);
	}
	free(s->msg);
}

static struct ibv_sge slot_sge(const struct stream *s, const struct buf *buf, unsigned int slot,
			       size_t len)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)buf->mem + slot * s->slot + slot % 13,
		.length = len, .lkey = buf->mr->lkey,
	};
}

static bool post_receives(struct stream *s)
{
	/* A receive's slot is free again when the message that took it is retired. */
	while (s->recv_posted - s->recv_taken < s->recv_window) {
		struct ibv_sge sge = slot_sge(s, &s->recv, s->recv_posted % s->recv_window,
					      s->plan->max_len);

		if (!CHECK(!end_post_recv(s->to, s->recv_posted, &sge, 1),
			   "post_recv %u with %u outstanding", s->recv_posted,
			   s->recv_posted - s->recv_taken))
			return false;
		s->recv_posted++;
	}
	return true;
}

static enum op_id pick_op(const struct plan *plan)
{
	enum op_id op;

	do {
		op = rnd_below(OP_COUNT);
	} while (!(plan->ops & (1u << op)));
	return op;
}

static void choose_message(struct stream *s, struct message *m)
{
	static unsigned int number;

	m->op = pick_op(s->plan);
	m->len = rnd_below(s->plan->max_len + 1);
	if (!rnd_below(4))
		m->len = rnd_below(4);
	m->imm = ++number;
	m->signalled = !s->plan->unsignalled || rnd_below(4) == 0 ||
		       s->posted + 1 == s->plan->messages ||
		       s->unsignalled_run + 1 >= s->window;
	s->unsignalled_run = m->signalled ? 0 : s->unsignalled_run + 1;
}

static bool post_message(struct stream *s)
{
	struct message *m = &s->msg[s->posted];
	unsigned int slot = s->posted % s->window;
	const struct op_desc *op;
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = s->posted, .sg_list = &sge, .num_sge = 1 };
	const struct buf *remote;
	int err;

	choose_message(s, m);
	op = op_desc(m->op);
	remote = op->is_read ? &s->peer_src : &s->dst;
	sge = slot_sge(s, op->is_read ? &s->read_dst : &s->src, slot, m->len);
	wr.opcode = op->wr;
	wr.send_flags = m->signalled ? IBV_SEND_SIGNALED : 0;
	wr.imm_data = m->imm;
	if (op->is_remote) {
		wr.wr.rdma.remote_addr = slot_sge(s, remote, slot, 0).addr;
		wr.wr.rdma.rkey = remote->mr->rkey;
	}
	err = end_post_send(s->from, &wr);
	if (!CHECK(!err, "post_send of message %u with %u outstanding: %s", s->posted,
		   s->posted - s->sent, strerror(err)))
		return false;
	s->posted++;
	return true;
}

static bool check_data(struct stream *s, unsigned int number)
{
	struct message *m = &s->msg[number];
	const struct op_desc *op = op_desc(m->op);
	unsigned int slot = number % s->window;
	const struct buf *from = op->is_read ? &s->peer_src : &s->src;
	struct buf *to = op->is_read ? &s->read_dst : op->to_recv ? &s->recv : &s->dst;
	unsigned int to_slot = op->to_recv ? m->recv_number % s->recv_window : slot;
	uint8_t *src = (uint8_t *)(uintptr_t)slot_sge(s, from, slot, 0).addr;
	uint8_t *dst = (uint8_t *)(uintptr_t)slot_sge(s, to, to_slot, 0).addr;

	memcpy(to->image + (dst - to->map), src, m->len);
	if (!memcmp(dst - slot % 7, to->image + (dst - slot % 7 - to->map), m->len + slot % 7 + 32))
		return true;
	return CHECK(false, "message %u (%s, %zu bytes): wrong data", number, op->name, m->len);
}

/* Retire in order what is done on both sides. */
static bool retire(struct stream *s)
{
	while (s->retired < s->posted) {
		struct message *m = &s->msg[s->retired];
		bool takes_recv = op_desc(m->op)->takes_recv;

		if (!m->sent || (takes_recv && !m->received))
			return true;
		if (!check_data(s, s->retired))
			return false;
		if (takes_recv)
			s->recv_taken++;
		s->retired++;
	}
	return true;
}

static bool take_send(struct stream *s, const struct ibv_wc *wc)
{
	if (!CHECK(wc->status == IBV_WC_SUCCESS, "end %d, message %llu (%s, %zu bytes): %s",
		   s->from == &s->pair->end[1], (unsigned long long)wc->wr_id,
		   op_desc(s->msg[wc->wr_id % s->plan->messages].op)->name,
		   s->msg[wc->wr_id % s->plan->messages].len, ibv_wc_status_str(wc->status)) ||
	    !CHECK(wc->wr_id >= s->sent && wc->wr_id < s->posted, "send completion of %llu, %u..%u",
		   (unsigned long long)wc->wr_id, s->sent, s->posted) ||
	    !CHECK(s->msg[wc->wr_id].signalled, "completion of an unsignalled message") ||
	    !CHECK(wc->opcode == op_desc(s->msg[wc->wr_id].op)->wc, "opcode %d of message %llu",
		   wc->opcode, (unsigned long long)wc->wr_id))
		return false;
	/* IBA 10.8.5: it says that all before it on this queue are done too. */
	for (; s->sent <= wc->wr_id; s->sent++) {
		if (!CHECK(s->sent == wc->wr_id || !s->msg[s->sent].signalled,
			   "the completion of message %u was left out", s->sent))
			return false;
		s->msg[s->sent].sent = true;
	}
	return true;
}

/* Receives complete in the order of the messages that take one. */
static bool take_recv(struct stream *s, const struct ibv_wc *wc)
{
	const struct op_desc *op;
	struct message *m;
	unsigned int i;

	if (!CHECK(wc->status == IBV_WC_SUCCESS, "receive %llu: %s",
		   (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status)) ||
	    !CHECK(wc->wr_id == s->received, "receive completion %llu, not %u",
		   (unsigned long long)wc->wr_id, s->received))
		return false;
	for (i = s->retired; i < s->posted; i++) {
		if (op_desc(s->msg[i].op)->takes_recv && !s->msg[i].received)
			break;
	}
	if (!CHECK(i < s->posted, "receive completion without a message"))
		return false;
	m = &s->msg[i];
	op = op_desc(m->op);
	m->received = true;
	m->recv_number = s->received++;
	return CHECK(wc->opcode == op->recv_wc && wc->byte_len == m->len,
		     "message %u (%s): receive opcode %d, length %u, not %zu", i, op->name,
		     wc->opcode, wc->byte_len, m->len) &&
	       CHECK(!op->has_imm || wc->imm_data == m->imm, "message %u: immediate 0x%x, not 0x%x",
		     i, wc->imm_data, m->imm);
}

static bool poll_queue(struct stream *s, struct ibv_cq *cq, bool recv, bool *progress)
{
	struct ibv_wc wc[8];
	int n = ibv_poll_cq(cq, 8, wc), i;

	if (!CHECK(n >= 0, "ibv_poll_cq: %d", n))
		return false;
	for (i = 0; i < n; i++) {
		if (!(recv ? take_recv(s, &wc[i]) : take_send(s, &wc[i])))
			return false;
		*progress = true;
	}
	return true;
}

/* One round of one direction; false after a failed check. */
static bool step(struct stream *s, bool *progress)
{
	if (!post_receives(s))
		return false;
	/* The slots bound the messages in flight to the depth of the send queue. */
	while (s->posted < s->plan->messages && s->posted - s->retired < s->window) {
		if (!post_message(s))
			return false;
		*progress = true;
	}
	return poll_queue(s, s->from->scq, false, progress) &&
	       poll_queue(s, s->to->rcq, true, progress) && retire(s);
}

static bool run_streams(struct stream *s, int count, unsigned int wait_msec)
{
	uint64_t deadline = now_msec() + wait_msec;
	bool done = false;
	int i;

	while (!done) {
		bool progress = false;

		done = true;
		for (i = 0; i < count; i++) {
			if (!step(&s[i], &progress))
				return false;
			done &= s[i].retired == s[i].plan->messages;
		}
		if (progress)
			deadline = now_msec() + wait_msec;
		else if (!CHECK(now_msec() < deadline, "stuck: %u of %u posted, %u sent, %u retired",
				s[0].posted, s[0].plan->messages, s[0].sent, s[0].retired))
			return false;
		else
			sched_yield();
	}
	return true;
}

static void run_plan(struct env *env, const struct pair_opts *opts, const struct plan *plan)
{
	struct stream s[2];
	struct pair pair;
	int count = plan->both_ways ? 2 : 1, i;
	bool ok = true;

	if (!pair_open(&pair, env, opts))
		return;
	memset(s, 0, sizeof(s));
	for (i = 0; ok && i < count; i++)
		ok = stream_open(&s[i], &pair, plan, i);
	if (ok && run_streams(s, count, env->wait_msec)) {
		end_expect_none(&pair.end[0], "at the end");
		end_expect_none(&pair.end[1], "at the end");
	}
	/* QPs first: nothing writes to the buffers while they are freed. */
	pair_close(&pair);
	for (i = 0; i < count; i++)
		stream_close(&s[i]);
}

static unsigned int count_of(const struct env *env, unsigned int full)
{
	return env->quick ? full / 5 : full;
}

static void test_one_op(struct env *env, long op)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = 1u << op, .messages = count_of(env, 300), .max_len = 5000,
	};

	run_plan(env, &opts, &plan);
}

static void test_mixed(struct env *env, long wr_api)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = ALL_OPS, .messages = count_of(env, 500), .max_len = 9000,
		.unsignalled = true,
	};

	opts.wr_api = wr_api;
	run_plan(env, &opts, &plan);
}

static void test_both_ways(struct env *env, long deep)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = ALL_OPS, .messages = count_of(env, 400), .max_len = 5000,
		.both_ways = true,
	};

	opts.rd_atomic = 16;
	if (deep)
		opts.send_wr = opts.recv_wr = 120;
	run_plan(env, &opts, &plan);
}

/* Queues of one to three entries: full nearly always, receives run out. */
static void test_shallow(struct env *env, long depth)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = ALL_OPS, .messages = count_of(env, 100), .max_len = 3000,
		.both_ways = true,
	};

	opts.send_wr = depth + 1;
	opts.recv_wr = depth;
	run_plan(env, &opts, &plan);
}

/* Many more READs posted than may be outstanding. */
static void test_read_limit(struct env *env, long rd_atomic)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = 1u << OP_READ, .messages = count_of(env, 200), .max_len = 5000,
		.both_ways = true,
	};

	if (rd_atomic > env->dev[0].attr.max_qp_rd_atom ||
	    rd_atomic > env->dev[1].attr.max_qp_rd_atom) {
		tap_skip("device allows fewer");
		return;
	}
	opts.rd_atomic = rd_atomic;
	run_plan(env, &opts, &plan);
}

static void test_sig_all(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = ALL_OPS, .messages = count_of(env, 100), .max_len = 2000,
	};

	(void)arg;
	opts.sig_all = true;
	run_plan(env, &opts, &plan);
}

static void test_long(struct env *env, long pmtu)
{
	struct pair_opts opts = pair_defaults(env);
	struct plan plan = {
		.ops = ALL_OPS, .messages = count_of(env, 60), .max_len = 150000,
		.both_ways = true,
	};

	if ((enum ibv_mtu)pmtu > env->dev[0].port.active_mtu ||
	    (enum ibv_mtu)pmtu > env->dev[1].port.active_mtu) {
		tap_skip("active MTU of the port is smaller");
		return;
	}
	opts.pmtu = pmtu;
	opts.send_wr = opts.recv_wr = 8;
	run_plan(env, &opts, &plan);
}

const struct test rc_stream_tests[] = {
	{ "stream/send", test_one_op, OP_SEND, 0 },
	{ "stream/send_imm", test_one_op, OP_SEND_IMM, 0 },
	{ "stream/write", test_one_op, OP_WRITE, 0 },
	{ "stream/write_imm", test_one_op, OP_WRITE_IMM, 0 },
	{ "stream/read", test_one_op, OP_READ, 0 },
	{ "stream/mixed-unsignalled", test_mixed, 0, 0 },
	{ "stream/mixed-wr-api", test_mixed, 1, 0 },
	{ "stream/both-ways", test_both_ways, 0, 0 },
	{ "stream/both-ways-deep", test_both_ways, 1, 0 },
	{ "stream/depth-1", test_shallow, 1, 0 },
	{ "stream/depth-3", test_shallow, 3, 0 },
	{ "stream/read-limit-1", test_read_limit, 1, 0 },
	{ "stream/read-limit-16", test_read_limit, 16, 0 },
	{ "stream/sq-sig-all", test_sig_all, 0, 0 },
	{ "stream/long-pmtu256", test_long, IBV_MTU_256, 0 },
	{ "stream/long-pmtu4096", test_long, IBV_MTU_4096, 0 },
	{ }
};

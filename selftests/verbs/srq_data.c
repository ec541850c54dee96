// SPDX-License-Identifier: GPL-2.0
/*
 * Data through shared receive queues: each operation of RC, UC and UD, several QPs on one
 * queue, the order of receives, streams of several senders at once.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "srq_fixture.h"
#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define BYTES_MAX	65537
#define PAIRS		4
#define SRQ_WR		64

static bool skip_lossy(const struct env *env)
{
	if (env->lossy)
		tap_skip("messages may be lost here, and the receive is not taken then");
	return env->lossy;
}

/* ---- one QP ---- */

static void run_ops(struct pair *pair, struct bufs *bufs)
{
	static const enum op_id ops[] = { OP_SEND, OP_SEND_IMM, OP_WRITE, OP_WRITE_IMM, OP_READ };
	const size_t pmtu = mtu_bytes(pair->opts.pmtu);
	const size_t sizes[] = { 0, 1, pmtu, pmtu + 1, 3 * pmtu, BYTES_MAX };
	unsigned int i, j;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (pair->opts.uc && op_desc(ops[i])->is_read)
			continue;
		for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
			struct op_run run = { .op = ops[i], .len = sizes[j], .sge = 1 + j % 4 };

			/* End 1 has the SRQ; end 0 a queue of its own, at the same time. */
			if (!op_run(pair, j & 1, bufs, &run) || !op_run(pair, !(j & 1), bufs, &run))
				return;
		}
	}
}

static void test_connected(struct env *env, long uc)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct bufs bufs;
	int api;

	if (uc && skip_lossy(env))
		return;
	opts.uc = uc;
	opts.srq = srq_open(&env->dev[1], 8, 4);
	if (opts.srq && bufs_open(&bufs, env, BYTES_MAX)) {
		for (api = 0; api < 2 && !tap_failed(); api++) {
			opts.wr_api = opts.events = api;
			if (!pair_open(&pair, env, &opts))
				break;
			CHECK(!pair.end[1].cap.max_recv_wr && !pair.end[1].cap.max_recv_sge,
			      "a QP with an SRQ was granted receives of its own");
			run_ops(&pair, &bufs);
			pair_close(&pair);
		}
		bufs_close(&bufs);
	}
	srq_close(opts.srq);
}

static void test_datagrams(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct ud ud;
	int i;

	(void)arg;
	if (skip_lossy(env))
		return;
	opts.srq = srq_open(&env->dev[1], 8, 4);
	if (opts.srq && bufs_open(&bufs, env, UD_GRH_BYTES + 4096 + 128)) {
		if (ud_open(&ud, env, &opts)) {
			const size_t sizes[] = { 0, 1, 64, ud.mtu - 1, ud.mtu };

			for (i = 0; i < 20 && !tap_failed(); i++) {
				struct ud_msg msg = {
					.len = sizes[i % 5], .has_imm = i & 1, .sge = 1 + i % 3,
					.recv_sge = 1 + i % 4,
				};

				ud_send(&ud, 0, &bufs, &msg);
				ud_send(&ud, 1, &bufs, &msg);
			}
			ud_close(&ud);
		}
		bufs_close(&bufs);
	}
	srq_close(opts.srq);
}

/* ---- several QPs ---- */

/**
 * struct group - pairs whose ends 1 share a queue
 * @pairs: RC or UC
 * @ud: datagrams
 * @count: of @pairs
 * @srq: the queue
 */
struct group {
	struct pair pairs[PAIRS];
	struct ud ud;
	unsigned int count;
	struct ibv_srq *srq;
};

static void group_close(struct group *group)
{
	while (group->count)
		pair_close(&group->pairs[--group->count]);
	ud_close(&group->ud);
	srq_close(group->srq);
}

/* RC pairs, of which @uc are UC pairs, and perhaps datagrams. */
static bool group_open(struct group *group, struct env *env, struct pair_opts *opts,
		       unsigned int uc, bool with_ud)
{
	memset(group, 0, sizeof(*group));
	group->srq = srq_open(&env->dev[1], SRQ_WR, 4);
	opts->srq = group->srq;
	if (!group->srq)
		return false;
	while (group->count < PAIRS) {
		opts->uc = group->count < uc;
		if (!pair_open(&group->pairs[group->count], env, opts))
			break;
		group->count++;
	}
	opts->uc = false;
	if (group->count == PAIRS && (!with_ud || ud_open(&group->ud, env, opts)))
		return true;
	group_close(group);
	return false;
}

/* Whoever takes, the oldest receive is taken. */
static void test_order(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_sge sge;
	struct group group;
	struct buf area;
	int i;

	(void)arg;
	if (skip_lossy(env) || !group_open(&group, env, &opts, 1, true))
		return;
	if (buf_open(&area, env->dev[1].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		sge = (struct ibv_sge) { (uintptr_t)area.mem, area.len, area.mr->lkey };
		for (i = 0; i < SRQ_WR / 2; i++)
			CHECK(!srq_post(group.srq, 1000 + i, &sge, 1), "post_srq_recv");
		for (i = 0; i < SRQ_WR / 2 && !tap_failed(); i++) {
			int k = rnd_below(PAIRS + 1);
			struct pair *pair = k < PAIRS ? &group.pairs[k] : &group.ud.pair;
			struct ibv_send_wr wr = {
				.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
			};

			if (k == PAIRS)
				wr = ud_wr(&group.ud, 0, 1);
			CHECK(!end_post_send(&pair->end[0], &wr), "post_send");
			end_expect_status(&pair->end[0], false, 1, IBV_WC_SUCCESS, "send");
			end_expect_status(&pair->end[1], true, 1000 + i, IBV_WC_SUCCESS,
					  "the oldest receive");
		}
		for (i = 0; i < PAIRS; i++)
			end_expect_none(&group.pairs[i].end[1], "at the end");
		buf_close(&area);
	}
	group_close(&group);
}

/* ---- streams ---- */

/* A message: who sends and which it is, and bytes made of both. */
#define MSG_BYTES	3000
#define SLOTS		16

struct sender {
	struct pair *pair;
	unsigned int index, messages;
	struct buf area;
	const volatile bool *stop;
	int err;
};

static uint32_t byte_of(unsigned int who, unsigned int seq, unsigned int at)
{
	return (who * 31 + seq * 7 + at) & 0xff;
}

static unsigned int length_of(unsigned int seq)
{
	return 8 + seq * 37 % (MSG_BYTES - 8);
}

static void write_message(uint8_t *to, uint32_t who, uint32_t seq)
{
	unsigned int i;

	memcpy(to, &who, 4);
	memcpy(to + 4, &seq, 4);
	for (i = 8; i < length_of(seq); i++)
		to[i] = byte_of(who, seq, i);
}

/* Return: who sent it, or -1. */
static int read_message(const uint8_t *from, uint32_t bytes, uint32_t *seq)
{
	uint32_t who;
	unsigned int i;

	memcpy(&who, from, 4);
	memcpy(seq, from + 4, 4);
	if (who >= PAIRS || bytes != length_of(*seq))
		return -1;
	for (i = 8; i < bytes; i++) {
		if (from[i] != byte_of(who, *seq, i))
			return -1;
	}
	return who;
}

/* The other threads check nothing: the output of the tests belongs to the first. */
static void *send_all(void *arg)
{
	struct sender *sender = arg;
	struct end *end = &sender->pair->end[0];
	unsigned int posted = 0, done = 0;
	struct ibv_wc wc;

	while (done < sender->messages && !sender->err && !*sender->stop) {
		if (posted < sender->messages && posted - done < SLOTS) {
			uint8_t *mem = sender->area.mem + posted % SLOTS * MSG_BYTES;
			struct ibv_sge sge = {
				(uintptr_t)mem, length_of(posted), sender->area.mr->lkey,
			};
			struct ibv_send_wr wr = {
				.wr_id = posted, .opcode = IBV_WR_SEND, .sg_list = &sge,
				.num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
			};

			write_message(mem, sender->index, posted);
			sender->err = end_post_send(end, &wr);
			posted++;
		}
		if (ibv_poll_cq(end->scq, 1, &wc) > 0) {
			if (wc.status || wc.wr_id != done)
				sender->err = 1000 + wc.status;
			done++;
		} else if (posted - done == SLOTS || posted == sender->messages) {
			sched_yield();
		}
	}
	return NULL;
}

/**
 * struct receiver - who takes the messages of all and posts their receives again
 * @group: from whom
 * @area: a place for each receive
 * @next: what each sender sends next
 * @total: messages taken
 * @resize: change the size of the queue now and then
 */
struct receiver {
	struct group *group;
	struct buf area;
	uint32_t next[PAIRS];
	unsigned int total;
	bool resize;
};

static bool post_slot(struct receiver *receiver, uint64_t slot)
{
	struct ibv_sge sge = {
		(uintptr_t)receiver->area.mem + slot * MSG_BYTES, MSG_BYTES,
		receiver->area.mr->lkey,
	};
	int err = srq_post(receiver->group->srq, slot, &sge, 1);

	return CHECK(!err, "post_srq_recv: %s", strerror(err));
}

static bool take_message(struct receiver *receiver, const struct ibv_wc *wc, unsigned int from)
{
	uint32_t seq;
	int who;

	if (!CHECK(wc->status == IBV_WC_SUCCESS && wc->wr_id < SRQ_WR / 2, "receive: \"%s\"",
		   ibv_wc_status_str(wc->status)))
		return false;
	who = read_message(receiver->area.mem + wc->wr_id * MSG_BYTES, wc->byte_len, &seq);
	if (!CHECK(who == (int)from && seq == receiver->next[from],
		   "message %u of sender %d, not %u of %u", seq, who, receiver->next[from], from))
		return false;
	receiver->next[from]++;
	receiver->total++;
	return post_slot(receiver, wc->wr_id);
}

static bool change_size(struct receiver *receiver)
{
	/* Never fewer than what may be posted. */
	uint32_t size = SRQ_WR / 2 + rnd_below(SRQ_WR);
	int err = srq_resize(receiver->group->srq, size);

	return CHECK(!err, "resize to %u: %s", size, strerror(err));
}

static void receive_all(struct receiver *receiver, unsigned int messages)
{
	const unsigned int patience = receiver->group->pairs[0].end[1].wait_msec;
	uint64_t quiet_since = now_msec();
	struct ibv_wc wc;
	unsigned int i;

	while (receiver->total < messages) {
		unsigned int before = receiver->total;

		for (i = 0; i < PAIRS; i++) {
			if (ibv_poll_cq(receiver->group->pairs[i].end[1].rcq, 1, &wc) > 0 &&
			    !take_message(receiver, &wc, i))
				return;
		}
		if (before != receiver->total) {
			quiet_since = now_msec();
			if (receiver->resize && receiver->total % 64 < 2 && !change_size(receiver))
				return;
		} else if (!CHECK(now_msec() - quiet_since < patience,
				  "nothing came any more after %u messages", receiver->total)) {
			return;
		} else {
			sched_yield();
		}
	}
}

static bool start_senders(struct sender *senders, pthread_t *threads, struct group *group,
			  struct env *env, unsigned int messages, const volatile bool *stop)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		senders[i] = (struct sender) {
			.pair = &group->pairs[i], .index = i, .messages = messages, .stop = stop,
		};
		if (!buf_open(&senders[i].area, env->dev[0].pd, SLOTS * MSG_BYTES, 0))
			return false;
	}
	for (i = 0; i < PAIRS; i++) {
		if (!CHECK(!pthread_create(&threads[i], NULL, send_all, &senders[i]), "thread"))
			exit(2);
	}
	return true;
}

/* All at once, with fewer receives than messages on their way. */
static void test_stream(struct env *env, long resize)
{
	const unsigned int messages = env->quick ? 300 : 2000;
	struct pair_opts opts = pair_defaults(env);
	struct receiver receiver = { .resize = resize };
	struct sender senders[PAIRS] = { };
	pthread_t threads[PAIRS];
	volatile bool stop = false;
	struct group group;
	int i;

	opts.min_rnr_timer = 1;	/* 10 us */
	opts.recv_wr = SRQ_WR;	/* room in the CQs */
	if (!group_open(&group, env, &opts, 0, false))
		return;
	receiver.group = &group;
	if (!buf_open(&receiver.area, env->dev[1].pd, SRQ_WR / 2 * MSG_BYTES,
		      IBV_ACCESS_LOCAL_WRITE))
		goto out;
	for (i = 0; i < SRQ_WR / 2; i++)
		post_slot(&receiver, i);
	if (start_senders(senders, threads, &group, env, messages, &stop)) {
		receive_all(&receiver, PAIRS * messages);
		stop = tap_failed();
		for (i = 0; i < PAIRS; i++) {
			pthread_join(threads[i], NULL);
			CHECK(!senders[i].err, "sender %d: error %d", i, senders[i].err);
		}
	}
	for (i = 0; i < PAIRS; i++) {
		end_expect_none(&group.pairs[i].end[1], "at the end");
		if (senders[i].area.mr)
			buf_close(&senders[i].area);
	}
	buf_close(&receiver.area);
out:
	group_close(&group);
}

const struct test srq_data_tests[] = {
	{ "srq/rc", test_connected, false },
	{ "srq/uc", test_connected, true },
	{ "srq/ud", test_datagrams },
	{ "srq/order", test_order },
	{ "srq/stream", test_stream, false },
	{ "srq/stream-resize", test_stream, true },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Many datagrams: a stream without loss where receives are posted ahead, one QP to many
 * and many to one. What one QP sends to another arrives in order (IBA 9.8.3).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define MESSAGES	2000
#define BATCH		16
#define MANY		8
#define EACH		40
#define NOBODIES	28
#define FIRST_NOBODY	100
#define SLOT_BYTES	(UD_GRH_BYTES + 256)

/* Datagram @i holds its number. */
static unsigned int len_of(unsigned int i)
{
	return 4 + (i * 37) % 250;
}

struct stream {
	struct pair_opts opts;
	struct buf tx, rx;
};

static bool stream_open(struct stream *s, struct env *env, unsigned int slots)
{
	memset(s, 0, sizeof(*s));
	s->opts = pair_defaults(env);
	return buf_open(&s->tx, env->dev[0].pd, BATCH * 256, IBV_ACCESS_LOCAL_WRITE) &&
	       buf_open(&s->rx, env->dev[1].pd, slots * SLOT_BYTES, IBV_ACCESS_LOCAL_WRITE);
}

static void stream_close(struct stream *s)
{
	buf_close(&s->tx);
	buf_close(&s->rx);
}

static int post_slot(struct stream *s, struct end *end, unsigned int slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->rx.mem + slot * SLOT_BYTES, .length = SLOT_BYTES,
		.lkey = s->rx.mr->lkey,
	};

	return end_post_recv(end, slot, &sge, 1);
}

static int post_number(struct stream *s, struct end *from, struct ibv_ah *ah, uint32_t qpn,
		       uint32_t number)
{
	uint8_t *at = s->tx.mem + (number % BATCH) * 256;
	struct ibv_sge sge = {
		.addr = (uintptr_t)at, .length = len_of(number), .lkey = s->tx.mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = number, .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED, .wr.ud = { ah, qpn, UD_QKEY },
	};

	memcpy(at, &number, sizeof(number));
	return end_post_send(from, &wr);
}

/* The next datagram of @from's is @number. */
static bool expect_number(struct stream *s, struct end *to, uint32_t src_qpn, uint32_t number)
{
	struct ibv_wc wc;
	uint32_t got;

	if (!CHECK(end_wait_wc(to, to->rcq, &wc), "datagram %u did not arrive", number) ||
	    !CHECK(wc.status == IBV_WC_SUCCESS, "datagram %u: %s", number,
		   ibv_wc_status_str(wc.status)))
		return false;
	memcpy(&got, s->rx.mem + wc.wr_id * SLOT_BYTES + UD_GRH_BYTES, sizeof(got));
	return CHECK(got == number, "datagram %u came, not %u", got, number) &&
	       CHECK(wc.src_qp == src_qpn, "datagram %u: src_qp", number) &&
	       CHECK(wc.byte_len == UD_GRH_BYTES + len_of(number), "datagram %u: byte_len %u",
		     number, wc.byte_len);
}

static bool send_batch(struct stream *s, struct ud *ud, unsigned int first)
{
	unsigned int i;

	for (i = first; i < first + BATCH; i++) {
		if (!CHECK(!post_number(s, &ud->pair.end[0], ud->ah[0],
					ud->pair.end[1].qp->qp_num, i), "post_send %u", i))
			return false;
	}
	for (i = first; i < first + BATCH; i++) {
		if (!end_expect_status(&ud->pair.end[0], false, i, IBV_WC_SUCCESS, "send"))
			return false;
	}
	return true;
}

/* Go on with the @n-th of the processors in @may. */
static void move_to(unsigned int n, const cpu_set_t *may)
{
	cpu_set_t one;
	int cpu;

	CPU_ZERO(&one);
	for (cpu = 0, n %= CPU_COUNT(may); !CPU_ISSET(cpu, may) || n--; cpu++)
		;
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* @moves: the sender changes processors, which have queues of their own on a veth. */
static void test_stream(struct env *env, long moves)
{
	unsigned int i, n = env->quick ? MESSAGES / 4 : MESSAGES;
	struct stream s;
	cpu_set_t may;
	struct ud ud;

	if (env->lossy) {
		tap_skip("the path loses packets");
		return;
	}
	if (!stream_open(&s, env, n))
		goto out;
	s.opts.recv_wr = n;
	if (!ud_open(&ud, env, &s.opts))
		goto out;
	for (i = 0; i < n && !tap_failed(); i++)
		CHECK(!post_slot(&s, &ud.pair.end[1], i), "post_recv %u", i);
	CPU_ZERO(&may);
	sched_getaffinity(0, sizeof(may), &may);
	for (i = 0; i < n && !tap_failed(); i += BATCH) {
		if (moves)
			move_to(i / BATCH, &may);
		send_batch(&s, &ud, i);
	}
	sched_setaffinity(0, sizeof(may), &may);
	for (i = 0; i < n && !tap_failed(); i++)
		expect_number(&s, &ud.pair.end[1], ud.pair.end[0].qp->qp_num, i);
	ud_close(&ud);
out:
	stream_close(&s);
}

struct crowd {
	struct end one, many[MANY];
	struct ibv_ah *ah;
	int count;
};

static void crowd_close(struct crowd *c)
{
	while (c->count)
		ud_end_close(&c->many[--c->count]);
	ud_end_close(&c->one);
	ud_ah_destroy(c->ah);
}

/* The sending side is on device 0. */
static bool crowd_open(struct crowd *c, struct env *env, struct stream *s, bool one_sends)
{
	memset(c, 0, sizeof(*c));
	s->opts.recv_wr = one_sends ? EACH : MANY * EACH;
	c->ah = ud_ah(&env->dev[0], &env->dev[1]);
	if (!c->ah || !ud_end_open(&c->one, env, !one_sends, &s->opts, UD_QKEY))
		goto err;
	for (; c->count < MANY; c->count++) {
		if (!ud_end_open(&c->many[c->count], env, one_sends, &s->opts, UD_QKEY))
			goto err;
	}
	return true;
err:
	crowd_close(c);
	return false;
}

static void test_one_to_many(struct env *env, long arg)
{
	unsigned int i, k;
	struct crowd c;
	struct stream s;

	(void)arg;
	if (!stream_open(&s, env, MANY * EACH) || !crowd_open(&c, env, &s, true))
		goto out;
	for (i = 0; i < MANY * EACH; i++)
		CHECK(!post_slot(&s, &c.many[i % MANY], i), "post_recv");
	for (i = 0; i < MANY * EACH && !tap_failed(); i++) {
		CHECK(!post_number(&s, &c.one, c.ah, c.many[i % MANY].qp->qp_num, i), "post_send");
		end_expect_status(&c.one, false, i, IBV_WC_SUCCESS, "send");
	}
	for (k = 0; k < MANY; k++) {
		for (i = k; i < MANY * EACH && !tap_failed(); i += MANY)
			expect_number(&s, &c.many[k], c.one.qp->qp_num, i);
	}
	crowd_close(&c);
out:
	stream_close(&s);
}

static void test_many_to_one(struct env *env, long arg)
{
	unsigned int i;
	struct crowd c;
	struct stream s;

	(void)arg;
	if (!stream_open(&s, env, MANY * EACH) || !crowd_open(&c, env, &s, false))
		goto out;
	for (i = 0; i < MANY * EACH; i++)
		CHECK(!post_slot(&s, &c.one, i), "post_recv");
	for (i = 0; i < MANY * EACH && !tap_failed(); i++) {
		struct end *from = &c.many[i % MANY];

		CHECK(!post_number(&s, from, c.ah, c.one.qp->qp_num, i), "post_send");
		end_expect_status(from, false, i, IBV_WC_SUCCESS, "send");
		expect_number(&s, &c.one, from->qp->qp_num, i);
	}
	crowd_close(&c);
out:
	stream_close(&s);
}

/* Both directions at once; each receive is posted again as soon as it was used. */
static void test_both_ways(struct env *env, long arg)
{
	unsigned int n = env->quick ? 200 : 2000, i, k;
	struct buf area[2] = { { 0 }, { 0 } };
	struct pair_opts opts = pair_defaults(env);
	struct ud ud;

	(void)arg;
	if (!ud_open(&ud, env, &opts))
		return;
	for (k = 0; k < 2; k++) {
		if (!buf_open(&area[k], env->dev[k].pd, SLOT_BYTES, IBV_ACCESS_LOCAL_WRITE))
			goto out;
		for (i = 0; i < BATCH; i++)
			CHECK(!ud_post_recv(&ud.pair.end[k], i, &area[k], 256), "post_recv");
	}
	for (i = 0; i < n && !tap_failed(); i++) {
		for (k = 0; k < 2; k++) {
			struct ibv_send_wr wr = ud_wr(&ud, k, i);

			CHECK(!end_post_send(&ud.pair.end[k], &wr), "post_send");
		}
		for (k = 0; k < 2; k++) {
			end_expect_status(&ud.pair.end[k], false, i, IBV_WC_SUCCESS, "send");
			end_expect_status(&ud.pair.end[k], true, i % BATCH, IBV_WC_SUCCESS,
					  "receive");
			CHECK(!ud_post_recv(&ud.pair.end[k], i % BATCH, &area[k], 256),
			      "post_recv");
		}
	}
out:
	ud_close(&ud);
	buf_close(&area[0]);
	buf_close(&area[1]);
}

/*
 * A datagram of all of @buf to one of many addresses where nobody is. By value, for the core
 * makes no handle of such an address.
 */
static bool send_to_nobody(struct env *env, struct end *end, const struct buf *buf,
			   unsigned int number)
{
	struct ibv_ah_attr attr = ud_ah_attr(&env->dev[0], &env->dev[1]);
	struct rxe_send_wqe *wqe;
	struct ud_ring ring;

	if (!ud_ring_find(&ring, end))
		return false;
	attr.grh.dgid.raw[15] = FIRST_NOBODY + number;
	wqe = ud_ring_wqe(&ring);
	ud_ring_ud_send(wqe, 1, 77);
	ud_ring_av(&wqe->wr.wr.ud.av, &attr, &env->dev[0].gid);
	wqe->dma.length = buf->len;
	wqe->dma.resid = buf->len;
	wqe->dma.num_sge = 1;
	wqe->dma.sge[0].addr = (uintptr_t)buf->mem;
	wqe->dma.sge[0].length = buf->len;
	wqe->dma.sge[0].lkey = buf->mr->lkey;
	return CHECK(!ud_ring_post(&ring), "doorbell: %s", strerror(errno)) &&
	       end_expect_status(end, false, 1, IBV_WC_SUCCESS, "to nobody");
}

/* Two ends that know each other, a third that sends to nobody, and what it sends. */
struct nobody {
	struct ud ud;
	struct end end;
	struct buf buf;
};

static bool nobody_open(struct nobody *n, struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	memset(n, 0, sizeof(*n));
	if (env->lossy) {
		tap_skip("the path loses packets");
		return false;
	}
	opts.sge = 1;
	if (!ud_open(&n->ud, env, &opts))
		return false;
	opts.sge = UD_RING_SGE;
	return ud_end_open(&n->end, env, 0, &opts, UD_QKEY) &&
	       buf_open(&n->buf, env->dev[0].pd, n->ud.mtu, IBV_ACCESS_LOCAL_WRITE);
}

static void nobody_close(struct nobody *n)
{
	buf_close(&n->buf);
	ud_end_close(&n->end);
	ud_close(&n->ud);
}

/* A datagram waits for a neighbour that is not there; who changes processors does not. */
static void test_nobody(struct env *env, long arg)
{
	struct nobody n;
	cpu_set_t may;
	uint64_t start;

	(void)arg;
	CPU_ZERO(&may);
	sched_getaffinity(0, sizeof(may), &may);
	if (nobody_open(&n, env)) {
		move_to(0, &may);
		if (send_to_nobody(env, &n.end, &n.buf, 0) &&
		    ud_follow(&n.ud, 0, "on this processor")) {
			move_to(1, &may);
			start = now_msec();
			ud_follow(&n.ud, 0, "on another processor");
			CHECK(now_msec() - start < 1500, "%u ms",
			      (unsigned int)(now_msec() - start));
		}
		sched_setaffinity(0, sizeof(may), &may);
	}
	nobody_close(&n);
}

/* Nor do others wait when as much as the stack keeps is waiting for each of many. */
static void test_nobodies(struct env *env, long arg)
{
	uint64_t start, longest = 0;
	struct nobody n;
	unsigned int i;

	(void)arg;
	if (nobody_open(&n, env)) {
		for (i = 0; i < NOBODIES * EACH && !tap_failed(); i++) {
			start = now_msec();
			send_to_nobody(env, &n.end, &n.buf, 1 + i % NOBODIES);
			if (now_msec() - start > longest)
				longest = now_msec() - start;
		}
		CHECK(longest < 1000, "one waited for %u ms", (unsigned int)longest);
		ud_follow(&n.ud, 0, "to somebody");
	}
	nobody_close(&n);
}

const struct test ud_stream_tests[] = {
	{ "ud-stream/posted-ahead", test_stream },
	{ "ud-stream/moving", test_stream, true },
	{ "ud-stream/nobody", test_nobody },
	{ "ud-stream/nobodies", test_nobodies },
	{ "ud-stream/one-to-many", test_one_to_many },
	{ "ud-stream/many-to-one", test_many_to_one },
	{ "ud-stream/both-ways", test_both_ways },
	{ }
};

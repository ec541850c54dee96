/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What unit tests of the engine share: a requester or a responder with the least of a
 * driver, packets made by hand, and what is expected of it.
 */
#ifndef SORO_ENGINE_ENGINE_TEST_H
#define SORO_ENGINE_ENGINE_TEST_H

#include <kunit/test.h>
#include <linux/string.h>
#include "requester.h"
#include "responder.h"
#include "../wire/psn.h"

#define PMTU		1024
#define START		0xfffffeU	/* the wrap is always near */
#define SLOTS		32
#define PKTS		64
#define TIMEOUT		1000000ULL
#define MSEC		1000000ULL
#define PACKET		(PMTU + 16)	/* UDP payload bytes of a full packet */
#define RKEY		0x1234
#define VA		0x10000000ULL

#define ACK		(SORO_SYNDROME_ACK | SORO_CREDIT_NONE)
#define NAK		(SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE)
#define RNR(c)		(SORO_SYNDROME_RNR | (c))

static inline void put_packet(struct soro_pkt *pkt, u8 kind, u8 pos, u16 headers, u32 ahead,
			      u32 len)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->opcode = soro_opcode_make(SORO_RC, kind, pos, headers);
	pkt->row = soro_opcode_row(pkt->opcode);
	pkt->psn = soro_psn_add(START, ahead);
	pkt->payload_len = len;
}

static inline u32 draw(u32 *state, u32 n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % n;
}

/* ---- requester ---- */

/**
 * struct requester_fixture - a requester and what was asked of it last
 * @req: the requester; its peer does without credits
 * @wqes: its slots
 * @limits: of trains
 * @train: the last one planned
 * @step: the last judgement
 * @done: the last WQE popped
 * @pkts: packets to be judged
 * @more: the ring holds more than was taken
 * @now: monotonic ns
 */
struct requester_fixture {
	struct soro_requester req;
	struct soro_wqe wqes[SLOTS];
	struct soro_train_limits limits;
	struct soro_train train;
	struct soro_req_step step;
	struct soro_req_done done;
	struct soro_pkt pkts[PKTS];
	bool more;
	u64 now;
};

static inline int setup_requester(struct kunit *test)
{
	struct requester_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -1;
	f->req.wqes = f->wqes;
	f->req.stride = sizeof(f->wqes[0]);
	f->req.mask = SLOTS - 1;
	soro_requester_reset(&f->req);
	f->req.cfg = (struct soro_requester_config) {
		.pmtu_bytes = PMTU, .timeout_ns = TIMEOUT, .retry_cnt = 2, .rnr_retry = 2,
		.reads_max = 2,
	};
	soro_requester_init(&f->req, START);
	f->req.unlimited = true;
	f->limits = (struct soro_train_limits) { .packets = 64, .bytes = 65000 };
	f->now = 1000;
	test->priv = f;
	return 0;
}

static inline struct soro_wqe *post(struct requester_fixture *f, u8 kind, u32 bytes, u8 flags)
{
	struct soro_wqe *wqe = soro_requester_slot(&f->req, f->req.tail);

	*wqe = (struct soro_wqe) { .va = VA, .bytes = bytes, .kind = kind, .flags = flags };
	soro_requester_take(&f->req);
	return wqe;
}

static inline bool send(struct requester_fixture *f)
{
	if (!soro_requester_plan(&f->req, &f->limits, f->more, f->now, &f->train))
		return false;
	soro_requester_sent(&f->req, &f->train, f->now);
	return true;
}

/* Return: trains. */
static inline u32 send_all(struct requester_fixture *f)
{
	u32 trains = 0;

	while (send(f))
		trains++;
	return trains;
}

static inline void expect_train(struct kunit *test, u32 ahead, u32 n, u32 offset, u32 bytes,
				bool ackreq)
{
	struct requester_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.psn, soro_psn_add(START, ahead));
	KUNIT_EXPECT_EQ(test, f->train.n, n);
	KUNIT_EXPECT_EQ(test, f->train.offset, offset);
	KUNIT_EXPECT_EQ(test, f->train.bytes, bytes);
	KUNIT_EXPECT_EQ(test, f->train.ackreq, ackreq);
}

static inline void expect_wait(struct kunit *test, u8 why)
{
	struct requester_fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, why);
}

static inline void judge(struct requester_fixture *f, u32 n)
{
	soro_requester_judge(&f->req, f->pkts, n, f->now, &f->step);
}

static inline void receive_aeth(struct requester_fixture *f, u8 syndrome, u32 msn, u32 ahead)
{
	put_packet(f->pkts, SORO_ACK, SORO_ONLY, 0, ahead, 0);
	f->pkts->syndrome = syndrome;
	f->pkts->msn = msn & SORO_PSN_MASK;
	judge(f, 1);
}

static inline void receive_ack(struct requester_fixture *f, u8 syndrome, u32 ahead)
{
	receive_aeth(f, syndrome, 0, ahead);
}

/* Response packets @from to @from + @n - 1 of an answer of @total bytes to a READ at @ahead. */
static inline void put_responses(struct requester_fixture *f, u32 ahead, u32 from, u32 n, u32 total)
{
	u32 pmtu = f->req.cfg.pmtu_bytes;
	u32 i;

	for (i = 0; i < n; i++) {
		u32 left = total - (from + i) * pmtu;
		u8 pos = (i ? 0 : SORO_FIRST) | (left <= pmtu ? SORO_LAST : 0);

		put_packet(&f->pkts[i], SORO_READ_RESP, pos, 0, ahead + from + i, min(left, pmtu));
		f->pkts[i].syndrome = ACK;
	}
}

static inline void receive_responses(struct requester_fixture *f, u32 ahead, u32 from, u32 n,
				     u32 total)
{
	put_responses(f, ahead, from, n, total);
	judge(f, n);
	if (f->step.verdict == SORO_REQ_PLACE)
		soro_requester_commit(&f->req, &f->step, f->now);
}

static inline void expect_done(struct kunit *test, u32 slot, u8 status, bool completion)
{
	struct requester_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_EXPECT_EQ(test, f->done.slot, slot);
	KUNIT_EXPECT_EQ(test, f->done.status, status);
	KUNIT_EXPECT_EQ(test, f->done.completion, completion);
}

static inline void expect_none(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
}

/* The next deadline passes. */
static inline bool expire(struct requester_fixture *f)
{
	f->now = soro_requester_deadline(&f->req);
	return soro_requester_timeout(&f->req, f->now);
}

/* ---- responder ---- */

/**
 * struct responder_fixture - a responder and what was asked of it last
 * @rsp: the responder
 * @step: the last judgement
 * @limits: of replies
 * @reply: the last one
 * @pkts: packets to be judged
 * @no_recv: there is no receive WQE
 * @bad_key: no key is any good
 * @capacity: bytes of each receive WQE
 * @acts: how often something was executed
 */
struct responder_fixture {
	struct soro_responder rsp;
	struct soro_rsp_step step;
	struct soro_train_limits limits;
	struct soro_reply reply;
	struct soro_pkt pkts[PKTS];
	bool no_recv;
	bool bad_key;
	u32 capacity;
	u32 acts;
};

/* An atomic finds another value each time. */
#define ORIG	0x0123456789abcdefULL

static inline int setup_responder(struct kunit *test)
{
	struct responder_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -1;
	f->rsp.cfg = (struct soro_responder_config) {
		.pmtu_bytes = PMTU, .min_rnr_timer = 12, .reads_max = 2,
		.allow_write = true, .allow_read = true, .allow_atomic = true,
	};
	soro_responder_init(&f->rsp, START);
	f->limits = (struct soro_train_limits) { .packets = 64, .bytes = 65000 };
	f->capacity = 1 << 20;
	test->priv = f;
	return 0;
}

/* Packet @i of the train: @kind, @pos and immediate or not, @ahead PSNs after START. */
static inline struct soro_pkt *put(struct responder_fixture *f, u32 i, u8 kind, u8 pos, u16 headers,
				   u32 ahead, u32 len)
{
	put_packet(&f->pkts[i], kind, pos, headers, ahead, len);
	return &f->pkts[i];
}

static inline struct soro_pkt *put_write(struct responder_fixture *f, u32 i, u8 pos, u16 headers,
					 u32 ahead, u32 len, u32 total)
{
	struct soro_pkt *pkt = put(f, i, SORO_WRITE, pos, headers, ahead, len);

	pkt->reth.va = VA;
	pkt->reth.rkey = RKEY;
	pkt->reth.len = total;
	return pkt;
}

static inline struct soro_pkt *put_read(struct responder_fixture *f, u32 i, u32 ahead, u32 offset,
					u32 len)
{
	struct soro_pkt *pkt = put(f, i, SORO_READ_REQ, SORO_ONLY, 0, ahead, 0);

	pkt->reth.va = VA + offset;
	pkt->reth.rkey = RKEY;
	pkt->reth.len = len;
	return pkt;
}

/* What the driver does with a step. */
static inline void execute(struct responder_fixture *f)
{
	struct soro_rsp_answer answer = {
		.recv_found = !f->no_recv,
		.recv_capacity = f->capacity,
		.fault = f->bad_key && f->step.need & SORO_NEED_RANGE ? SORO_FAULT_ACCESS : 0,
	};

	if (soro_responder_resolve(&f->rsp, &f->step, &answer) != SORO_RSP_EXECUTE)
		return;
	f->step.orig = ORIG + f->acts++;
	soro_responder_commit(&f->rsp, &f->step);
}

/* Judge the first @n packets in one go; f->step is the last step. */
static inline void feed(struct responder_fixture *f, u32 n)
{
	u32 i;

	for (i = 0; i < n; i += f->step.n) {
		soro_responder_judge(&f->rsp, f->pkts + i, n - i, &f->step);
		if (f->step.verdict == SORO_RSP_EXECUTE)
			execute(f);
	}
}

static inline bool reply(struct responder_fixture *f)
{
	if (!soro_responder_reply(&f->rsp, &f->limits, &f->reply))
		return false;
	soro_responder_replied(&f->rsp, &f->reply);
	return true;
}

static inline void expect_ack(struct kunit *test, u8 syndrome, u32 ahead)
{
	struct responder_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.kind, SORO_ACK);
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, syndrome);
	KUNIT_EXPECT_EQ(test, f->reply.psn, soro_psn_add(START, ahead));
}

static inline void expect_response(struct kunit *test, u32 ahead, u32 n, u32 offset, u32 bytes,
				   bool first, bool last)
{
	struct responder_fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.kind, SORO_READ_RESP);
	KUNIT_EXPECT_EQ(test, f->reply.psn, soro_psn_add(START, ahead));
	KUNIT_EXPECT_EQ(test, f->reply.n, n);
	KUNIT_EXPECT_EQ(test, f->reply.range.va, VA + offset);
	KUNIT_EXPECT_EQ(test, f->reply.range.bytes, bytes);
	KUNIT_EXPECT_EQ(test, f->reply.first, first);
	KUNIT_EXPECT_EQ(test, f->reply.last, last);
}

static inline void expect_silence(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* The last step failed: a fatal NAK goes out, and nothing is executed any more. */
static inline void expect_fault(struct kunit *test, u8 fault, u32 ahead)
{
	struct responder_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, f->step.fault, fault);
	expect_ack(test, soro_fault_row(fault)->syndrome, ahead);
	KUNIT_EXPECT_TRUE(test, f->reply.fatal);
	KUNIT_EXPECT_EQ(test, f->reply.fault, fault);
	KUNIT_EXPECT_FALSE(test, reply(f));
	put(f, 0, SORO_SEND, SORO_ONLY, 0, ahead, 0);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_QP_STATE);
}

#endif

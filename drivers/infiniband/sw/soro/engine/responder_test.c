// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the RC responder: judge, resolve, commit and the replies owed. */
#include <kunit/test.h>
#include <linux/string.h>
#include "responder.h"
#include "../wire/psn.h"

#define PMTU		1024
#define START		0xfffffeU	/* the wrap is always near */
#define RKEY		0x1234
#define VA		0x10000000ULL
#define PKTS		16

static const struct soro_train_limits wide = { .packets = 64, .bytes = 65000 };

struct fixture {
	struct soro_responder rsp;
	struct soro_rsp_step step;
	struct soro_reply reply;
	struct soro_pkt pkts[PKTS];
	bool no_recv;
	bool bad_key;
	u32 capacity;
	u32 acts;
};

static int setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -1;
	f->rsp.cfg = (struct soro_responder_config) {
		.pmtu_bytes = PMTU, .min_rnr_timer = 12, .reads_max = 2,
		.allow_write = true, .allow_read = true,
	};
	soro_responder_init(&f->rsp, START);
	f->capacity = 1 << 20;
	test->priv = f;
	return 0;
}

/* Packet @i of the train: @kind, @pos and immediate or not, @ahead PSNs after START. */
static struct soro_pkt *put(struct fixture *f, u32 i, u8 kind, u8 pos, u16 headers, u32 ahead,
			    u32 len)
{
	struct soro_pkt *pkt = &f->pkts[i];

	memset(pkt, 0, sizeof(*pkt));
	pkt->opcode = soro_opcode_make(SORO_RC, kind, pos, headers);
	pkt->row = soro_opcode_row(pkt->opcode);
	pkt->psn = soro_psn_add(START, ahead);
	pkt->payload_len = len;
	return pkt;
}

static struct soro_pkt *put_write(struct fixture *f, u32 i, u8 pos, u16 headers, u32 ahead,
				  u32 len, u32 total)
{
	struct soro_pkt *pkt = put(f, i, SORO_WRITE, pos, headers, ahead, len);

	pkt->reth.va = VA;
	pkt->reth.rkey = RKEY;
	pkt->reth.len = total;
	return pkt;
}

static struct soro_pkt *put_read(struct fixture *f, u32 i, u32 ahead, u32 offset, u32 len)
{
	struct soro_pkt *pkt = put(f, i, SORO_READ_REQ, SORO_ONLY, 0, ahead, 0);

	pkt->reth.va = VA + offset;
	pkt->reth.rkey = RKEY;
	pkt->reth.len = len;
	return pkt;
}

/* What the driver does with a step. */
static void execute(struct fixture *f)
{
	struct soro_rsp_answer answer = {
		.recv_found = !f->no_recv,
		.recv_capacity = f->capacity,
		.fault = f->bad_key && f->step.need & SORO_NEED_RANGE ? SORO_FAULT_ACCESS : 0,
	};

	if (soro_responder_resolve(&f->rsp, &f->step, &answer) != SORO_RSP_EXECUTE)
		return;
	f->acts++;
	soro_responder_commit(&f->rsp, &f->step);
}

/* Judge the first @n packets in one go; f->step is the last step. */
static void feed(struct fixture *f, u32 n)
{
	u32 i;

	for (i = 0; i < n; i += f->step.n) {
		soro_responder_judge(&f->rsp, f->pkts + i, n - i, &f->step);
		if (f->step.verdict == SORO_RSP_EXECUTE)
			execute(f);
	}
}

static bool reply(struct fixture *f)
{
	if (!soro_responder_reply(&f->rsp, &wide, &f->reply))
		return false;
	soro_responder_replied(&f->rsp, &f->reply);
	return true;
}

static void expect_ack(struct kunit *test, u8 syndrome, u32 ahead)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.kind, SORO_ACK);
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, syndrome);
	KUNIT_EXPECT_EQ(test, f->reply.psn, soro_psn_add(START, ahead));
}

static void expect_response(struct kunit *test, u32 ahead, u32 n, u32 offset, u32 bytes,
			    bool first, bool last)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.kind, SORO_READ_RESP);
	KUNIT_EXPECT_EQ(test, f->reply.psn, soro_psn_add(START, ahead));
	KUNIT_EXPECT_EQ(test, f->reply.n, n);
	KUNIT_EXPECT_EQ(test, f->reply.range.va, VA + offset);
	KUNIT_EXPECT_EQ(test, f->reply.range.bytes, bytes);
	KUNIT_EXPECT_EQ(test, f->reply.first, first);
	KUNIT_EXPECT_EQ(test, f->reply.last, last);
}

static void expect_fault(struct kunit *test, u8 fault, u32 ahead)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, f->step.fault, fault);
	expect_ack(test, soro_fault_row(fault)->syndrome, ahead);
	KUNIT_EXPECT_TRUE(test, f->reply.fatal);
	KUNIT_EXPECT_EQ(test, f->reply.fault, fault);
	KUNIT_EXPECT_FALSE(test, reply(f));
	put(f, 0, SORO_SEND, SORO_ONLY, 0, ahead, 0);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_QP_STATE);
}

#define ACK	(SORO_SYNDROME_ACK | SORO_CREDIT_NONE)
#define NAK	(SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE)
#define RNR	(SORO_SYNDROME_RNR | 12)

/* A whole SEND is one step; its ACK names the last PSN, MSN counts it. */
static void send_train(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_MIDDLE, 0, 1, PMTU);
	put(f, 2, SORO_SEND, SORO_MIDDLE, 0, 2, PMTU);
	put(f, 3, SORO_SEND, SORO_LAST, SORO_HDR_IMM, 3, 7)->flags =
		SORO_PKT_ACKREQ | SORO_PKT_SE;
	f->pkts[3].imm = (__force __be32)0xabcd;
	feed(f, 4);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	KUNIT_EXPECT_EQ(test, f->step.n, 4U);
	KUNIT_EXPECT_EQ(test, f->step.act, SORO_ACT_RECV);
	KUNIT_EXPECT_EQ(test, f->step.bytes, 3 * PMTU + 7U);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_TRUE(test, f->step.has_imm);
	KUNIT_EXPECT_TRUE(test, f->step.solicited);
	KUNIT_EXPECT_FALSE(test, f->step.is_write);
	KUNIT_EXPECT_TRUE(test, f->step.imm == (__force __be32)0xabcd);
	KUNIT_EXPECT_EQ(test, f->step.length, 3 * PMTU + 7U);
	expect_ack(test, ACK, 3);
	KUNIT_EXPECT_EQ(test, f->reply.msn, 1U);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

static void unasked_is_unanswered(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* IBA 9.7.5: one NAK for a gap, none until the expected PSN came. */
static void gap_is_nakked_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 2, 5);
	put(f, 2, SORO_SEND, SORO_ONLY, 0, 5, 5);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.n, 3U);
	expect_ack(test, NAK, 0);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_HOLD);
	KUNIT_EXPECT_FALSE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->acts, 0U);

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 3, 5);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_ack(test, NAK, 1);
}

/* What was kept is judged again when the gap is filled; the next gap gets its own NAK. */
static void held_until_the_gap_is_filled(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_HOLD);
	expect_ack(test, NAK, 0);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 1, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	soro_responder_gap(&f->rsp);	/* something more is kept */
	soro_responder_gap(&f->rsp);
	expect_ack(test, NAK, 2);
	KUNIT_EXPECT_FALSE(test, reply(f));
	soro_responder_gap(&f->rsp);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* The gap is filled before its NAK goes out, what came behind it was dropped: tell the peer. */
static void dropped_before_the_nak(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 2, 5);
	feed(f, 2);
	soro_responder_dropped(&f->rsp, &f->step);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 1);
	expect_ack(test, NAK, 1);
	KUNIT_EXPECT_FALSE(test, reply(f));

	/* it comes again after all, and nothing is left to tell */
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 2, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 2);
	expect_ack(test, ACK, 2);
}

static void dropped_before_the_rnr(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 1, 5);
	feed(f, 2);
	f->no_recv = false;
	feed(f, 1);
	expect_ack(test, NAK, 1);

	/* all of it came again: no NAK */
	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 2, 5);
	feed(f, 2);
	f->no_recv = false;
	feed(f, 2);
	expect_ack(test, ACK, 2);

	/* so it did in one step */
	put(f, 0, SORO_SEND, SORO_LAST, 0, 5, 5);
	feed(f, 1);
	soro_responder_dropped(&f->rsp, &f->step);
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 3, PMTU);
	put(f, 1, SORO_SEND, SORO_MIDDLE, 0, 4, PMTU);
	put(f, 2, SORO_SEND, SORO_LAST, 0, 5, 5);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.n, 3U);
	expect_ack(test, ACK, 5);
}

static void far_away_is_not_held(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, SORO_HOLD_PSNS + 1, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_DROP);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_SEQUENCE);
	expect_ack(test, NAK, 0);
}

/* A NAK that was not sent before its gap was filled says so no more. */
static void filled_gap_is_acked(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_ack(test, ACK, 0);
}

/* IBA C9-105: acknowledged with the latest PSN, never executed. */
static void duplicate_is_acked(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put_write(f, 1, SORO_ONLY, 0, 1, 5, 5);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	feed(f, 2);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_EQ(test, f->step.n, 2U);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	expect_ack(test, ACK, 1);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* Old and new in one train: the overlap is skipped, the rest executed. */
static void overlap_is_cut(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_MIDDLE, 0, 1, PMTU);
	feed(f, 2);
	put(f, 2, SORO_SEND, SORO_MIDDLE, 0, 2, PMTU);
	put(f, 3, SORO_SEND, SORO_LAST, 0, 3, 9)->flags = SORO_PKT_ACKREQ;
	feed(f, 4);
	KUNIT_EXPECT_EQ(test, f->step.n, 2U);
	KUNIT_EXPECT_EQ(test, f->step.offset, 2U * PMTU);
	KUNIT_EXPECT_EQ(test, f->step.length, 3 * PMTU + 9U);
	expect_ack(test, ACK, 3);
}

static void rnr_is_nakked_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 1, 5);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_SEQUENCE);
	expect_ack(test, RNR, 0);
	KUNIT_EXPECT_FALSE(test, reply(f));
	feed(f, 2);
	expect_ack(test, RNR, 0);

	f->no_recv = false;
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
}

/* The data of a WRITE with immediate lands before the receive WQE is asked for. */
static void write_imm_needs_receive_at_its_end(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->no_recv = true;
	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, 2 * PMTU + 1);
	put(f, 1, SORO_WRITE, SORO_MIDDLE, 0, 1, PMTU);
	put(f, 2, SORO_WRITE, SORO_LAST, SORO_HDR_IMM, 2, 1);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	KUNIT_EXPECT_EQ(test, f->rsp.received, 2U * PMTU);
	expect_ack(test, RNR, 2);

	f->no_recv = false;
	soro_responder_judge(&f->rsp, f->pkts + 2, 1, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RECV | SORO_NEED_RANGE);
	KUNIT_EXPECT_EQ(test, f->step.range.va, VA + 2 * PMTU);
	KUNIT_EXPECT_EQ(test, f->step.range.bytes, 1U);
	execute(f);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_TRUE(test, f->step.is_write);
	KUNIT_EXPECT_EQ(test, f->step.length, 2 * PMTU + 1U);
}

/* The first packet asks for the range of the whole message, later ones for theirs. */
static void write_ranges(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, 3 * PMTU);
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.range.bytes, 3U * PMTU);
	KUNIT_EXPECT_EQ(test, f->step.range.right, (u8)SORO_RIGHT_WRITE);
	execute(f);
	KUNIT_EXPECT_EQ(test, f->step.act, SORO_ACT_WRITE);
	put(f, 0, SORO_WRITE, SORO_MIDDLE, 0, 1, PMTU);
	put(f, 1, SORO_WRITE, SORO_LAST, 0, 2, PMTU);
	soro_responder_judge(&f->rsp, f->pkts, 2, &f->step);
	KUNIT_EXPECT_EQ(test, f->step.n, 2U);
	KUNIT_EXPECT_EQ(test, f->step.range.va, VA + PMTU);
	KUNIT_EXPECT_EQ(test, f->step.range.bytes, 2U * PMTU);
	execute(f);
	KUNIT_EXPECT_FALSE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 1U);
}

/* IBA C9-88: no key check for zero length. */
static void zero_length_needs_no_key(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->bad_key = true;
	put_write(f, 0, SORO_ONLY, 0, 0, 0, 0);
	put_read(f, 1, 1, 0, 0);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	expect_response(test, 1, 1, 0, 0, true, true);
}

struct wrong {
	const char *what;
	u8 kind, pos;
	u16 headers;
	u32 len, total;
	u8 fault;
};

/* As the first packet of a message. */
static const struct wrong wrong_first[] = {
	{ "middle without first", SORO_SEND, SORO_MIDDLE, 0, PMTU, 0, SORO_FAULT_OPCODE },
	{ "last without first", SORO_WRITE, SORO_LAST, 0, 1, 1, SORO_FAULT_OPCODE },
	{ "send with invalidate", SORO_SEND, SORO_ONLY, SORO_HDR_IETH, 1, 0, SORO_FAULT_OPCODE },
	{ "flush", SORO_FLUSH, SORO_ONLY, 0, 0, 0, SORO_FAULT_OPCODE },
	{ "short first", SORO_SEND, SORO_FIRST, 0, PMTU - 1, 0, SORO_FAULT_LENGTH },
	{ "long first", SORO_SEND, SORO_FIRST, 0, PMTU + 4, 0, SORO_FAULT_LENGTH },
	{ "long only", SORO_SEND, SORO_ONLY, 0, PMTU + 1, 0, SORO_FAULT_LENGTH },
	{ "write below its length", SORO_WRITE, SORO_ONLY, 0, 5, 6, SORO_FAULT_LENGTH },
	{ "write above its length", SORO_WRITE, SORO_ONLY, 0, 6, 5, SORO_FAULT_LENGTH },
	{ "first holds all", SORO_WRITE, SORO_FIRST, 0, PMTU, PMTU, SORO_FAULT_LENGTH },
	{ "write too long", SORO_WRITE, SORO_FIRST, 0, PMTU, SORO_MSG_MAX + 1, SORO_FAULT_LENGTH },
	{ "read too long", SORO_READ_REQ, SORO_ONLY, 0, 0, SORO_MSG_MAX + 1, SORO_FAULT_LENGTH },
};

/* As the second packet, after a FIRST of a WRITE of 2 * PMTU + 5. */
static const struct wrong wrong_next[] = {
	{ "only in a message", SORO_WRITE, SORO_ONLY, 0, 5, 5, SORO_FAULT_OPCODE },
	{ "first in a message", SORO_WRITE, SORO_FIRST, 0, PMTU, 9000, SORO_FAULT_OPCODE },
	{ "another kind", SORO_SEND, SORO_MIDDLE, 0, PMTU, 0, SORO_FAULT_OPCODE },
	{ "read in a message", SORO_READ_REQ, SORO_ONLY, 0, 0, 5, SORO_FAULT_OPCODE },
	{ "atomic in a message", SORO_FETCH_ADD, SORO_ONLY, 0, 0, 0, SORO_FAULT_OPCODE },
	{ "short middle", SORO_WRITE, SORO_MIDDLE, 0, PMTU - 4, 0, SORO_FAULT_LENGTH },
	{ "last too early", SORO_WRITE, SORO_LAST, 0, 5, 0, SORO_FAULT_LENGTH },
	{ "long last", SORO_WRITE, SORO_LAST, 0, PMTU + 5, 0, SORO_FAULT_LENGTH },
	{ "empty last", SORO_WRITE, SORO_LAST, 0, 0, 0, SORO_FAULT_LENGTH },
};

static void name_wrong(const struct wrong *wrong, char *desc)
{
	strscpy(desc, wrong->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wrong_first, wrong_first, name_wrong);
KUNIT_ARRAY_PARAM(wrong_next, wrong_next, name_wrong);

static void bad_first_packet(struct kunit *test)
{
	const struct wrong *w = test->param_value;
	struct fixture *f = test->priv;

	put_write(f, 0, SORO_ONLY, 0, 0, w->len, w->total);
	put(f, 0, w->kind, w->pos, w->headers, 0, w->len);
	if (w->total) {
		f->pkts[0].reth.va = VA;
		f->pkts[0].reth.len = w->total;
	}
	KUNIT_ASSERT_NOT_NULL(test, f->pkts[0].row);
	feed(f, 1);
	expect_fault(test, w->fault, 0);
}

static void bad_next_packet(struct kunit *test)
{
	const struct wrong *w = test->param_value;
	struct fixture *f = test->priv;

	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, 2 * PMTU + 5);
	put_write(f, 1, w->pos, w->headers, 1, w->len, w->total);
	if (w->kind != SORO_WRITE)
		put(f, 1, w->kind, w->pos, w->headers, 1, w->len);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_fault(test, w->fault, 1);
}

static void not_enabled(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->rsp.cfg.allow_write = false;
	put_write(f, 0, SORO_ONLY, 0, 0, 0, 0);
	feed(f, 1);
	expect_fault(test, SORO_FAULT_NOT_ENABLED, 0);

	soro_responder_init(&f->rsp, START);
	f->rsp.cfg.reads_max = 0;
	put_read(f, 0, 0, 0, 5);
	feed(f, 1);
	expect_fault(test, SORO_FAULT_NOT_ENABLED, 0);
}

static void receive_too_small(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->capacity = PMTU + 4;
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	feed(f, 1);
	put(f, 0, SORO_SEND, SORO_LAST, 0, 1, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_fault(test, SORO_FAULT_RECV_SHORT, 1);
}

static void receive_just_large_enough(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->capacity = PMTU + 5;
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_LAST, 0, 1, 5);
	feed(f, 2);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
}

static void bad_key(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->bad_key = true;
	put_write(f, 0, SORO_ONLY, 0, 0, 5, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	expect_fault(test, SORO_FAULT_ACCESS, 0);
}

/* RNR before a bad key: the peer may still be served (IBA 9.7.4: receive WQE, then key). */
static void no_receive_before_bad_key(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->bad_key = true;
	f->no_recv = true;
	put_write(f, 0, SORO_ONLY, SORO_HDR_IMM, 0, 5, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_NONE);
	expect_ack(test, RNR, 0);
}

/* A READ advances the expected PSN by its response; what comes after waits its turn. */
static void read_then_ack(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	put_read(f, 1, 1, 0, 4 * PMTU + 1);
	put(f, 2, SORO_SEND, SORO_ONLY, 0, 6, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 3U);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 7));
	expect_response(test, 1, 1, 0, PMTU, true, false);
	KUNIT_EXPECT_EQ(test, f->reply.msn, 3U);
	expect_response(test, 2, 4, PMTU, 3 * PMTU + 1, false, true);
	expect_ack(test, ACK, 6);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* A response acknowledges what came before it: one answer is enough. */
static void read_subsumes_ack(struct kunit *test)
{
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	put_read(f, 1, 1, 0, 5);
	feed(f, 2);
	expect_response(test, 1, 1, 0, 5, true, true);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* Equal sizes: FIRST alone or with LAST, LAST with MIDDLEs if its AETH fits. */
static void response_trains(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 2 * PMTU);
	feed(f, 1);
	expect_response(test, 0, 2, 0, 2 * PMTU, true, true);

	put_read(f, 0, 2, 0, 4 * PMTU);
	feed(f, 1);
	expect_response(test, 2, 1, 0, PMTU, true, false);
	expect_response(test, 3, 2, PMTU, 2 * PMTU, false, false);
	expect_response(test, 5, 1, 3 * PMTU, PMTU, false, true);

	put_read(f, 0, 6, 0, 4 * PMTU - 4);
	feed(f, 1);
	expect_response(test, 6, 1, 0, PMTU, true, false);
	expect_response(test, 7, 3, PMTU, 3 * PMTU - 4, false, true);

	put_read(f, 0, 10, 0, 4 * PMTU - 3);
	feed(f, 1);
	expect_response(test, 10, 1, 0, PMTU, true, false);
	expect_response(test, 11, 2, PMTU, 2 * PMTU, false, false);
	expect_response(test, 13, 1, 3 * PMTU, PMTU - 3, false, true);
}

static void response_limits(struct kunit *test)
{
	const struct soro_train_limits narrow = { .packets = 64, .bytes = 2 * (PMTU + 16) + 15 };
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 6 * PMTU);
	feed(f, 1);
	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &narrow, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.n, 2U);
	/* not handed over: still owed as it was */
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &wide, &f->reply));
	KUNIT_EXPECT_EQ(test, f->reply.n, 4U);
}

/* A duplicate READ may ask for a part; only that is owed again, and opens with a FIRST. */
static void read_in_part_again(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 5 * PMTU + 3);
	put_read(f, 1, 6, 0, 7);
	feed(f, 2);
	while (reply(f))
		;
	put_read(f, 0, 3, 3 * PMTU, 2 * PMTU + 3);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_TRUE(test, f->step.kept);
	expect_response(test, 3, 1, 3 * PMTU, PMTU, true, false);
	expect_response(test, 4, 2, 4 * PMTU, PMTU + 3, false, true);
	KUNIT_EXPECT_FALSE(test, reply(f));

	put_read(f, 0, 1, PMTU, PMTU + 9);
	feed(f, 1);
	expect_response(test, 1, 2, PMTU, PMTU + 9, true, true);
	KUNIT_EXPECT_FALSE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 7));
	KUNIT_EXPECT_EQ(test, f->rsp.msn, 2U);
}

/* A duplicate that is no part of the READ at its PSN is no duplicate. */
/* Kept READs may cover more than all PSNs: the repeat means the newest that has its PSN. */
static void repeat_after_a_whole_turn(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, last = 0;

	f->rsp.cfg.reads_max = SORO_READS_MAX;
	for (i = 0; i < 9; i++) {
		last = i * (SORO_MSG_MAX / PMTU);
		put_read(f, 0, last, i, SORO_MSG_MAX);
		feed(f, 1);
		while (reply(f))
			;
	}
	KUNIT_EXPECT_EQ(test, f->acts, 9U);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
	KUNIT_EXPECT_EQ(test, f->acts, 10U);
	expect_response(test, last, 1, 8, PMTU, true, false);
}

static void read_of_something_else(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	put_read(f, 0, 0, 0, 3 * PMTU);
	feed(f, 1);
	while (reply(f))
		;
	put_read(f, 0, 1, 0, PMTU);			/* address */
	put_read(f, 1, 1, PMTU, 2 * PMTU + 1);		/* length */
	put_read(f, 2, 1, PMTU, 0);			/* nothing */
	put_read(f, 3, 0, 0, PMTU)->reth.rkey++;	/* key */
	put_read(f, 4, -1, 0, PMTU);			/* before any READ */
	for (i = 0; i < 5; i++) {
		soro_responder_judge(&f->rsp, f->pkts + i, 1, &f->step);
		KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_DUPLICATE_BAD);
	}
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* Memory that is gone when a READ is repeated. */
static void repeated_read_checks_the_key(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 3 * PMTU);
	feed(f, 1);
	while (reply(f))
		;
	f->bad_key = true;
	put_read(f, 0, 1, PMTU, 2 * PMTU);
	feed(f, 1);
	expect_fault(test, SORO_FAULT_ACCESS, 1);
}

static void too_many_reads(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 5);
	put_read(f, 1, 1, 0, 5);
	put_read(f, 2, 2, 0, 5);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	/* the accepted ones are answered first */
	expect_response(test, 0, 1, 0, 5, true, true);
	expect_response(test, 1, 1, 0, 5, true, true);
	expect_fault(test, SORO_FAULT_READS, 2);
}

/* That an answered READ is owed again for a late duplicate is no fault of the peer. */
static void late_duplicate_costs_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 5);
	put_read(f, 1, 1, 0, 5);
	feed(f, 2);
	while (reply(f))
		;
	put_read(f, 2, 2, 0, 5);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 3));
	expect_response(test, 1, 1, 0, 5, true, true);
	expect_response(test, 2, 1, 0, 5, true, true);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* A READ whose memory goes away ends in a NAK where it stands; later ones are silent. */
static void unreadable(struct kunit *test)
{
	struct fixture *f = test->priv;

	put_read(f, 0, 0, 0, 3 * PMTU);
	put_read(f, 1, 3, 0, 5);
	feed(f, 2);
	expect_response(test, 0, 1, 0, PMTU, true, false);
	KUNIT_ASSERT_TRUE(test, soro_responder_reply(&f->rsp, &wide, &f->reply));
	soro_responder_unreadable(&f->rsp, &f->reply);
	expect_ack(test, soro_fault_row(SORO_FAULT_ACCESS)->syndrome, 1);
	KUNIT_EXPECT_TRUE(test, f->reply.fatal);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

static void act_that_failed(struct kunit *test)
{
	struct soro_rsp_answer answer = { .recv_found = true, .recv_capacity = 100 };
	struct fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_EXPECT_EQ(test, soro_responder_resolve(&f->rsp, &f->step, &answer), SORO_RSP_EXECUTE);
	soro_responder_refuse(&f->rsp, &f->step, SORO_FAULT_RECV_PROT);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, START);
	expect_fault(test, SORO_FAULT_RECV_PROT, 0);
}

/* 2^31 bytes at PMTU 256: half of the PSN space in one READ. */
static void longest_read(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->rsp.cfg.pmtu_bytes = 256;
	put_read(f, 0, 0, 0, SORO_MSG_MAX);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(START, 1 << 23));
	f->rsp.kept[0].cursor = (1 << 23) - 3;
	f->rsp.kept[0].restart = false;
	expect_response(test, (1 << 23) - 3, 2, SORO_MSG_MAX - 3 * 256, 512, false, false);
	expect_response(test, (1 << 23) - 1, 1, SORO_MSG_MAX - 256, 256, false, true);
	put_read(f, 0, 0, 0, SORO_MSG_MAX);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.duplicate);
}

/* ---- a hostile peer ---- */

static u32 draw(u32 *state, u32 n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % n;
}

/* Any request opcode at a PSN near the expected one, with a length near a limit. */
static void forge(struct fixture *f, u32 *state, struct soro_pkt *pkt)
{
	static const u32 lengths[] = { 0, 1, PMTU - 1, PMTU, PMTU + 1, 3 * PMTU, SORO_MSG_MAX };

	memset(pkt, 0, sizeof(*pkt));
	do {
		pkt->opcode = draw(state, 0x20);
		pkt->row = soro_opcode_row(pkt->opcode);
	} while (!pkt->row || pkt->row->response);
	pkt->psn = soro_psn_add(f->rsp.epsn, draw(state, 6) < 4 ? 0 : draw(state, 9) - 4);
	pkt->flags = draw(state, 4) ? 0 : SORO_PKT_ACKREQ;
	pkt->payload_len = draw(state, 2) ? PMTU : draw(state, PMTU + 2);
	pkt->reth.va = VA;
	pkt->reth.rkey = RKEY;
	pkt->reth.len = lengths[draw(state, ARRAY_SIZE(lengths))];
	if (pkt->row->pos == SORO_ONLY && draw(state, 2))
		pkt->reth.len = pkt->payload_len;
}

static void check_step(struct kunit *test, u32 n)
{
	struct fixture *f = test->priv;
	const struct soro_rsp_step *step = &f->step;

	KUNIT_ASSERT_GE(test, step->n, 1U);
	KUNIT_ASSERT_LE(test, step->n, n);
	if (step->act == SORO_ACT_RECV)
		KUNIT_ASSERT_LE(test, (u64)step->offset + step->bytes, (u64)f->capacity);
	if (step->act == SORO_ACT_WRITE) {
		KUNIT_ASSERT_TRUE(test, step->need & SORO_NEED_RANGE);
		KUNIT_ASSERT_LE(test, step->bytes, step->range.bytes);
	}
	KUNIT_ASSERT_LE(test, f->rsp.kept_count, f->rsp.cfg.reads_max);
}

/* Whatever comes: no act beyond what was checked, and as many packets as were given. */
static void hostile_requests(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 state = 1, round, i, n;

	for (round = 0; round < 20000; round++) {
		n = 1 + draw(&state, 4);
		for (i = 0; i < n; i++)
			forge(f, &state, &f->pkts[i]);
		f->no_recv = !draw(&state, 8);
		f->bad_key = !draw(&state, 32);
		if (!f->rsp.in_message)
			f->capacity = draw(&state, 5 * PMTU);
		for (i = 0; i < n; i += f->step.n) {
			soro_responder_judge(&f->rsp, f->pkts + i, n - i, &f->step);
			if (f->step.verdict == SORO_RSP_EXECUTE)
				execute(f);
			check_step(test, n - i);
			if (f->step.complete && !f->step.is_write)
				f->capacity = draw(&state, 5 * PMTU);
		}
		for (i = 0; i < 3 && reply(f); i++)
			KUNIT_ASSERT_GE(test, f->reply.n, 1U);
		if (f->rsp.dead && !draw(&state, 4))
			soro_responder_init(&f->rsp, draw(&state, 1 << 24));
	}
	KUNIT_EXPECT_GT(test, f->acts, 1000U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(send_train),
	KUNIT_CASE(unasked_is_unanswered),
	KUNIT_CASE(gap_is_nakked_once),
	KUNIT_CASE(held_until_the_gap_is_filled),
	KUNIT_CASE(dropped_before_the_nak),
	KUNIT_CASE(dropped_before_the_rnr),
	KUNIT_CASE(far_away_is_not_held),
	KUNIT_CASE(filled_gap_is_acked),
	KUNIT_CASE(duplicate_is_acked),
	KUNIT_CASE(overlap_is_cut),
	KUNIT_CASE(rnr_is_nakked_once),
	KUNIT_CASE(write_imm_needs_receive_at_its_end),
	KUNIT_CASE(write_ranges),
	KUNIT_CASE(zero_length_needs_no_key),
	KUNIT_CASE_PARAM(bad_first_packet, wrong_first_gen_params),
	KUNIT_CASE_PARAM(bad_next_packet, wrong_next_gen_params),
	KUNIT_CASE(not_enabled),
	KUNIT_CASE(receive_too_small),
	KUNIT_CASE(receive_just_large_enough),
	KUNIT_CASE(bad_key),
	KUNIT_CASE(no_receive_before_bad_key),
	KUNIT_CASE(read_then_ack),
	KUNIT_CASE(read_subsumes_ack),
	KUNIT_CASE(response_trains),
	KUNIT_CASE(response_limits),
	KUNIT_CASE(read_in_part_again),
	KUNIT_CASE(repeat_after_a_whole_turn),
	KUNIT_CASE(read_of_something_else),
	KUNIT_CASE(repeated_read_checks_the_key),
	KUNIT_CASE(too_many_reads),
	KUNIT_CASE(late_duplicate_costs_nothing),
	KUNIT_CASE(unreadable),
	KUNIT_CASE(act_that_failed),
	KUNIT_CASE(longest_read),
	KUNIT_CASE(hostile_requests),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_responder",
	.init = setup,
	.test_cases = cases,
};

kunit_test_suites(&suite);

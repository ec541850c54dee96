// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the RC responder: judge, resolve, commit and the ACKs owed. */
#include "engine_test.h"

/* A whole SEND is one step; its ACK names the last PSN, MSN counts it. */
static void send_train(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_FALSE(test, reply(f));
}

/* ---- gaps ---- */

/* IBA 9.7.5: one NAK for a gap, none until the expected PSN came. */
static void gap_is_nakked_once(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, SORO_HOLD_PSNS + 1, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_DROP);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_SEQUENCE);
	expect_ack(test, NAK, 0);
}

/* A NAK that was not sent before its gap was filled says so no more. */
static void filled_gap_is_acked(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	expect_ack(test, ACK, 0);
}

/* ---- duplicates ---- */

/* IBA C9-105: acknowledged with the latest PSN, never executed. */
static void duplicate_is_acked(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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

/* ---- receives and ranges ---- */

static void rnr_is_nakked_once(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 1, 5);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_SEQUENCE);
	expect_ack(test, RNR(12), 0);
	KUNIT_EXPECT_FALSE(test, reply(f));
	feed(f, 2);
	expect_ack(test, RNR(12), 0);

	f->no_recv = false;
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
}

/* When the wait is over a gap is a gap again: what lies beyond it may be kept. */
static void gap_after_the_rnr(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 1);
	expect_ack(test, RNR(12), 0);
	f->no_recv = false;
	feed(f, 1);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 2, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_HOLD);
	expect_ack(test, NAK, 1);
}

/* A peer may ask for an ACK in any packet. */
static void asked_in_the_middle(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_MIDDLE, 0, 1, PMTU)->flags = SORO_PKT_ACKREQ;
	put(f, 2, SORO_SEND, SORO_MIDDLE, 0, 2, PMTU);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.n, 3U);
	expect_ack(test, ACK, 2);
	expect_silence(test);
}

/* The data of a WRITE with immediate lands before the receive WQE is asked for. */
static void write_imm_needs_receive_at_its_end(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->no_recv = true;
	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, 2 * PMTU + 1);
	put(f, 1, SORO_WRITE, SORO_MIDDLE, 0, 1, PMTU);
	put(f, 2, SORO_WRITE, SORO_LAST, SORO_HDR_IMM, 2, 1);
	feed(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	KUNIT_EXPECT_EQ(test, f->rsp.received, 2U * PMTU);
	expect_ack(test, RNR(12), 2);

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

	f->bad_key = true;
	put_write(f, 0, SORO_ONLY, 0, 0, 0, 0);
	put_read(f, 1, 1, 0, 0);
	feed(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	expect_response(test, 1, 1, 0, 0, true, true);
}

/* ---- faults ---- */

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
	{ "flush of nothing", SORO_FLUSH, SORO_ONLY, 0, 0, 0, SORO_FAULT_NOT_ENABLED },
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
	{ "invalidate in a write", SORO_SEND, SORO_LAST, SORO_HDR_IETH, 5, 0, SORO_FAULT_OPCODE },
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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

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
	struct responder_fixture *f = test->priv;

	f->capacity = PMTU + 5;
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_LAST, 0, 1, 5);
	feed(f, 2);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
}

static void bad_key(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->bad_key = true;
	put_write(f, 0, SORO_ONLY, 0, 0, 5, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	expect_fault(test, SORO_FAULT_ACCESS, 0);
}

/* RNR before a bad key: the peer may still be served (IBA 9.7.4: receive WQE, then key). */
static void no_receive_before_bad_key(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->bad_key = true;
	f->no_recv = true;
	put_write(f, 0, SORO_ONLY, SORO_HDR_IMM, 0, 5, 5);
	feed(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.fault, SORO_FAULT_NONE);
	expect_ack(test, RNR(12), 0);
}

static void act_that_failed(struct kunit *test)
{
	struct soro_rsp_answer answer = { .recv_found = true, .recv_capacity = 100 };
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_EXPECT_EQ(test, soro_responder_resolve(&f->rsp, &f->step, &answer), SORO_RSP_EXECUTE);
	soro_responder_refuse(&f->rsp, &f->step, SORO_FAULT_RECV_PROT);
	KUNIT_EXPECT_EQ(test, f->rsp.epsn, START);
	expect_fault(test, SORO_FAULT_RECV_PROT, 0);
}

/* ---- a hostile peer ---- */

/* Any request opcode at a PSN near the expected one, with a length near a limit. */
static void forge(struct responder_fixture *f, u32 *state, struct soro_pkt *pkt)
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
	struct responder_fixture *f = test->priv;
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
	struct responder_fixture *f = test->priv;
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
	KUNIT_CASE(gap_after_the_rnr),
	KUNIT_CASE(asked_in_the_middle),
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
	KUNIT_CASE(act_that_failed),
	KUNIT_CASE(hostile_requests),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_responder",
	.init = setup_responder,
	.test_cases = cases,
};

kunit_test_suites(&suite);

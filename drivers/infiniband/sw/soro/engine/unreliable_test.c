// SPDX-License-Identifier: GPL-2.0
/* Unit tests of UC: a requester that hears nothing, a responder that says nothing. */
#include "engine_test.h"
#include "unreliable.h"

/* ---- requester ---- */

static int setup_uc_requester(struct kunit *test)
{
	struct requester_fixture *f;

	if (setup_requester(test))
		return -1;
	f = test->priv;
	f->req.cfg = (struct soro_requester_config) { .pmtu_bytes = PMTU, .unreliable = true };
	soro_requester_init(&f->req, START);
	return 0;
}

/* IBA 9.8.2.1: a message is over when its last packet was sent, and not before. */
static void sent_is_over(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_WRITE, 3 * PMTU, SORO_WQE_SIGNALED);
	post(f, SORO_SEND, 0, 0);
	expect_train(test, 0, 1, 0, PMTU, false);
	expect_none(test);
	expect_train(test, 1, 2, PMTU, 2 * PMTU, false);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_none(test);
	expect_train(test, 3, 1, 0, 0, false);
	expect_done(test, 1, SORO_ST_SUCCESS, false);
	expect_wait(test, SORO_WAIT_EMPTY);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* However much is sent: no window, no credits, no AckReq, no deadline (IBA 9.8.2). */
static void nothing_is_waited_for(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 trains = 0, slot;

	for (slot = 0; slot < 4 * SLOTS; slot++) {
		post(f, slot % 2 ? SORO_WRITE : SORO_SEND, 64 * PMTU,
		     SORO_WQE_SIGNALED | SORO_WQE_IMM | SORO_WQE_FENCE);
		while (send(f)) {
			KUNIT_EXPECT_FALSE(test, f->train.ackreq);
			KUNIT_EXPECT_FALSE(test, f->train.resend);
			trains++;
		}
		expect_wait(test, SORO_WAIT_EMPTY);
		expect_done(test, slot, SORO_ST_SUCCESS, true);
	}
	KUNIT_EXPECT_GE(test, trains, 4U * SLOTS);
	KUNIT_EXPECT_EQ(test, f->req.resent + f->req.probed + f->req.marks, 0ULL);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
	soro_requester_ask_again(&f->req);
	expect_wait(test, SORO_WAIT_EMPTY);
}

static void what_uc_has_not(struct kunit *test)
{
	static const u8 kinds[] = {
		SORO_READ_REQ, SORO_CMP_SWP, SORO_FETCH_ADD, SORO_ATOMIC_WRITE, SORO_FLUSH,
	};
	struct requester_fixture *f = test->priv;
	u32 i;

	f->req.cfg.reads_max = 1;	/* whatever was configured */
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		KUNIT_EXPECT_EQ(test, post(f, kinds[i], 8, 0)->status, SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, post(f, SORO_SEND, 8, SORO_WQE_INV)->status, SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, post(f, SORO_WRITE, SORO_MESSAGE_MAX + 1, 0)->status,
			SORO_ST_LOC_LEN);
	expect_wait(test, SORO_WAIT_FAILED);
}

/* A message that failed on the way is told, what is behind it flushed; then it goes on. */
static void fails_and_goes_on(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_WRITE, 4 * PMTU, 0);
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 0, 1, 0, 5, false);
	expect_train(test, 1, 1, 0, PMTU, false);
	soro_requester_fail(&f->req, 1, SORO_ST_LOC_PROT);
	expect_wait(test, SORO_WAIT_FAILED);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_PROT, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
	expect_done(test, 2, SORO_ST_FLUSH, true);
	KUNIT_EXPECT_FALSE(test, f->done.error);

	/* SQE to RTS */
	soro_requester_flush(&f->req);
	soro_requester_init(&f->req, f->req.nxt);
	post(f, SORO_SEND, 2 * PMTU, SORO_WQE_SIGNALED);
	expect_train(test, 2, 2, 0, 2 * PMTU, false);
	expect_done(test, 3, SORO_ST_SUCCESS, true);
}

/* Nothing that arrives has a say. */
static void answers_are_no_answers(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 4 * PMTU, 0);
	f->limits.packets = 2;
	expect_train(test, 0, 2, 0, 2 * PMTU, false);
	receive_ack(f, NAK, 0);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DROP);
	receive_ack(f, SORO_SYNDROME_ACK | 3, 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DROP);
	receive_ack(f, RNR(1), 2);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DROP);
	expect_train(test, 2, 2, 2 * PMTU, 2 * PMTU, false);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(sent_is_over),
	KUNIT_CASE(nothing_is_waited_for),
	KUNIT_CASE(what_uc_has_not),
	KUNIT_CASE(fails_and_goes_on),
	KUNIT_CASE(answers_are_no_answers),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "soro_unreliable_requester",
	.init = setup_uc_requester,
	.test_cases = requester_cases,
};

/* ---- responder ---- */

static int setup_uc_responder(struct kunit *test)
{
	struct responder_fixture *f;

	if (setup_responder(test))
		return -1;
	f = test->priv;
	f->rsp.cfg.unreliable = true;
	soro_responder_init(&f->rsp, START);
	return 0;
}

/* The packets of the fixture as UC packets, judged in one go. */
static void feed_uc(struct responder_fixture *f, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct soro_pkt *pkt = &f->pkts[i];

		pkt->opcode = soro_opcode_make(SORO_UC, pkt->row->kind, pkt->row->pos,
					       pkt->row->headers);
		pkt->row = soro_opcode_row(pkt->opcode);
		pkt->flags |= SORO_PKT_ACKREQ;	/* asked for in vain */
	}
	feed(f, n);
}

static void expect_drop(struct kunit *test, u8 why, u32 n)
{
	struct responder_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_DROP);
	KUNIT_EXPECT_EQ(test, f->step.drop, why);
	KUNIT_EXPECT_EQ(test, f->step.n, n);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	KUNIT_EXPECT_FALSE(test, f->rsp.in_message);
	if (why != SORO_DROP_QP_TYPE)	/* what is given up is behind us */
		KUNIT_EXPECT_EQ(test, f->rsp.epsn, soro_psn_add(f->step.pkts[n - 1].psn, 1));
	expect_silence(test);
}

/* A SEND of one packet at @ahead arrives, from the start of the receive WQE. */
static void expect_arrival(struct kunit *test, u32 ahead)
{
	struct responder_fixture *f = test->priv;
	u32 acts = f->acts;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, ahead, 5);
	feed_uc(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, acts + 1);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RECV);
	KUNIT_EXPECT_EQ(test, f->step.offset, 0U);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->step.length, 5U);
	expect_silence(test);
}

static void message_in_order(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, 2 * PMTU + 3);
	put_write(f, 1, SORO_MIDDLE, 0, 1, PMTU, 0);
	put_write(f, 2, SORO_LAST, SORO_HDR_IMM, 2, 3, 0)->flags = SORO_PKT_SE;
	feed_uc(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	KUNIT_EXPECT_TRUE(test, f->step.complete && f->step.is_write && f->step.has_imm);
	KUNIT_EXPECT_TRUE(test, f->step.solicited);
	KUNIT_EXPECT_EQ(test, f->step.length, 2 * PMTU + 3U);
	expect_silence(test);
	expect_arrival(test, 3);
}

/* IBA 9.8.2.2: what lacks a packet is dropped, with all that is left of it. */
static void loss_costs_the_message(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	/* the middle */
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	feed_uc(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	put(f, 0, SORO_SEND, SORO_MIDDLE, 0, 2, PMTU);
	put(f, 1, SORO_SEND, SORO_LAST, 0, 3, 5);
	f->acts = 0;
	feed_uc(f, 2);
	expect_drop(test, SORO_DROP_SEQUENCE, 2);
	expect_arrival(test, 4);

	/* the beginning */
	put(f, 0, SORO_SEND, SORO_LAST, 0, 6, 5);
	f->acts = 0;
	feed_uc(f, 1);
	expect_drop(test, SORO_DROP_SEQUENCE, 1);
	expect_arrival(test, 7);

	/* the end, and the beginning of the next: a LAST that would fit but for its PSN */
	put_write(f, 0, SORO_FIRST, 0, 8, PMTU, PMTU + 5);
	feed_uc(f, 1);
	put_write(f, 0, SORO_LAST, 0, 11, 5, 0);
	f->acts = 0;
	feed_uc(f, 1);
	expect_drop(test, SORO_DROP_SEQUENCE, 1);
	expect_arrival(test, 12);
}

/* FIRST and ONLY begin a message wherever they come; the receive WQE in hand is theirs. */
static void next_message_begins_anywhere(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_FIRST, 0, 2, PMTU);
	put(f, 2, SORO_SEND, SORO_LAST, 0, 3, 7);
	feed_uc(f, 3);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
	KUNIT_EXPECT_EQ(test, f->step.n, 2U);
	KUNIT_EXPECT_EQ(test, f->step.offset, 0U);
	KUNIT_EXPECT_EQ(test, f->step.length, PMTU + 7U);
	expect_arrival(test, 1000000);
	/* at the expected PSN, inside a message: its sender gave the last one up */
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 1000001, PMTU);
	feed_uc(f, 1);
	expect_arrival(test, 1000002);
}

/* What is late or a copy is not executed, and the message in progress does not mind. */
static void late_is_dropped(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	expect_arrival(test, 5);
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 6, PMTU);
	feed_uc(f, 1);
	f->acts = 0;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 5, 5);
	put(f, 1, SORO_SEND, SORO_FIRST, 0, 6, PMTU);
	put(f, 2, SORO_SEND, SORO_LAST, 0, 0, 5);
	feed_uc(f, 3);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_DROP);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	KUNIT_EXPECT_EQ(test, f->step.n, 3U);
	KUNIT_EXPECT_EQ(test, f->acts, 0U);
	put(f, 0, SORO_SEND, SORO_LAST, 0, 7, 5);
	feed_uc(f, 1);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->step.length, PMTU + 5U);
}

/* A train may hold what is late, what is left of a lost message, and the next one. */
static void fates_of_a_train(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	expect_arrival(test, 1);
	f->acts = 0;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 1, 5);
	put(f, 2, SORO_SEND, SORO_MIDDLE, 0, 3, PMTU);
	put(f, 3, SORO_SEND, SORO_LAST, 0, 4, 5);
	put(f, 4, SORO_SEND, SORO_FIRST, 0, 5, PMTU);
	put(f, 5, SORO_SEND, SORO_LAST, 0, 6, 5);
	feed_uc(f, 6);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	KUNIT_EXPECT_EQ(test, f->step.n, 2U);
	KUNIT_EXPECT_EQ(test, f->step.length, PMTU + 5U);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 6, 5);
	put(f, 1, SORO_SEND, SORO_ONLY, 0, 7, 5);
	feed_uc(f, 2);
	KUNIT_EXPECT_EQ(test, f->acts, 2U);
}

/* Further behind it is not late: the peer sent for long in vain, or began anew. */
static void far_behind_is_a_start(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	expect_arrival(test, SORO_LATE_PSNS);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	feed_uc(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	expect_arrival(test, 0);
}

static void no_receive_costs_the_message(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_MIDDLE, 0, 1, PMTU);
	feed_uc(f, 2);
	expect_drop(test, SORO_DROP_NO_RECV, 2);
	put(f, 0, SORO_SEND, SORO_LAST, 0, 2, 5);
	feed_uc(f, 1);
	expect_drop(test, SORO_DROP_SEQUENCE, 1);

	/* a WRITE learns of it at its end */
	put_write(f, 0, SORO_ONLY, SORO_HDR_IMM, 3, 5, 5);
	feed_uc(f, 1);
	expect_drop(test, SORO_DROP_NO_RECV, 1);
	put_write(f, 0, SORO_ONLY, 0, 4, 5, 5);
	feed_uc(f, 1);
	KUNIT_EXPECT_EQ(test, f->acts, 1U);
	f->no_recv = false;
	expect_arrival(test, 5);
}

/* ---- errors ---- */

/* The peer's fault: the first @n packets are refused, the rest of them dropped, no more. */
static void expect_refused(struct kunit *test, u32 n, u8 fault)
{
	struct responder_fixture *f = test->priv;

	f->acts = 0;
	feed_uc(f, n);
	KUNIT_EXPECT_EQ(test, f->step.fault, fault);
	expect_drop(test, SORO_DROP_REFUSED, n);
	KUNIT_EXPECT_FALSE(test, f->rsp.dead);
	put(f, 0, SORO_SEND, SORO_LAST, 0, f->rsp.epsn - START, 5);
	feed_uc(f, 1);
	expect_drop(test, SORO_DROP_SEQUENCE, 1);
	f->bad_key = false;
	f->rsp.cfg.allow_write = true;
	expect_arrival(test, f->rsp.epsn - START);
}

static void peers_faults_cost_the_message(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->bad_key = true;
	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, 2 * PMTU + 5);
	put_write(f, 1, SORO_MIDDLE, 0, 1, PMTU, 0);
	expect_refused(test, 2, SORO_FAULT_ACCESS);

	f->rsp.cfg.allow_write = false;
	put_write(f, 0, SORO_ONLY, 0, 4, 5, 5);
	expect_refused(test, 1, SORO_FAULT_NOT_ENABLED);

	put_write(f, 0, SORO_ONLY, 0, 7, 5, 6);
	expect_refused(test, 1, SORO_FAULT_LENGTH);

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 10, PMTU - 4);
	expect_refused(test, 1, SORO_FAULT_LENGTH);

	put(f, 0, SORO_SEND, SORO_FIRST, 0, 13, PMTU);
	feed_uc(f, 1);
	put_write(f, 0, SORO_LAST, 0, 14, 5, 0);
	expect_refused(test, 1, SORO_FAULT_OPCODE);
}

/* Memory that goes inside a WRITE: the copy fails. */
static void act_that_fails_costs_the_message(struct kunit *test)
{
	struct responder_fixture *f = test->priv;
	struct soro_rsp_answer answer = { 0 };

	put_write(f, 0, SORO_FIRST, 0, 0, PMTU, PMTU + 5);
	feed_uc(f, 1);
	put_write(f, 0, SORO_LAST, 0, 1, 5, 0);
	f->pkts->row = soro_opcode_row(soro_opcode_make(SORO_UC, SORO_WRITE, SORO_LAST, 0));
	soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
	KUNIT_ASSERT_EQ(test, soro_responder_resolve(&f->rsp, &f->step, &answer),
			SORO_RSP_EXECUTE);
	soro_responder_refuse(&f->rsp, &f->step, SORO_FAULT_ACCESS);
	f->acts = 0;
	expect_drop(test, SORO_DROP_REFUSED, 1);
	expect_arrival(test, 2);
}

static void expect_end(struct kunit *test, u8 fault)
{
	struct responder_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_RSP_ANSWER);
	KUNIT_EXPECT_EQ(test, f->step.fault, fault);
	KUNIT_EXPECT_TRUE(test, soro_fault_is_local(fault));
	expect_silence(test);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 5, 5);
	feed_uc(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_QP_STATE);
}

/* A fault of the receive WQE ends the QP, but nobody is told. */
static void receive_too_short(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->capacity = PMTU + 4;
	put(f, 0, SORO_SEND, SORO_FIRST, 0, 0, PMTU);
	put(f, 1, SORO_SEND, SORO_LAST, 0, 1, 5);
	feed_uc(f, 2);
	expect_end(test, SORO_FAULT_RECV_SHORT);
}

static void receive_that_failed(struct kunit *test)
{
	static const u8 faults[] = { SORO_FAULT_RECV_BAD, SORO_FAULT_RECV_PROT };
	struct responder_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		struct soro_rsp_answer answer = { .recv_found = true, .fault = faults[i] };

		soro_responder_init(&f->rsp, START);
		put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
		f->pkts->row = soro_opcode_row(soro_opcode_make(SORO_UC, SORO_SEND, SORO_ONLY, 0));
		soro_responder_judge(&f->rsp, f->pkts, 1, &f->step);
		soro_responder_resolve(&f->rsp, &f->step, &answer);
		expect_end(test, faults[i]);
	}
}

static void other_transports(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 1);
	expect_drop(test, SORO_DROP_QP_TYPE, 1);
	f->rsp.cfg.unreliable = false;
	feed_uc(f, 1);
	expect_drop(test, SORO_DROP_QP_TYPE, 1);
}

static void zero_length_write(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	f->bad_key = true;
	put_write(f, 0, SORO_ONLY, SORO_HDR_IMM, 0, 0, 0);
	feed_uc(f, 1);
	KUNIT_EXPECT_EQ(test, f->step.need, SORO_NEED_RECV);
	KUNIT_EXPECT_TRUE(test, f->step.complete);
	KUNIT_EXPECT_EQ(test, f->step.length, 0U);
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(message_in_order),
	KUNIT_CASE(loss_costs_the_message),
	KUNIT_CASE(next_message_begins_anywhere),
	KUNIT_CASE(late_is_dropped),
	KUNIT_CASE(fates_of_a_train),
	KUNIT_CASE(far_behind_is_a_start),
	KUNIT_CASE(no_receive_costs_the_message),
	KUNIT_CASE(peers_faults_cost_the_message),
	KUNIT_CASE(act_that_fails_costs_the_message),
	KUNIT_CASE(receive_too_short),
	KUNIT_CASE(receive_that_failed),
	KUNIT_CASE(other_transports),
	KUNIT_CASE(zero_length_write),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "soro_unreliable_responder",
	.init = setup_uc_responder,
	.test_cases = responder_cases,
};

kunit_test_suites(&requester_suite, &responder_suite);

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of end-to-end credits (IBA 9.7.7.2) in both halves. */
#include "credit.h"
#include "engine_test.h"

/* The table of the specification. */
static const u32 counts[31] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

/* An ACK with so many credits; @credits is in the table. */
static u8 credit(u32 credits)
{
	return SORO_SYNDROME_ACK | soro_credit_code(credits);
}

/* ---- codes ---- */

static void codes_are_those_of_the_table(struct kunit *test)
{
	u8 code;

	for (code = 0; code < ARRAY_SIZE(counts); code++) {
		KUNIT_EXPECT_EQ(test, soro_credit_count(code), counts[code]);
		KUNIT_EXPECT_EQ(test, soro_credit_code(counts[code]), code);
	}
}

static void code_never_promises_too_much(struct kunit *test)
{
	u32 receives;
	u8 code = 0;

	for (receives = 0; receives < 70000; receives++) {
		if (code < 30 && receives >= counts[code + 1])
			code++;
		KUNIT_ASSERT_EQ(test, soro_credit_code(receives), code);
	}
	KUNIT_EXPECT_EQ(test, soro_credit_code(U32_MAX), 30);
}

/* ---- responder ---- */

static void ack_carries_credits(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 1);
	soro_responder_credits(&f->rsp, 7);
	expect_ack(test, credit(6), 0);
	KUNIT_EXPECT_EQ(test, f->reply.msn, 1U);
	/* receives were posted; a copy of the request is answered with what is there now */
	feed(f, 1);
	soro_responder_credits(&f->rsp, 100);
	expect_ack(test, credit(96), 0);
	feed(f, 1);
	soro_responder_credits(&f->rsp, 0);
	expect_ack(test, credit(0), 0);
}

static void responses_carry_credits(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	soro_responder_credits(&f->rsp, 2);
	put_read(f, 0, 0, 0, 3 * PMTU);
	put(f, 1, SORO_FETCH_ADD, SORO_ONLY, 0, 3, 0)->atomic.va = VA;
	feed(f, 2);
	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, credit(2));
	soro_responder_credits(&f->rsp, 1);
	KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, credit(1));
	while (f->reply.kind != SORO_ATOMIC_ACK)
		KUNIT_ASSERT_TRUE(test, reply(f));
	KUNIT_EXPECT_EQ(test, f->reply.syndrome, credit(1));
}

/* Who says nothing of receives promises no number of them. */
static void no_flow_control(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5)->flags = SORO_PKT_ACKREQ;
	feed(f, 1);
	expect_ack(test, ACK, 0);
}

static void naks_carry_none(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	soro_responder_credits(&f->rsp, 4);
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 1, 5);
	feed(f, 1);
	expect_ack(test, NAK, 0);
	f->no_recv = true;
	put(f, 0, SORO_SEND, SORO_ONLY, 0, 0, 5);
	feed(f, 1);
	expect_ack(test, RNR(12), 0);
}

/* ---- requester ---- */

static int setup_limited(struct kunit *test)
{
	int err = setup_requester(test);
	struct requester_fixture *f = test->priv;

	if (!err)
		f->req.unlimited = false;
	return err;
}

static void post_sends(struct requester_fixture *f, u32 n)
{
	while (n--)
		post(f, SORO_SEND, 5, 0);
}

static void pop_all(struct requester_fixture *f)
{
	while (soro_requester_pop(&f->req, &f->done))
		;
}

/* Nothing is known: one message goes, and asks. */
static void first_message_goes_alone(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->more = true;
	post_sends(f, 3);
	expect_train(test, 0, 1, 0, 5, true);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(2), 1, 0);
	expect_train(test, 1, 1, 0, 5, true);
	expect_train(test, 2, 1, 0, 5, true);
}

static void stops_at_the_limit(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	f->more = true;
	post_sends(f, 12);
	send_all(f);
	receive_aeth(f, credit(6), 1, 0);
	for (i = 1; i < 6; i++)
		KUNIT_ASSERT_TRUE(test, send(f));
	expect_train(test, 6, 1, 0, 5, true);
	expect_wait(test, SORO_WAIT_CREDITS);

	/* two were posted meanwhile */
	receive_aeth(f, credit(2), 7, 6);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);

	/* none: one goes without, when everything before it has its ACK */
	receive_aeth(f, credit(0), 8, 7);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(0), 9, 8);
	expect_train(test, 9, 1, 0, 5, true);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(0), 10, 9);
	expect_train(test, 10, 1, 0, 5, true);
}

/* A message is one, however long it is. */
static void messages_count_not_packets(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5 * PMTU, 0);
	post(f, SORO_SEND, 5 * PMTU, 0);
	post(f, SORO_SEND, 5 * PMTU, 0);
	f->limits.packets = 2;
	KUNIT_EXPECT_EQ(test, send_all(f), 3U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(1), 0, 1);	/* the message is not complete: its own receive */
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(1), 1, 4);
	KUNIT_EXPECT_EQ(test, send_all(f), 3U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_CREDITS);
}

/* What takes no receive does not wait, and holds up nobody. */
static void others_are_not_limited(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post_sends(f, 1);
	post(f, SORO_WRITE, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_FETCH_ADD, 8, 0);
	post(f, SORO_WRITE, 5, SORO_WQE_IMM);
	post_sends(f, 1);
	KUNIT_EXPECT_EQ(test, send_all(f), 4U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(1), 1, 0);
	expect_train(test, 4, 1, 0, 5, true);
	KUNIT_EXPECT_EQ(test, f->train.kind, SORO_WRITE);
	expect_wait(test, SORO_WAIT_CREDITS);
}

/* WRITEs count as messages, but they take none of the receives that were promised. */
static void writes_use_no_credits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	post_sends(f, 1);
	send_all(f);
	receive_aeth(f, credit(2), 1, 0);
	for (i = 0; i < 5; i++)
		post(f, SORO_WRITE, 5, 0);
	post_sends(f, 3);
	KUNIT_EXPECT_EQ(test, send_all(f), 7U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_CREDITS);
	/* the WRITEs were executed, the receives are still there */
	receive_aeth(f, credit(2), 6, 5);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(2), 7, 6);
	expect_train(test, 8, 1, 0, 5, true);
}

static void old_ack_takes_nothing_away(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post_sends(f, 8);
	send_all(f);
	receive_aeth(f, credit(4), 1, 0);
	KUNIT_EXPECT_EQ(test, f->req.limit, 5U);
	KUNIT_EXPECT_EQ(test, send_all(f), 4U);
	receive_aeth(f, credit(0), 2, 1);
	KUNIT_EXPECT_EQ(test, f->req.limit, 5U);
	receive_aeth(f, credit(4), 1, 0);	/* late */
	KUNIT_EXPECT_EQ(test, f->req.limit, 5U);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	expect_wait(test, SORO_WAIT_CREDITS);
}

static void no_limit_lasts(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->more = true;
	post_sends(f, 20);
	send_all(f);
	receive_aeth(f, ACK, 1, 0);
	KUNIT_EXPECT_EQ(test, send_all(f), 19U);
	receive_aeth(f, credit(0), 4, 3);
	KUNIT_EXPECT_TRUE(test, f->req.unlimited);
	soro_requester_init(&f->req, START);
	KUNIT_EXPECT_FALSE(test, f->req.unlimited);
}

/* Data of a READ and the result of an atomic tell as much as an ACK. */
static void responses_bring_credits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post_sends(f, 1);
	post(f, SORO_READ_REQ, 2 * PMTU, 0);
	post_sends(f, 5);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	put_responses(f, 1, 0, 2, 2 * PMTU);
	f->pkts[0].syndrome = credit(2);
	f->pkts[0].msn = 2;
	f->pkts[1].syndrome = credit(2);
	f->pkts[1].msn = 2;
	judge(f, 2);
	soro_requester_commit(&f->req, &f->step, f->now);
	KUNIT_EXPECT_EQ(test, f->req.limit, 3U);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);

	post(f, SORO_FETCH_ADD, 8, 0);
	receive_aeth(f, credit(3), 4, 4);
	KUNIT_EXPECT_EQ(test, send_all(f), 4U);
	put_packet(f->pkts, SORO_ATOMIC_ACK, SORO_ONLY, 0, 8, 0);
	f->pkts->syndrome = credit(1);
	f->pkts->msn = 8;
	judge(f, 1);
	soro_requester_commit(&f->req, &f->step, f->now);
	KUNIT_EXPECT_EQ(test, f->req.limit, 7U);
}

/* The peer posted receives and says so once more (unsolicited). */
static void ack_again_brings_credits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	receive_aeth(f, credit(2), 0, -1);	/* before anything was sent */
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DONE);
	post_sends(f, 10);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	receive_aeth(f, credit(0), 2, 1);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	receive_aeth(f, credit(3), 2, 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DONE);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	receive_aeth(f, credit(3), 2, 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	receive_aeth(f, credit(32), 1, 0);	/* not the last one */
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, RNR(1), 2, 1);		/* no ACK */
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
}

/* Nothing was taken yet, and there is no memory for WQEs: credits are noted, ghosts dropped. */
static void credits_before_the_first_wqe(struct kunit *test)
{
	static const u8 syndromes[] = { ACK, NAK, RNR(1), SORO_SYNDROME_NAK | SORO_NAK_ACCESS };
	struct requester_fixture *f = test->priv;
	s32 ahead;
	u32 i;

	f->req.wqes = NULL;
	for (ahead = -3; ahead < 3; ahead++) {
		for (i = 0; i < ARRAY_SIZE(syndromes); i++) {
			if (ahead == -1 && !i)
				continue;
			receive_aeth(f, syndromes[i], 5, ahead);
			KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
		}
		put_responses(f, ahead, 0, 2, 2 * PMTU);
		f->pkts->syndrome = credit(0);
		judge(f, 2);
		KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	}
	receive_aeth(f, credit(3), 5, -1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DONE);
	KUNIT_EXPECT_EQ(test, f->req.limit, 3U);
	f->req.wqes = f->wqes;
	post_sends(f, 5);
	KUNIT_EXPECT_EQ(test, send_all(f), 3U);
}

/* A number that cannot be: credits count from what the PSN acknowledges. */
static void wild_msn(struct kunit *test)
{
	static const u32 msns[] = { 0, 0x800000, 0xffffff, 100 };
	struct requester_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(msns); i++) {
		soro_requester_init(&f->req, START);
		post_sends(f, 4);
		send_all(f);
		receive_aeth(f, credit(2), msns[i], 0);
		pop_all(f);
		KUNIT_EXPECT_EQ(test, f->req.limit, 3U);
		KUNIT_EXPECT_EQ(test, send_all(f), 2U);
		receive_ack(f, ACK, 2);
		send_all(f);
		receive_ack(f, ACK, 3);
		pop_all(f);
	}
}

/* MSNs have 24 bits. */
static void msn_wraps(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.messages += 0xfffffe;
	post_sends(f, 6);
	send_all(f);
	receive_aeth(f, credit(2), 0xffffff, 0);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	receive_aeth(f, credit(3), 1, 2);
	KUNIT_EXPECT_EQ(test, f->req.limit, 6U);
}

/* Half of the credits, half of the rest, and the last: each asks. */
static void asks_before_credits_end(struct kunit *test)
{
	static const bool asked[16] = { [7] = true, [11] = true, [13] = true, [14] = true,
					[15] = true };
	struct requester_fixture *f = test->priv;
	u32 i;

	f->more = true;
	post_sends(f, 1);
	send_all(f);
	receive_aeth(f, credit(16), 1, 0);
	pop_all(f);
	post_sends(f, 17);
	for (i = 0; i < 16; i++) {
		KUNIT_ASSERT_TRUE(test, send(f));
		KUNIT_EXPECT_EQ_MSG(test, f->train.ackreq, asked[i], "message %u", i);
	}
	expect_wait(test, SORO_WAIT_CREDITS);
}

/* Credits in plenty: the stream asks as often as without them, and never stops. */
static void plenty_of_credits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 sent = 1, acked = 1, asked = 0;

	f->more = true;
	post_sends(f, 1);
	send_all(f);
	receive_aeth(f, credit(512), 1, 0);
	pop_all(f);
	while (sent < 2000) {
		while (soro_requester_room(&f->req)) {
			post_sends(f, 1);
			KUNIT_ASSERT_TRUE(test, send(f));
			sent++;
			asked += f->train.ackreq;
			if (f->train.ackreq)
				acked = sent;
		}
		receive_aeth(f, credit(384), acked, acked - 1);
		pop_all(f);
	}
	KUNIT_EXPECT_LE(test, asked, sent / (SLOTS / 2));
}

static void rnr_of_the_message_without_credit(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post_sends(f, 2);
	post(f, SORO_WRITE, 5, 0);
	send_all(f);
	receive_aeth(f, RNR(1), 0, 0);
	expect_wait(test, SORO_WAIT_RNR);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 0, 1, 0, 5, true);
	KUNIT_EXPECT_TRUE(test, f->train.resend);
	expect_wait(test, SORO_WAIT_CREDITS);
	receive_aeth(f, credit(0), 1, 0);
	expect_train(test, 1, 1, 0, 5, true);
	expect_train(test, 2, 1, 0, 5, true);
}

/* What was sent by a credit may be sent again. */
static void resend_needs_no_credit(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post_sends(f, 6);
	send_all(f);
	receive_aeth(f, credit(4), 1, 0);
	send_all(f);
	receive_ack(f, NAK, 2);
	KUNIT_EXPECT_EQ(test, send_all(f), 3U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_CREDITS);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	receive_aeth(f, credit(0), 3, 2);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	receive_aeth(f, credit(0), 5, 4);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
}

static struct kunit_case code_cases[] = {
	KUNIT_CASE(codes_are_those_of_the_table),
	KUNIT_CASE(code_never_promises_too_much),
	KUNIT_CASE(ack_carries_credits),
	KUNIT_CASE(responses_carry_credits),
	KUNIT_CASE(no_flow_control),
	KUNIT_CASE(naks_carry_none),
	{}
};

static struct kunit_suite code_suite = {
	.name = "soro_credit_responder",
	.init = setup_responder,
	.test_cases = code_cases,
};

static struct kunit_case limit_cases[] = {
	KUNIT_CASE(first_message_goes_alone),
	KUNIT_CASE(stops_at_the_limit),
	KUNIT_CASE(messages_count_not_packets),
	KUNIT_CASE(others_are_not_limited),
	KUNIT_CASE(writes_use_no_credits),
	KUNIT_CASE(old_ack_takes_nothing_away),
	KUNIT_CASE(no_limit_lasts),
	KUNIT_CASE(responses_bring_credits),
	KUNIT_CASE(ack_again_brings_credits),
	KUNIT_CASE(credits_before_the_first_wqe),
	KUNIT_CASE(wild_msn),
	KUNIT_CASE(msn_wraps),
	KUNIT_CASE(asks_before_credits_end),
	KUNIT_CASE(plenty_of_credits),
	KUNIT_CASE(rnr_of_the_message_without_credit),
	KUNIT_CASE(resend_needs_no_credit),
	{}
};

static struct kunit_suite limit_suite = {
	.name = "soro_credit_requester",
	.init = setup_limited,
	.test_cases = limit_cases,
};

kunit_test_suites(&code_suite, &limit_suite);

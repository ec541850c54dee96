// SPDX-License-Identifier: GPL-2.0
/* Unit tests of what an RC requester makes of what comes back. */
#include "engine_test.h"

/* ---- acknowledgments ---- */

static void ack_in_parts(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5 * PMTU, 0);
	post(f, SORO_WRITE, 5, SORO_WQE_SIGNALED);
	send_all(f);
	receive_ack(f, ACK, 2);
	KUNIT_EXPECT_EQ(test, f->req.una, soro_psn_add(START, 3));
	expect_none(test);
	receive_ack(f, ACK, 5);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	expect_none(test);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

static void ghosts_are_dropped(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 3 * PMTU, 0);
	receive_ack(f, ACK, 0);		/* nothing was sent */
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	send_all(f);
	receive_ack(f, ACK, -1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	receive_ack(f, NAK, 3);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	receive_ack(f, ACK, 1 << 22);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	receive_responses(f, 0, 0, 1, 5);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	KUNIT_EXPECT_EQ(test, f->req.una, START);
}

/* What an ACK covers is not sent again, even if it was about to be. */
static void ack_while_resending(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5 * PMTU, 0);
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 0, 1, 0, PMTU, true);
	receive_ack(f, ACK, 3);
	expect_train(test, 4, 1, 4 * PMTU, PMTU, true);
	receive_ack(f, ACK, 4);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* ---- NAKs ---- */

static void nak_goes_back(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 4 * PMTU, 0);
	send_all(f);
	receive_ack(f, NAK, 2);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 2);	/* there was progress */
	expect_train(test, 2, 3, PMTU, 3 * PMTU, true);
	receive_ack(f, NAK, 2);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 1);
	expect_train(test, 2, 1, PMTU, PMTU, true);	/* trains failed twice */
	receive_ack(f, NAK, 2);
	receive_ack(f, NAK, 2);		/* before anything went out again */
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 0);
	send_all(f);
	receive_ack(f, NAK, 2);		/* may be a copy: the deadline decides */
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	expect_none(test);
	receive_ack(f, ACK, 4);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 2);
	expect_done(test, 1, SORO_ST_SUCCESS, false);
}

/* Copies of a NAK that come before anything went out again cost nothing. */
static void nak_and_its_copies(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	post(f, SORO_SEND, 5, 0);
	send_all(f);
	for (i = 0; i < 5; i++)
		receive_ack(f, NAK, 0);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 1);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
}

/* The first NAK behind progress costs nothing, the first without any is the end. */
static void nak_after_progress(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.cfg.retry_cnt = 0;
	soro_requester_init(&f->req, START);
	f->req.unlimited = true;
	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, NAK, 1);
	send_all(f);
	receive_ack(f, ACK, 1);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_SUCCESS, false);
	receive_ack(f, NAK, 2);
	expect_done(test, 2, SORO_ST_RETRY_EXC, true);
}

static void nak_without_retries(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.cfg.retry_cnt = 0;
	soro_requester_init(&f->req, START);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, NAK, 0);
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

static void fatal_nak(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_WRITE, 3 * PMTU, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_ACCESS, 2);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_REM_ACCESS, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
	expect_done(test, 2, SORO_ST_FLUSH, true);
	expect_none(test);
	receive_ack(f, ACK, 4);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
}

/* A NAK for one READ while the data of an earlier one is missing: that one is asked for. */
static void fatal_nak_beyond_a_read(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_WRITE, 5, 0);
	send_all(f);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_ACCESS, 1);
	KUNIT_EXPECT_TRUE(test, f->step.implied);
	expect_none(test);
	receive_responses(f, 0, 0, 1, 5);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

static void fatal_nak_inside_a_read(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 3 * PMTU, 0);
	send_all(f);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_ACCESS, 1);
	expect_done(test, 0, SORO_ST_REM_ACCESS, true);
}

/* ---- RNR ---- */

static void rnr_waits(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, RNR(14), 1);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_wait(test, SORO_WAIT_RNR);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + 1280000);
	receive_ack(f, RNR(14), 1);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 1, 1, 0, 5, true);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 2);
	KUNIT_EXPECT_EQ(test, f->req.rnr_left, 1);
}

static void rnr_retries_end(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	post(f, SORO_SEND, 5, 0);
	for (i = 0; i < 2; i++) {
		send_all(f);
		receive_ack(f, RNR(1), 0);
		KUNIT_EXPECT_TRUE(test, expire(f));
	}
	send_all(f);
	receive_ack(f, RNR(1), 0);
	expect_done(test, 0, SORO_ST_RNR_RETRY_EXC, true);
}

static void rnr_seven_is_for_ever(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	f->req.cfg.rnr_retry = 7;
	soro_requester_init(&f->req, START);
	post(f, SORO_SEND, 5, 0);
	for (i = 0; i < 1000; i++) {
		send_all(f);
		receive_ack(f, RNR(1), 0);
		KUNIT_ASSERT_TRUE(test, expire(f));
	}
	expect_none(test);
}

/* IBA 9.7.5.2.8, table 45, in units of 10 us */
static void rnr_codes(struct kunit *test)
{
	static const u32 table[] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
		1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};
	u32 code;

	for (code = 0; code < ARRAY_SIZE(table); code++) {
		KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(code), table[code] * 10000ULL);
		KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(RNR(code)), table[code] * 10000ULL);
	}
}

/* RNR retries are counted anew for each request. */
static void rnr_retries_come_back(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 8; i++) {
		post(f, SORO_SEND, 5, SORO_WQE_SIGNALED);
		send_all(f);
		receive_ack(f, RNR(1), i);
		KUNIT_EXPECT_EQ(test, f->req.rnr_left, 1);
		KUNIT_EXPECT_TRUE(test, expire(f));
		send_all(f);
		receive_ack(f, ACK, i);
		expect_done(test, i, SORO_ST_SUCCESS, true);
	}
}

/* It was served after all: what is behind it need not wait. */
static void ack_ends_the_wait(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, SORO_WQE_SIGNALED);
	post(f, SORO_SEND, 5, SORO_WQE_SIGNALED);
	send_all(f);
	receive_ack(f, RNR(0), 0);
	expect_wait(test, SORO_WAIT_RNR);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, true);
	expect_train(test, 1, 1, 0, 5, true);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + TIMEOUT);
}

/* ---- READ ---- */

static void read_data(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_READ_REQ, 4 * PMTU + 1, SORO_WQE_SIGNALED);
	expect_train(test, 0, 1, 0, 5, false);
	expect_train(test, 1, 1, 0, 4 * PMTU + 1, false);
	KUNIT_EXPECT_EQ(test, f->train.npsn, 5U);
	receive_responses(f, 1, 0, 2, 4 * PMTU + 1);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_PLACE);
	KUNIT_EXPECT_EQ(test, f->step.slot, 1U);
	KUNIT_EXPECT_EQ(test, f->step.offset, 0U);
	KUNIT_EXPECT_EQ(test, f->step.bytes, 2U * PMTU);
	expect_done(test, 0, SORO_ST_SUCCESS, false);	/* acknowledged by the data */
	receive_responses(f, 1, 2, 3, 4 * PMTU + 1);
	KUNIT_EXPECT_EQ(test, f->step.offset, 2U * PMTU);
	KUNIT_EXPECT_EQ(test, f->step.bytes, 2 * PMTU + 1U);
	expect_done(test, 1, SORO_ST_SUCCESS, true);
	KUNIT_EXPECT_EQ(test, f->req.reads, 0U);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

static void empty_read(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 0, 0);
	expect_train(test, 0, 1, 0, 0, false);
	receive_responses(f, 0, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_PLACE);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* Data beyond a gap: ask again from the gap, once, for the rest of the range only. */
static void gap_in_read_data(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_READ_REQ, 4 * PMTU, 0);
	send_all(f);
	receive_responses(f, 0, 0, 1, 4 * PMTU);
	receive_responses(f, 0, 2, 1, 4 * PMTU);
	KUNIT_EXPECT_TRUE(test, f->step.implied);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 1);
	expect_train(test, 1, 1, PMTU, 3 * PMTU, false);
	KUNIT_EXPECT_TRUE(test, f->train.resend);
	receive_responses(f, 0, 3, 1, 4 * PMTU);
	KUNIT_EXPECT_FALSE(test, f->step.implied);
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	receive_responses(f, 0, 1, 1, 4 * PMTU);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 2);
	receive_responses(f, 0, 3, 1, 4 * PMTU);	/* another gap, after progress */
	KUNIT_EXPECT_TRUE(test, f->step.implied);
	expect_train(test, 2, 1, 2 * PMTU, 2 * PMTU, false);
	receive_responses(f, 0, 2, 2, 4 * PMTU);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* An ACK beyond a READ whose data did not come completes nothing. */
static void ack_beyond_a_read(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_READ_REQ, 2 * PMTU, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, ACK, 3);
	KUNIT_EXPECT_TRUE(test, f->step.implied);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_none(test);
	expect_train(test, 1, 1, 0, 2 * PMTU, false);
	receive_ack(f, ACK, 3);		/* once */
	KUNIT_EXPECT_EQ(test, f->step.drop, SORO_DROP_STALE);
	receive_responses(f, 1, 0, 2, 2 * PMTU);
	receive_ack(f, ACK, 3);
	expect_done(test, 1, SORO_ST_SUCCESS, false);
	expect_done(test, 2, SORO_ST_SUCCESS, false);
}

/* An answer that may just be late must not end the QP. */
static void implied_nak_never_kills(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	f->req.cfg.retry_cnt = 0;
	soro_requester_init(&f->req, START);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, ACK, 1);
	KUNIT_EXPECT_FALSE(test, f->step.implied);
	receive_responses(f, 0, 0, 1, 5);
	receive_ack(f, ACK, 1);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_SUCCESS, false);
}

static void bad_response(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 3; i++) {
		soro_requester_reset(&f->req);
		f->req.cfg.pmtu_bytes = PMTU;
		f->req.cfg.reads_max = 1;
		soro_requester_init(&f->req, START);
		post(f, SORO_READ_REQ, 2 * PMTU + 5, 0);
		send_all(f);
		put_responses(f, 0, 0, 3, 2 * PMTU + 5);
		if (i == 0)
			f->pkts[1].payload_len--;
		if (i == 1)
			f->pkts[2].payload_len++;
		if (i == 2)	/* LAST too early */
			f->pkts[1].row = f->pkts[2].row;
		judge(f, 3);
		KUNIT_EXPECT_EQ(test, f->step.n, i == 1 ? 2U : 1U);
		soro_requester_commit(&f->req, &f->step, f->now);
		f->pkts[0] = f->pkts[f->step.n];
		judge(f, 1);
		KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_DONE);
		expect_done(test, 0, SORO_ST_BAD_RESP, true);
	}
}

/* ---- a hostile peer ---- */

static void forge(struct requester_fixture *f, u32 *state, struct soro_pkt *pkt)
{
	u8 kind = draw(state, 2) ? SORO_READ_RESP : SORO_ACK;
	u8 pos = kind == SORO_ACK ? SORO_ONLY : draw(state, 4);

	memset(pkt, 0, sizeof(*pkt));
	pkt->opcode = soro_opcode_make(SORO_RC, kind, pos, 0);
	pkt->row = soro_opcode_row(pkt->opcode);
	pkt->psn = soro_psn_add(f->req.una, draw(state, 3) ? draw(state, 9) - 2 : 0);
	pkt->payload_len = kind == SORO_ACK ? 0 : draw(state, 2) ? PMTU : draw(state, PMTU + 2);
	pkt->syndrome = draw(state, 4) ? ACK : draw(state, 128);
}

static void check_cursors(struct kunit *test)
{
	const struct soro_requester *req = &((struct requester_fixture *)test->priv)->req;
	u32 flight = (req->nxt - req->una) & SORO_PSN_MASK;

	KUNIT_ASSERT_LE(test, req->reads, (u32)req->cfg.reads_max);
	KUNIT_ASSERT_LE(test, req->tail - req->head, (u32)SLOTS);
	KUNIT_ASSERT_LE(test, req->acked - req->head, (u32)SLOTS);
	if (req->failed)
		return;
	KUNIT_ASSERT_LE(test, req->cur - req->acked, req->tail - req->acked);
	KUNIT_ASSERT_LE(test, (req->psn - req->una) & SORO_PSN_MASK, flight);
	KUNIT_ASSERT_LT(test, flight, 1U << 23);
}

static void digest_forged(struct kunit *test, u32 *state)
{
	struct requester_fixture *f = test->priv;
	u32 n = 1 + draw(state, 4);
	u32 i;

	for (i = 0; i < n; i++)
		forge(f, state, &f->pkts[i]);
	for (i = 0; i < n; i += f->step.n) {
		soro_requester_judge(&f->req, f->pkts + i, n - i, f->now, &f->step);
		KUNIT_ASSERT_GE(test, f->step.n, 1U);
		KUNIT_ASSERT_LE(test, f->step.n, n - i);
		if (f->step.verdict != SORO_REQ_PLACE)
			continue;
		KUNIT_ASSERT_LE(test, (u64)f->step.offset + f->step.bytes,
				(u64)f->wqes[f->step.slot & f->req.mask].bytes);
		soro_requester_commit(&f->req, &f->step, f->now);
	}
}

/* Whatever comes: cursors keep their order and no byte lands outside of its WQE. */
static void hostile_responses(struct kunit *test)
{
	static const u8 kinds[] = { SORO_SEND, SORO_WRITE, SORO_READ_REQ };
	struct requester_fixture *f = test->priv;
	u32 state = 1, round, over = 0;

	for (round = 0; round < 20000; round++) {
		while (soro_requester_room(&f->req) && draw(&state, 3))
			post(f, kinds[draw(&state, 3)], draw(&state, 6 * PMTU), draw(&state, 8));
		send_all(f);
		digest_forged(test, &state);
		check_cursors(test);
		f->now += draw(&state, TIMEOUT);
		soro_requester_timeout(&f->req, f->now);
		while (soro_requester_pop(&f->req, &f->done))
			over++;
		check_cursors(test);
		if (f->req.failed)
			soro_requester_init(&f->req, draw(&state, 1 << 24));
	}
	KUNIT_EXPECT_GT(test, over, 1000U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ack_in_parts),
	KUNIT_CASE(ghosts_are_dropped),
	KUNIT_CASE(ack_while_resending),
	KUNIT_CASE(nak_goes_back),
	KUNIT_CASE(nak_and_its_copies),
	KUNIT_CASE(nak_after_progress),
	KUNIT_CASE(nak_without_retries),
	KUNIT_CASE(fatal_nak),
	KUNIT_CASE(fatal_nak_beyond_a_read),
	KUNIT_CASE(fatal_nak_inside_a_read),
	KUNIT_CASE(rnr_waits),
	KUNIT_CASE(rnr_retries_end),
	KUNIT_CASE(rnr_seven_is_for_ever),
	KUNIT_CASE(rnr_retries_come_back),
	KUNIT_CASE(ack_ends_the_wait),
	KUNIT_CASE(rnr_codes),
	KUNIT_CASE(read_data),
	KUNIT_CASE(empty_read),
	KUNIT_CASE(gap_in_read_data),
	KUNIT_CASE(ack_beyond_a_read),
	KUNIT_CASE(implied_nak_never_kills),
	KUNIT_CASE(bad_response),
	KUNIT_CASE(hostile_responses),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_digest",
	.init = setup_requester,
	.test_cases = cases,
};

kunit_test_suites(&suite);

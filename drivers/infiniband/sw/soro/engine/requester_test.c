// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the RC requester: plan, sent, judge, commit, deadlines, pop. */
#include <kunit/test.h>
#include <linux/string.h>
#include "requester.h"
#include "../wire/psn.h"

#define PMTU		1024
#define START		0xfffffcU	/* the wrap is always near */
#define SLOTS		32
#define PKTS		64
#define TIMEOUT		1000000ULL
#define PACKET		(PMTU + 16)	/* UDP payload bytes of a full packet */

static const struct soro_train_limits wide = { .packets = 64, .bytes = 65000 };

struct fixture {
	struct soro_requester req;
	struct soro_wqe wqes[SLOTS];
	struct soro_train train;
	struct soro_req_step step;
	struct soro_req_done done;
	struct soro_pkt pkts[PKTS];
	bool more;
	u64 now;
};

static int setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

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
	f->now = 1000;
	test->priv = f;
	return 0;
}

static struct soro_wqe *post(struct fixture *f, u8 kind, u32 bytes, u8 flags)
{
	struct soro_wqe *wqe = soro_requester_slot(&f->req, f->req.tail);

	*wqe = (struct soro_wqe) { .va = 0x1000, .bytes = bytes, .kind = kind, .flags = flags };
	soro_requester_take(&f->req);
	return wqe;
}

static bool send(struct fixture *f)
{
	if (!soro_requester_plan(&f->req, &wide, f->more, f->now, &f->train))
		return false;
	soro_requester_sent(&f->req, &f->train, f->now);
	return true;
}

static u32 send_all(struct fixture *f)
{
	u32 trains = 0;

	while (send(f))
		trains++;
	return trains;
}

static void expect_train(struct kunit *test, u32 ahead, u32 n, u32 offset, u32 bytes, bool ackreq)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.psn, soro_psn_add(START, ahead));
	KUNIT_EXPECT_EQ(test, f->train.n, n);
	KUNIT_EXPECT_EQ(test, f->train.offset, offset);
	KUNIT_EXPECT_EQ(test, f->train.bytes, bytes);
	KUNIT_EXPECT_EQ(test, f->train.ackreq, ackreq);
}

static void expect_wait(struct kunit *test, u8 why)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->req.wait, why);
}

static void judge(struct fixture *f, u32 n)
{
	soro_requester_judge(&f->req, f->pkts, n, f->now, &f->step);
}

static void receive_ack(struct fixture *f, u8 syndrome, u32 ahead)
{
	memset(f->pkts, 0, sizeof(f->pkts[0]));
	f->pkts->opcode = soro_opcode_make(SORO_RC, SORO_ACK, SORO_ONLY, 0);
	f->pkts->row = soro_opcode_row(f->pkts->opcode);
	f->pkts->psn = soro_psn_add(START, ahead);
	f->pkts->syndrome = syndrome;
	judge(f, 1);
}

/* Response packets @from to @from + @n - 1 of an answer of @total bytes to a READ at @ahead. */
static void put_responses(struct fixture *f, u32 ahead, u32 from, u32 n, u32 total)
{
	u32 pmtu = f->req.cfg.pmtu_bytes;
	u32 i;

	for (i = 0; i < n; i++) {
		struct soro_pkt *pkt = &f->pkts[i];
		u32 left = total - (from + i) * pmtu;
		u8 pos = (i ? 0 : SORO_FIRST) | (left <= pmtu ? SORO_LAST : 0);

		memset(pkt, 0, sizeof(*pkt));
		pkt->opcode = soro_opcode_make(SORO_RC, SORO_READ_RESP, pos, 0);
		pkt->row = soro_opcode_row(pkt->opcode);
		pkt->psn = soro_psn_add(START, ahead + from + i);
		pkt->payload_len = min(left, pmtu);
	}
}

static void receive_responses(struct fixture *f, u32 ahead, u32 from, u32 n, u32 total)
{
	put_responses(f, ahead, from, n, total);
	judge(f, n);
	if (f->step.verdict == SORO_REQ_PLACE)
		soro_requester_commit(&f->req, &f->step, f->now);
}

static void expect_done(struct kunit *test, u32 slot, u8 status, bool completion)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_TRUE(test, soro_requester_pop(&f->req, &f->done));
	KUNIT_EXPECT_EQ(test, f->done.slot, slot);
	KUNIT_EXPECT_EQ(test, f->done.status, status);
	KUNIT_EXPECT_EQ(test, f->done.completion, completion);
}

static void expect_none(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, soro_requester_pop(&f->req, &f->done));
}

static bool expire(struct fixture *f)
{
	f->now = soro_requester_deadline(&f->req);
	return soro_requester_timeout(&f->req, f->now);
}

#define ACK	(SORO_SYNDROME_ACK | SORO_CREDIT_NONE)
#define NAK	(SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE)
#define RNR(c)	(SORO_SYNDROME_RNR | (c))

/* ---- trains ---- */

static void send_is_one_train(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 4 * PMTU + 1, 0);
	expect_train(test, 0, 5, 0, 4 * PMTU + 1, true);
	KUNIT_EXPECT_TRUE(test, f->train.first);
	KUNIT_EXPECT_TRUE(test, f->train.last);
	expect_wait(test, SORO_WAIT_EMPTY);
}

static void write_first_goes_alone(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_WRITE, 4 * PMTU, 0);
	expect_train(test, 0, 1, 0, PMTU, false);
	KUNIT_EXPECT_TRUE(test, f->train.first);
	KUNIT_EXPECT_FALSE(test, f->train.last);
	expect_train(test, 1, 3, PMTU, 3 * PMTU, true);
	KUNIT_EXPECT_FALSE(test, f->train.first);
	KUNIT_EXPECT_TRUE(test, f->train.last);
	post(f, SORO_WRITE, 0, 0);
	expect_train(test, 4, 1, 0, 0, true);
}

/* Immediate data may make the LAST longer than a full packet: then it goes alone. */
static void immediate_in_a_train(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 3 * PMTU, SORO_WQE_IMM);
	expect_train(test, 0, 2, 0, 2 * PMTU, false);
	expect_train(test, 2, 1, 2 * PMTU, PMTU, true);
	post(f, SORO_SEND, 3 * PMTU - 3, SORO_WQE_IMM);
	expect_train(test, 3, 2, 0, 2 * PMTU, false);
	expect_train(test, 5, 1, 2 * PMTU, PMTU - 3, true);
	post(f, SORO_SEND, 3 * PMTU - 4, SORO_WQE_IMM);
	expect_train(test, 6, 3, 0, 3 * PMTU - 4, true);
}

static void limits_are_kept(struct kunit *test)
{
	const struct soro_train_limits packets = { .packets = 3, .bytes = 65000 };
	const struct soro_train_limits bytes = { .packets = 64, .bytes = 3 * PACKET - 1 };
	const struct soro_train_limits tiny = { .packets = 1, .bytes = 10 };
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 9 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &packets, false, 1, &f->train));
	KUNIT_EXPECT_EQ(test, f->train.n, 3U);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &bytes, false, 1, &f->train));
	KUNIT_EXPECT_EQ(test, f->train.n, 2U);
	KUNIT_ASSERT_TRUE(test, soro_requester_plan(&f->req, &tiny, false, 1, &f->train));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	/* planned is not sent */
	KUNIT_EXPECT_EQ(test, f->req.nxt, START);
}

/* ---- AckReq ---- */

static void ack_is_asked_for(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->more = true;
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 0, 1, 0, 5, false);
	post(f, SORO_SEND, 5, SORO_WQE_SIGNALED);
	expect_train(test, 1, 1, 0, 5, true);
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 2, 1, 0, 5, false);
	f->more = false;
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 3, 1, 0, 5, true);
}

static void ack_is_asked_for_by_slots(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	f->more = true;
	for (i = 0; i < SLOTS / 2; i++) {
		post(f, SORO_SEND, 5, 0);
		KUNIT_ASSERT_TRUE(test, send(f));
		KUNIT_EXPECT_EQ(test, f->train.ackreq, i == SLOTS / 2 - 1);
	}
}

static void ack_is_asked_for_by_window(struct kunit *test)
{
	struct fixture *f = test->priv;
	bool last = false;
	u32 asked = 0;

	f->more = true;
	post(f, SORO_SEND, 1 << 20, 0);
	while (send(f)) {
		last = f->train.ackreq;
		asked += last;
	}
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_WINDOW);
	KUNIT_EXPECT_TRUE(test, last);
	KUNIT_EXPECT_GE(test, asked, 3U);
	KUNIT_EXPECT_LE(test, (f->req.nxt - f->req.una) & SORO_PSN_MASK,
			SORO_WINDOW_INIT_BYTES / PMTU);
}

/* Nothing that follows could ask: the WQE before a failed one does. */
static void ack_is_asked_for_before_an_error(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	soro_requester_fail(&f->req, 1, SORO_ST_LOC_PROT);
	expect_train(test, 0, 1, 0, 5, true);
	expect_wait(test, SORO_WAIT_FAILED);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_PROT, true);
}

/* The copy of the second fails when the first is on its way without having asked. */
static void ack_is_asked_for_after_an_error(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->more = true;
	post(f, SORO_SEND, 5, 0);
	expect_train(test, 0, 1, 0, 5, false);
	post(f, SORO_SEND, 5, 0);
	soro_requester_fail(&f->req, 1, SORO_ST_LOC_PROT);
	expect_train(test, 0, 1, 0, 5, true);
	KUNIT_EXPECT_TRUE(test, f->train.resend);
}

/* ---- acknowledgments ---- */

static void ack_in_parts(struct kunit *test)
{
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 5 * PMTU, 0);
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 0, 1, 0, PMTU, true);
	receive_ack(f, ACK, 3);
	expect_train(test, 4, 1, 4 * PMTU, PMTU, true);
	receive_ack(f, ACK, 4);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* ---- loss ---- */

static void timeout_goes_back_in_singles(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 4 * PMTU, 0);
	send_all(f);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + TIMEOUT);
	KUNIT_EXPECT_FALSE(test, soro_requester_timeout(&f->req, f->now + TIMEOUT - 1));
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_train(test, 0, 1, 0, PMTU, true);
	KUNIT_EXPECT_TRUE(test, f->train.resend);
	receive_ack(f, ACK, 0);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 2);
	KUNIT_EXPECT_EQ(test, send_all(f), 3U);
	KUNIT_EXPECT_EQ(test, f->req.resent, 4ULL);
}

static void retries_end(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, ACK, 0);
	KUNIT_EXPECT_TRUE(test, expire(f));
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_none(test);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_wait(test, SORO_WAIT_FAILED);
	expect_done(test, 1, SORO_ST_RETRY_EXC, true);
	KUNIT_EXPECT_TRUE(test, f->done.error);
	post(f, SORO_SEND, 5, 0);
	expect_done(test, 2, SORO_ST_FLUSH, true);
	KUNIT_EXPECT_FALSE(test, f->done.error);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* A path that takes nothing: the deadline runs from the first attempt. */
static void deadline_needs_no_answer_to_start(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
	post(f, SORO_READ_REQ, 5, 0);
	for (i = 0; i < 3; i++) {
		send_all(f);
		KUNIT_ASSERT_TRUE(test, expire(f));
	}
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

static void nak_goes_back(struct kunit *test)
{
	struct fixture *f = test->priv;

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

static void nak_without_retries(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->req.cfg.retry_cnt = 0;
	soro_requester_init(&f->req, START);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, NAK, 0);
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

/* ---- RNR ---- */

static void rnr_waits(struct kunit *test)
{
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;
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
	struct fixture *f = test->priv;
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

/* In SQD the counts may be lowered: what is left follows at once. */
static void lower_counts(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct soro_requester_config cfg = f->req.cfg;

	post(f, SORO_SEND, 5, 0);
	send_all(f);
	cfg.retry_cnt = 1;
	cfg.rnr_retry = 0;
	soro_requester_configure(&f->req, &cfg, f->now);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 1);
	KUNIT_EXPECT_EQ(test, f->req.rnr_left, 0);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + 2 * TIMEOUT);
	KUNIT_EXPECT_TRUE(test, expire(f));
	expect_done(test, 0, SORO_ST_RETRY_EXC, true);
}

static void changed_in_sqd(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct soro_requester_config cfg = f->req.cfg;

	/* a timeout where there was none */
	f->req.cfg.timeout_ns = 0;
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
	soro_requester_configure(&f->req, &cfg, f->now);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + TIMEOUT);

	/* no READs any more: the one that was not sent fails in its turn */
	post(f, SORO_READ_REQ, 5, 0);
	cfg.reads_max = 0;
	soro_requester_configure(&f->req, &cfg, f->now);
	send_all(f);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_QP_OP, true);
}

static void rnr_codes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(0), 655360000ULL);
	KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(1), 10000ULL);
	KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(12), 640000ULL);
	KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(31), 491520000ULL);
	KUNIT_EXPECT_EQ(test, soro_requester_rnr_ns(RNR(31)), 491520000ULL);
}

/* ---- errors ---- */

static void fatal_nak(struct kunit *test)
{
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

	post(f, SORO_READ_REQ, 3 * PMTU, 0);
	send_all(f);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_ACCESS, 1);
	expect_done(test, 0, SORO_ST_REM_ACCESS, true);
}

static void bad_wqes_complete_in_turn(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->req.cfg.reads_max = 0;
	post(f, SORO_SEND, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_SEND, 5, 0);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	expect_none(test);
	receive_ack(f, ACK, 0);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_LOC_QP_OP, true);
	expect_done(test, 2, SORO_ST_FLUSH, true);
}

static void too_long_or_unknown(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, post(f, SORO_SEND, SORO_MESSAGE_MAX + 1, 0)->status,
			SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, post(f, SORO_FLUSH, 8, 0)->status, SORO_ST_LOC_QP_OP);
	expect_wait(test, SORO_WAIT_FAILED);
}

static void flush_ends_everything(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, ACK, 0);
	soro_requester_flush(&f->req);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
	expect_done(test, 1, SORO_ST_FLUSH, true);
	KUNIT_EXPECT_FALSE(test, f->done.error);
	expect_none(test);
	expect_wait(test, SORO_WAIT_FAILED);
}

static void flush_keeps_an_error_that_is_due(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_SEND, 5, 0);
	post(f, SORO_SEND, 5, 0);
	send_all(f);
	receive_ack(f, SORO_SYNDROME_NAK | SORO_NAK_OPERATION, 0);
	soro_requester_flush(&f->req);
	expect_done(test, 0, SORO_ST_REM_OP, true);
	expect_done(test, 1, SORO_ST_FLUSH, true);
}

/* ---- READ ---- */

static void read_data(struct kunit *test)
{
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

	post(f, SORO_READ_REQ, 0, 0);
	expect_train(test, 0, 1, 0, 0, false);
	receive_responses(f, 0, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, f->step.verdict, SORO_REQ_PLACE);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* Data beyond a gap: ask again from the gap, once, for the rest of the range only. */
static void gap_in_read_data(struct kunit *test)
{
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;

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
	struct fixture *f = test->priv;
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

static void read_limit_and_fence(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_READ_REQ, 5, 0);
	post(f, SORO_SEND, 5, SORO_WQE_FENCE);
	KUNIT_EXPECT_EQ(test, send_all(f), 2U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_READS);
	receive_responses(f, 0, 0, 1, 5);
	KUNIT_EXPECT_EQ(test, send_all(f), 1U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_FENCE);
	receive_responses(f, 1, 0, 1, 5);
	expect_wait(test, SORO_WAIT_FENCE);
	receive_responses(f, 2, 0, 1, 5);
	expect_train(test, 3, 1, 0, 5, true);
}

/* ---- size ---- */

static void window_grows_and_falls(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	post(f, SORO_SEND, 1 << 28, 0);
	for (i = 0; i < 8; i++) {
		send_all(f);
		KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_WINDOW);
		receive_ack(f, ACK, (f->req.nxt - START - 1) & SORO_PSN_MASK);
	}
	KUNIT_EXPECT_EQ(test, f->req.window_bytes, (u32)SORO_WINDOW_MAX_BYTES);
	send_all(f);
	KUNIT_EXPECT_TRUE(test, expire(f));
	KUNIT_EXPECT_EQ(test, f->req.window_bytes, (u32)SORO_WINDOW_MIN_BYTES);
}

/* 2^31 bytes at PMTU 256 are half of the PSN space. */
static void longest_send(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 bytes = 0;

	f->req.cfg.pmtu_bytes = 256;
	post(f, SORO_SEND, SORO_MESSAGE_MAX, 0);
	while (!soro_requester_pop(&f->req, &f->done)) {
		KUNIT_ASSERT_TRUE(test, send(f));
		KUNIT_ASSERT_EQ(test, f->train.offset, bytes);
		bytes += f->train.bytes;
		receive_ack(f, ACK, (f->req.nxt - START - 1) & SORO_PSN_MASK);
	}
	KUNIT_EXPECT_EQ(test, bytes, (u64)SORO_MESSAGE_MAX);
	KUNIT_EXPECT_EQ(test, f->req.nxt, soro_psn_add(START, 1 << 23));
}

/* Many requests on the wire, one after the other; a part is asked for again to its end. */
static void longest_read(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 trains = 0, at = 0;

	f->req.cfg.pmtu_bytes = 256;
	post(f, SORO_READ_REQ, SORO_MESSAGE_MAX, 0);
	while (at < 1U << 23) {
		trains += send_all(f);
		if (at == 64) {
			KUNIT_ASSERT_TRUE(test, expire(f));
			KUNIT_ASSERT_TRUE(test, send(f));
			KUNIT_EXPECT_EQ(test, f->train.npsn, SORO_READ_PSN_MAX - 64);
			KUNIT_EXPECT_EQ(test, f->train.offset, 64U * 256);
		}
		put_responses(f, at, 0, PKTS, PKTS * 256 + 1);
		if (!((at + PKTS) % SORO_READ_PSN_MAX)) {
			f->pkts[PKTS - 1].opcode = soro_opcode_make(SORO_RC, SORO_READ_RESP,
								    SORO_LAST, 0);
			f->pkts[PKTS - 1].row = soro_opcode_row(f->pkts[PKTS - 1].opcode);
		}
		judge(f, PKTS);
		KUNIT_ASSERT_EQ(test, f->step.verdict, SORO_REQ_PLACE);
		KUNIT_ASSERT_EQ(test, f->step.n, (u32)PKTS);
		KUNIT_ASSERT_EQ(test, f->step.offset, at * 256);
		soro_requester_commit(&f->req, &f->step, f->now);
		at += PKTS;
	}
	KUNIT_EXPECT_EQ(test, trains, 2U);
	expect_done(test, 0, SORO_ST_SUCCESS, false);
}

/* ---- a hostile peer ---- */

static u32 draw(u32 *state, u32 n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % n;
}

static void forge(struct fixture *f, u32 *state, struct soro_pkt *pkt)
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
	const struct soro_requester *req = &((struct fixture *)test->priv)->req;
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
	struct fixture *f = test->priv;
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
	struct fixture *f = test->priv;
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
	KUNIT_CASE(send_is_one_train),
	KUNIT_CASE(write_first_goes_alone),
	KUNIT_CASE(immediate_in_a_train),
	KUNIT_CASE(limits_are_kept),
	KUNIT_CASE(ack_is_asked_for),
	KUNIT_CASE(ack_is_asked_for_by_slots),
	KUNIT_CASE(ack_is_asked_for_by_window),
	KUNIT_CASE(ack_is_asked_for_before_an_error),
	KUNIT_CASE(ack_is_asked_for_after_an_error),
	KUNIT_CASE(ack_in_parts),
	KUNIT_CASE(ghosts_are_dropped),
	KUNIT_CASE(ack_while_resending),
	KUNIT_CASE(timeout_goes_back_in_singles),
	KUNIT_CASE(retries_end),
	KUNIT_CASE(deadline_needs_no_answer_to_start),
	KUNIT_CASE(nak_goes_back),
	KUNIT_CASE(nak_without_retries),
	KUNIT_CASE(rnr_waits),
	KUNIT_CASE(rnr_retries_end),
	KUNIT_CASE(rnr_seven_is_for_ever),
	KUNIT_CASE(lower_counts),
	KUNIT_CASE(changed_in_sqd),
	KUNIT_CASE(rnr_codes),
	KUNIT_CASE(fatal_nak),
	KUNIT_CASE(fatal_nak_beyond_a_read),
	KUNIT_CASE(fatal_nak_inside_a_read),
	KUNIT_CASE(bad_wqes_complete_in_turn),
	KUNIT_CASE(too_long_or_unknown),
	KUNIT_CASE(flush_ends_everything),
	KUNIT_CASE(flush_keeps_an_error_that_is_due),
	KUNIT_CASE(read_data),
	KUNIT_CASE(empty_read),
	KUNIT_CASE(gap_in_read_data),
	KUNIT_CASE(ack_beyond_a_read),
	KUNIT_CASE(implied_nak_never_kills),
	KUNIT_CASE(bad_response),
	KUNIT_CASE(read_limit_and_fence),
	KUNIT_CASE(window_grows_and_falls),
	KUNIT_CASE(longest_send),
	KUNIT_CASE(longest_read),
	KUNIT_CASE(hostile_responses),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_requester",
	.init = setup,
	.test_cases = cases,
};

kunit_test_suites(&suite);

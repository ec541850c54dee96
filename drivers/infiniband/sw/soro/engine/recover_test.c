// SPDX-License-Identifier: GPL-2.0
/* Unit tests of recovery: probes, holes, the mark of a path that damages trains. */
#include "engine_test.h"
#include "recover.h"

static int setup_recover(struct kunit *test)
{
	int err = setup_requester(test);
	struct requester_fixture *f = test->priv;

	if (err)
		return err;
	f->req.cfg.timeout_ns = 64 * MSEC;
	f->req.cfg.retry_cnt = 7;
	f->req.cfg.reads_max = 4;
	soro_requester_init(&f->req, START);
	f->req.unlimited = true;
	f->limits.packets = 4;
	return 0;
}

/* Packets of all trains that go out now. */
static u32 send_packets(struct requester_fixture *f)
{
	u32 packets = 0;

	while (send(f))
		packets += f->train.n;
	return packets;
}

static void receive(struct requester_fixture *f, u8 syndrome, u32 ahead)
{
	receive_ack(f, syndrome, ahead);
	while (soro_requester_pop(&f->req, &f->done))
		;
}

/* One message there and back in a millisecond. */
static void measure(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 1, SORO_WQE_SIGNALED);
	KUNIT_ASSERT_TRUE(test, send(f));
	f->now += MSEC;
	receive(f, ACK, 0);
	KUNIT_ASSERT_EQ(test, f->req.srtt_ns, MSEC);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* Messages of 64 KiB, one after the other, each of which takes that long; returns the window. */
static u32 window_after(struct requester_fixture *f, u32 messages, u64 rtt_ns)
{
	u32 ahead;

	while (messages--) {
		post(f, SORO_SEND, 65536, SORO_WQE_SIGNALED);
		while (send_all(f)) {
			ahead = (f->req.nxt - START - 1) & SORO_PSN_MASK;
			f->now += rtt_ns;
			receive(f, ACK, ahead);
		}
	}
	return f->req.window_bytes;
}

/* A queue that comes near the timeout (64 ms) is not made longer. */
static void window_follows_the_queue(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 most, window;

	measure(test);
	most = window_after(f, 20, MSEC);
	KUNIT_EXPECT_EQ(test, most, SORO_WINDOW_MAX_BYTES);
	window = window_after(f, 100, 30 * MSEC);
	KUNIT_EXPECT_EQ(test, window, SORO_WINDOW_MIN_BYTES);
	KUNIT_EXPECT_EQ(test, window_after(f, 20, 9 * MSEC + MSEC * 4), window);
	KUNIT_EXPECT_GT(test, window_after(f, 40, 2 * MSEC), window);
}

/* A long way is no queue; and without a timeout nothing is near. */
static void long_way_is_no_queue(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, window_after(f, 20, 40 * MSEC), SORO_WINDOW_MAX_BYTES);
	f->req.cfg.timeout_ns = 0;
	KUNIT_EXPECT_EQ(test, window_after(f, 20, 400 * MSEC), SORO_WINDOW_MAX_BYTES);
}

static void tail_is_probed(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u64 sent;

	post(f, SORO_SEND, 1, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.ackreq);	/* nothing is measured yet */
	f->now += MSEC;
	receive(f, ACK, 0);

	post(f, SORO_SEND, 1, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_FALSE(test, f->train.ackreq);
	sent = f->now;
	f->now = soro_requester_deadline(&f->req);
	KUNIT_EXPECT_EQ(test, f->now, sent + 4 * MSEC);
	KUNIT_EXPECT_FALSE(test, soro_requester_timeout(&f->req, f->now - 1));
	KUNIT_EXPECT_TRUE(test, soro_requester_timeout(&f->req, f->now));
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 7);
	KUNIT_EXPECT_EQ(test, f->req.probed, 1ULL);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.ackreq && f->train.resend);
	KUNIT_EXPECT_FALSE(test, send(f));
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), f->now + 8 * MSEC);

	/* the user's timeout runs from the first attempt, and costs a retry */
	while (f->req.retry_left == 7) {
		f->now = soro_requester_deadline(&f->req);
		KUNIT_ASSERT_TRUE(test, soro_requester_timeout(&f->req, f->now));
		send_packets(f);
	}
	KUNIT_EXPECT_EQ(test, f->now, sent + 64 * MSEC);
	receive(f, ACK, 1);
	KUNIT_EXPECT_EQ(test, f->req.retry_left, 7);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* However long nothing comes back, probes do not become more frequent again. */
static void probes_stay_rare(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u64 last, gap = 0;
	u32 i;

	f->req.cfg.timeout_ns = 10000000 * MSEC;
	measure(test);
	post(f, SORO_SEND, 1, 0);
	send_packets(f);
	for (i = 0; i < 600; i++) {
		last = f->now;
		f->now = soro_requester_deadline(&f->req);
		KUNIT_ASSERT_GE(test, f->now - last, gap);
		gap = f->now - last;
		KUNIT_ASSERT_TRUE(test, soro_requester_timeout(&f->req, f->now));
		send_packets(f);
	}
	KUNIT_EXPECT_EQ(test, f->req.probed, 600ULL);
}

/* A timeout that could come before the probe has an answer: the tail asks. */
static void short_timeout_has_no_probe(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	measure(test);
	f->req.cfg.timeout_ns = 7 * MSEC;
	post(f, SORO_SEND, 1, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.ackreq);

	f->req.cfg.timeout_ns = 0;
	receive(f, ACK, 1);
	post(f, SORO_SEND, 1, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_TRUE(test, f->train.ackreq);
	KUNIT_EXPECT_EQ(test, soro_requester_deadline(&f->req), 0ULL);
}

/* What was sent twice is not timed. */
static void resent_is_not_timed(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 1, SORO_WQE_SIGNALED);
	send_packets(f);
	f->now += 64 * MSEC;
	KUNIT_ASSERT_TRUE(test, soro_requester_timeout(&f->req, f->now));
	send_packets(f);
	f->now += MSEC;
	receive(f, ACK, 0);
	KUNIT_EXPECT_EQ(test, f->req.srtt_ns, 0ULL);
}

/* Lose packet 4 of 40; the peer keeps the rest and says so after the resend. */
static void lose_and_learn(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	post(f, SORO_SEND, 40 * PMTU, 0);
	KUNIT_ASSERT_EQ(test, send_packets(f), 40U);
	receive(f, NAK, 4);
	KUNIT_EXPECT_FALSE(test, f->req.keeps);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, ACK, 39);
	KUNIT_EXPECT_TRUE(test, f->req.keeps);
	KUNIT_EXPECT_EQ(test, f->req.una, f->req.nxt);
}

static void hole_alone_is_sent_again(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	lose_and_learn(test);
	post(f, SORO_SEND, 100 * PMTU, 0);
	KUNIT_ASSERT_EQ(test, send_packets(f), 100U);
	receive(f, NAK, 50);
	KUNIT_EXPECT_EQ(test, send_packets(f), SORO_WINDOW_MIN_BYTES / PMTU);
	KUNIT_EXPECT_EQ(test, f->req.unasked, 0U);
	KUNIT_EXPECT_EQ(test, f->req.wait, SORO_WAIT_HOLE);

	/* the gap is filled up to another one */
	receive(f, NAK, 120);
	KUNIT_EXPECT_EQ(test, send_packets(f), SORO_WINDOW_MIN_BYTES / PMTU);
	receive(f, ACK, 139);
	KUNIT_EXPECT_EQ(test, f->req.una, f->req.nxt);
}

/* What was acknowledged beyond the hole goes on; what is behind it is on its way. */
static void rest_is_on_its_way(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	lose_and_learn(test);
	post(f, SORO_SEND, 100 * PMTU, 0);
	send_packets(f);
	receive(f, NAK, 50);
	send_packets(f);
	receive(f, ACK, 100);
	KUNIT_EXPECT_EQ(test, f->req.psn, f->req.nxt);
	KUNIT_EXPECT_EQ(test, send_packets(f), 0U);
	KUNIT_EXPECT_NE(test, soro_requester_deadline(&f->req), 0ULL);
}

/* The piece was not enough: the next one is twice as long. */
static void hole_grows(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	lose_and_learn(test);
	post(f, SORO_SEND, 100 * PMTU, 0);
	send_packets(f);
	receive(f, NAK, 40);
	KUNIT_EXPECT_EQ(test, send_packets(f), 16U);
	receive(f, ACK, 55);
	KUNIT_EXPECT_EQ(test, send_packets(f), 32U);
	receive(f, ACK, 87);
	KUNIT_EXPECT_EQ(test, send_packets(f), 52U);
}

/* A peer that had not what follows the probed packet keeps nothing. */
static void belief_is_given_up(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	measure(test);
	f->req.keeps = true;
	post(f, SORO_SEND, 10 * PMTU, 0);
	send_packets(f);
	f->now = soro_requester_deadline(&f->req);
	KUNIT_ASSERT_TRUE(test, soro_requester_timeout(&f->req, f->now));
	KUNIT_EXPECT_EQ(test, send_packets(f), 1U);
	receive(f, ACK, 1);
	KUNIT_EXPECT_FALSE(test, f->req.keeps);
	KUNIT_EXPECT_NE(test, send_packets(f), 0U);
}

static void fail_twice(struct kunit *test)
{
	struct requester_fixture *f = test->priv;
	u32 first = (f->req.nxt - START) & SORO_PSN_MASK;

	post(f, SORO_SEND, 4 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_ASSERT_EQ(test, f->train.n, 4U);
	receive(f, NAK, first);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 4U);
	receive(f, NAK, first);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	KUNIT_EXPECT_EQ(test, send_packets(f), 3U);
}

static void path_is_marked(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	fail_twice(test);
	KUNIT_EXPECT_EQ(test, f->req.marks, 0ULL);
	receive(f, ACK, 3);
	KUNIT_EXPECT_EQ(test, f->req.marks, 1ULL);

	post(f, SORO_SEND, 4 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
	send_packets(f);
	receive(f, ACK, 7);

	/* later a train of two is tried, and then all is well again */
	f->now += 10000 * MSEC;
	post(f, SORO_SEND, 4 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 2U);
	send_packets(f);
	receive(f, ACK, 11);
	post(f, SORO_SEND, 4 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 4U);
}

static void trial_fails(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	fail_twice(test);
	receive(f, ACK, 3);
	f->now += 10000 * MSEC;
	post(f, SORO_SEND, 4 * PMTU, 0);
	KUNIT_ASSERT_TRUE(test, send(f));
	receive(f, NAK, 4);
	KUNIT_EXPECT_EQ(test, f->req.marks, 2ULL);
	KUNIT_ASSERT_TRUE(test, send(f));
	KUNIT_EXPECT_EQ(test, f->train.n, 1U);
}

/* Single packets that get lost as well say nothing about trains. */
static void lossy_path_is_not_marked(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	fail_twice(test);
	receive(f, NAK, 2);
	send_packets(f);
	receive(f, ACK, 3);
	KUNIT_EXPECT_EQ(test, f->req.marks, 0ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(tail_is_probed),
	KUNIT_CASE(window_follows_the_queue),
	KUNIT_CASE(long_way_is_no_queue),
	KUNIT_CASE(probes_stay_rare),
	KUNIT_CASE(short_timeout_has_no_probe),
	KUNIT_CASE(resent_is_not_timed),
	KUNIT_CASE(hole_alone_is_sent_again),
	KUNIT_CASE(rest_is_on_its_way),
	KUNIT_CASE(hole_grows),
	KUNIT_CASE(belief_is_given_up),
	KUNIT_CASE(path_is_marked),
	KUNIT_CASE(trial_fails),
	KUNIT_CASE(lossy_path_is_not_marked),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_recover",
	.init = setup_recover,
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Completion events under traffic, for a program that takes an event, arms again and only then
 * polls: none is lost, and none comes that was not asked for.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define WINDOW 24

/**
 * struct sender - a thread that sends while there is room
 * @pair: connected
 * @count: messages to send
 * @solicited: every message asks for an event
 * @pause: wait a little between some
 * @received: how many the receiver has taken
 */
struct sender {
	struct pair *pair;
	unsigned int count;
	bool solicited, pause;
	volatile unsigned int received;
};

static void *keep_sending(void *arg)
{
	struct sender *s = arg;
	unsigned int posted, sent = 0;
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | (s->solicited ? IBV_SEND_SOLICITED : 0),
	};

	for (posted = 0; posted < s->count && !tap_failed(); posted++) {
		while (posted - s->received >= WINDOW && !tap_failed())
			sched_yield();
		wr.wr_id = posted;
		if (!CHECK(!end_post_recv(&s->pair->end[1], posted, NULL, 0), "post_recv") ||
		    !CHECK(!end_post_send(&s->pair->end[0], &wr), "post_send"))
			break;
		while (posted - sent >= WINDOW - 1 &&
		       end_expect_status(&s->pair->end[0], false, sent, IBV_WC_SUCCESS, "send"))
			sent++;
		if (s->pause && posted % 7 == 0)
			sleep_msec(1 + posted % 3);
	}
	for (; sent < posted && !tap_failed(); sent++)
		end_expect_status(&s->pair->end[0], false, sent, IBV_WC_SUCCESS, "send");
	return NULL;
}

/* Poll until nothing is left. */
static void empty(struct sender *s)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(s->pair->end[1].rcq, 1, &wc) > 0 && !tap_failed()) {
		CHECK(wc.wr_id == s->received && !wc.status, "receive %llu, not %u, \"%s\"",
		      (unsigned long long)wc.wr_id, s->received, ibv_wc_status_str(wc.status));
		s->received++;
	}
}

/* Event, arm, poll, in this order. Return: number of events. */
static unsigned int receive(struct sender *s)
{
	struct end *to = &s->pair->end[1];
	struct pollfd pfd = { .fd = to->chan->fd, .events = POLLIN };
	unsigned int events = 0, armed = 1;
	struct ibv_cq *cq;
	void *context;

	while (s->received < s->count && !tap_failed()) {
		if (!CHECK(poll(&pfd, 1, s->pair->env->wait_msec) == 1,
			   "no event after %u of %u, %u events", s->received, s->count, events))
			break;
		CHECK(!ibv_get_cq_event(to->chan, &cq, &context), "ibv_get_cq_event");
		ibv_ack_cq_events(cq, 1);
		CHECK(cq == to->rcq, "event of another CQ");
		events++;
		CHECK(events <= armed, "%u events after arming %u times", events, armed);
		CHECK(!ibv_req_notify_cq(to->rcq, s->solicited), "arm");
		armed++;
		empty(s);
	}
	/* Armed once more than there were events, at most one can have come since. */
	if (poll(&pfd, 1, 100) == 1 && !ibv_get_cq_event(to->chan, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		events++;
		CHECK(events <= armed, "%u events after arming %u times", events, armed);
		CHECK(!poll(&pfd, 1, 100), "one more event");
	}
	return events;
}

#define PAUSE		1
#define SOLICITED	2

static void test_arm_then_poll(struct env *env, long how)
{
	struct pair_opts opts = pair_defaults(env);
	struct sender sender = {
		.count = env->quick || env->lossy ? 400 : 3000,
		.pause = how & PAUSE, .solicited = how & SOLICITED,
	};
	unsigned int events;
	pthread_t thread;
	struct pair pair;

	if (!pair_open(&pair, env, &opts))
		return;
	sender.pair = &pair;
	CHECK(!ibv_req_notify_cq(pair.end[1].rcq, sender.solicited), "arm");
	if (CHECK(!pthread_create(&thread, NULL, keep_sending, &sender), "no thread")) {
		events = receive(&sender);
		pthread_join(thread, NULL);
		CHECK(events, "no events");
		tap_note("%u messages, %u events", sender.received, events);
	}
	pair_close(&pair);
}

/* Armed for solicited completions, then for any: that holds, once, however often it is said. */
static void test_upgrade(struct env *env, long twice)
{
	struct pair_opts opts = pair_defaults(env);
	struct pollfd pfd = { .events = POLLIN };
	struct ibv_cq *cq;
	struct pair pair;
	struct end *to = &pair.end[1];
	void *context;
	int i;

	if (!pair_open(&pair, env, &opts))
		return;
	pfd.fd = to->chan->fd;
	CHECK(!ibv_req_notify_cq(to->rcq, 1), "arm for solicited");
	CHECK(!ibv_req_notify_cq(to->rcq, 0), "arm for any");
	for (i = 0; i < twice; i++) {
		CHECK(!ibv_req_notify_cq(to->rcq, 0), "arm for any");
		CHECK(!ibv_req_notify_cq(to->rcq, 1), "arm for solicited");
	}
	end_follow(&pair.end[0], "first");
	if (CHECK(poll(&pfd, 1, env->wait_msec) == 1, "no event, armed for any") &&
	    !ibv_get_cq_event(to->chan, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	end_follow(&pair.end[0], "second");
	CHECK(!poll(&pfd, 1, 100), "a second event");
	pair_close(&pair);
}

const struct test cq_notify_tests[] = {
	{ "cq/arm-then-poll", test_arm_then_poll, 0, 0 },
	{ "cq/arm-then-poll-pauses", test_arm_then_poll, PAUSE, 0 },
	{ "cq/arm-then-poll-solicited", test_arm_then_poll, SOLICITED, 0 },
	{ "cq/arm-upgraded", test_upgrade, 0, 0 },
	{ "cq/arm-often", test_upgrade, 3, 0 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Completion events: armed for any or for solicited completions only.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

/* Long enough for an event that should not come to come. */
#define QUIET_MSEC 100

static bool event_comes(struct end *end, struct ibv_cq *wanted, unsigned int msec)
{
	struct pollfd pfd = { .fd = end->chan->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&pfd, 1, msec) <= 0 || ibv_get_cq_event(end->chan, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return CHECK(cq == wanted, "event of another CQ");
}

static bool send_one(struct pair *pair, enum op_id id, unsigned int flags)
{
	const struct op_desc *op = op_desc(id);
	struct ibv_send_wr wr = {
		.wr_id = 5, .opcode = op->wr, .send_flags = IBV_SEND_SIGNALED | flags,
	};

	return CHECK(!end_post_recv(&pair->end[1], 6, NULL, 0), "post_recv") &&
	       CHECK(!end_post_send(&pair->end[0], &wr), "post_send") &&
	       end_expect_status(&pair->end[0], false, 5, IBV_WC_SUCCESS, op->name);
}

static bool take_receive(struct pair *pair)
{
	return end_expect_status(&pair->end[1], true, 6, IBV_WC_SUCCESS, "receive");
}

static void any_cases(struct pair *pair, enum op_id op)
{
	struct end *to = &pair->end[1];

	CHECK(!ibv_req_notify_cq(to->rcq, 0), "arm");
	if (!send_one(pair, op, 0))
		return;
	CHECK(event_comes(to, to->rcq, pair->env->wait_msec), "no event, armed for any");
	take_receive(pair);
	/* One event per arming. */
	if (!send_one(pair, op, IBV_SEND_SOLICITED) || !take_receive(pair))
		return;
	CHECK(!event_comes(to, to->rcq, QUIET_MSEC), "event of a CQ that is not armed");
}

static void solicited_cases(struct pair *pair, enum op_id op)
{
	struct end *to = &pair->end[1];

	CHECK(!ibv_req_notify_cq(to->rcq, 1), "arm for solicited");
	if (!send_one(pair, op, 0) || !take_receive(pair))
		return;
	CHECK(!event_comes(to, to->rcq, QUIET_MSEC), "event without solicitation");
	if (!send_one(pair, op, IBV_SEND_SOLICITED))
		return;
	CHECK(event_comes(to, to->rcq, pair->env->wait_msec), "no event, armed for solicited");
	take_receive(pair);
	/* IBA 11.4.2.2: "any" stays in force when "solicited" is asked for after it. */
	CHECK(!ibv_req_notify_cq(to->rcq, 0), "arm");
	CHECK(!ibv_req_notify_cq(to->rcq, 1), "arm for solicited");
	if (!send_one(pair, op, 0))
		return;
	CHECK(event_comes(to, to->rcq, pair->env->wait_msec), "arming for any was weakened");
	take_receive(pair);
}

/* Arming raises nothing by itself, even when completions wait. */
static void armed_late(struct pair *pair)
{
	struct end *to = &pair->end[1];

	if (!send_one(pair, OP_SEND, IBV_SEND_SOLICITED))
		return;
	/* The receive's completion is in the queue before the arm. */
	sleep_msec(pair->env->lossy ? 500 : 50);
	CHECK(!ibv_req_notify_cq(to->rcq, 0), "arm");
	CHECK(!event_comes(to, to->rcq, QUIET_MSEC), "event for an older completion");
	take_receive(pair);
	if (!send_one(pair, OP_SEND, 0))
		return;
	CHECK(event_comes(to, to->rcq, pair->env->wait_msec), "no event after a late arm");
	take_receive(pair);
}

#define UC_BIT 0x100

static void test_arm(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	enum op_id op = arg & 0xff;
	struct pair pair;

	if (skip_if_lost(env, arg & UC_BIT))
		return;
	opts.uc = arg & UC_BIT;
	if (!pair_open(&pair, env, &opts))
		return;
	any_cases(&pair, op);
	solicited_cases(&pair, op);
	if (op == OP_SEND)
		armed_late(&pair);
	pair_close(&pair);
}

/* IBA 11.4.2.2: an error completion raises an event of a CQ armed for solicited ones. */
static void test_error_is_solicited(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	struct end *to;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	to = &pair.end[1];
	CHECK(!end_post_recv(to, 6, NULL, 0), "post_recv");
	CHECK(!ibv_req_notify_cq(to->rcq, 1), "arm for solicited");
	CHECK(!end_to_state(to, IBV_QPS_ERR), "to ERR");
	CHECK(event_comes(to, to->rcq, env->wait_msec), "no event for an error completion");
	end_expect_status(to, true, 6, IBV_WC_WR_FLUSH_ERR, "receive");
	pair_close(&pair);
}

/* Send side, event driven, every completion. */
static void test_send_side(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;
	int i;

	(void)arg;
	opts.events = true;
	if (!pair_open(&pair, env, &opts))
		return;
	for (i = 0; i < 20 && !tap_failed(); i++) {
		struct ibv_send_wr wr = {
			.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
		};

		CHECK(!ibv_req_notify_cq(pair.end[0].scq, 0), "arm");
		if (!CHECK(!end_post_send(&pair.end[0], &wr), "post_send"))
			break;
		CHECK(event_comes(&pair.end[0], pair.end[0].scq, env->wait_msec), "no event");
		end_expect_status(&pair.end[0], false, i, IBV_WC_SUCCESS, "WRITE");
	}
	pair_close(&pair);
}

const struct test rc_event_tests[] = {
	{ "events/send", test_arm, OP_SEND, 0 },
	{ "events/send_imm", test_arm, OP_SEND_IMM, 0 },
	{ "events/write_imm", test_arm, OP_WRITE_IMM, 0 },
	{ "uc/events-send", test_arm, UC_BIT | OP_SEND, 0 },
	{ "uc/events-send_imm", test_arm, UC_BIT | OP_SEND_IMM, 0 },
	{ "uc/events-write_imm", test_arm, UC_BIT | OP_WRITE_IMM, 0 },
	{ "events/error-is-solicited", test_error_is_solicited, 0, 0 },
	{ "events/send-side", test_send_side, 0, 0 },
	{ }
};

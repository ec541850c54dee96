// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what the responder half of a QP does: judge requests, find receive WQEs
 * and keys, place data, complete receives, send what is owed.
 */
#include <linux/jiffies.h>
#include "../link/socket.h"
#include "../memory/atomic.h"
#include "../memory/copy.h"
#include "../memory/cursor.h"
#include "../memory/grant.h"
#include "../memory/invalidate.h"
#include "../objects/state.h"
#include "burst.h"
#include "complete.h"
#include "inbound.h"
#include "recv.h"
#include "respond.h"
#include "trace.h"

#define BUDGET_TRAINS	16
#define BUDGET_BYTES	(256 * 1024)

/* ---- requests ---- */

static struct ib_sge range_sge(const struct soro_range *range)
{
	return (struct ib_sge) {
		.addr = range->va,
		.length = range->bytes,
		.lkey = range->rkey,
	};
}

static int range_access(const struct soro_range *range)
{
	static const int access[] = {
		[SORO_RIGHT_READ]	= IB_ACCESS_REMOTE_READ,
		[SORO_RIGHT_WRITE]	= IB_ACCESS_REMOTE_WRITE,
		[SORO_RIGHT_ATOMIC]	= IB_ACCESS_REMOTE_ATOMIC,
		[SORO_RIGHT_FLUSH]	= IB_ACCESS_FLUSH_GLOBAL,
	};

	return access[range->right];
}

/* A walk over remote memory: the peer is one of this QP, not of its PD only. */
static void range_cursor(struct soro_qp *qp, const struct soro_range *range,
			 const struct ib_sge *remote, struct soro_cursor *cursor)
{
	soro_cursor_init(cursor, &qp->dev->keys, qp->ib.pd, remote, 1, range_access(range), 0);
	cursor->qp = qp;
}

static u8 check_range(struct soro_qp *qp, const struct soro_range *range)
{
	int access = range_access(range);
	struct soro_grant *grant;

	if (range->whole)
		grant = soro_grant_hold(&qp->dev->keys, qp->ib.pd, qp, range->rkey, access);
	else
		grant = soro_grant_get(&qp->dev->keys, qp->ib.pd, qp, range->rkey, range->va,
				       range->bytes, access);
	if (IS_ERR(grant))
		return SORO_FAULT_ACCESS;
	soro_grant_put(grant);
	return SORO_FAULT_NONE;
}

/* Place the payloads of a resolved step. The end of a message comes last, so that
 * polling on its last byte works.
 */
static int place(struct soro_qp *qp, const struct sk_buff *skb, const struct soro_pkt *pkts,
		 const struct soro_rsp_step *step)
{
	const struct soro_rwqe *recv = &qp->rsp.recv;
	struct ib_sge remote = range_sge(&step->range);
	struct soro_cursor cursor;
	int err = 0;
	u32 i;

	if (step->act == SORO_ACT_RECV)
		soro_cursor_init(&cursor, &qp->dev->keys, soro_recv_pd(qp), recv->sge,
				 recv->num_sge, IB_ACCESS_LOCAL_WRITE, step->offset);
	else
		range_cursor(qp, &step->range, &remote, &cursor);
	for (i = 0; i < step->n && !err; i++) {
		const struct soro_pkt *pkt = &pkts[i];
		struct soro_payload from = soro_inbound_payload(skb, pkt);

		if (pkt->row->pos & SORO_LAST)
			err = soro_copy_in_last(&cursor, &from, pkt->payload_len);
		else
			err = soro_copy_in(&cursor, &from, pkt->payload_len);
	}
	soro_cursor_fini(&cursor);
	return err;
}

/* Execute an atomic on the range that was checked. */
static int execute_atomic(struct soro_qp *qp, const struct sk_buff *skb, const struct soro_pkt *pkt,
			  struct soro_rsp_step *step)
{
	struct ib_sge remote = range_sge(&step->range);
	struct soro_cursor cursor;
	u64 value;
	int err;

	range_cursor(qp, &step->range, &remote, &cursor);
	switch (pkt->row->kind) {
	case SORO_CMP_SWP:
		err = soro_atomic_cmp_swp(&cursor, pkt->atomic.compare, pkt->atomic.swap_add,
					  &step->orig);
		break;
	case SORO_FETCH_ADD:
		err = soro_atomic_fetch_add(&cursor, pkt->atomic.swap_add, &step->orig);
		break;
	default:
		err = skb_copy_bits(skb, pkt->offset + pkt->hdr_len, &value, sizeof(value));
		if (!err)
			err = soro_atomic_store(&cursor, value);
	}
	soro_cursor_fini(&cursor);
	return err;
}

/* Do what a resolved step is about. Return: enum soro_fault. */
static u8 act(struct soro_qp *qp, const struct sk_buff *skb, const struct soro_pkt *pkts,
	      struct soro_rsp_step *step)
{
	int err;

	switch (step->act) {
	case SORO_ACT_NONE:
		return SORO_FAULT_NONE;
	case SORO_ACT_RECV:
		return place(qp, skb, pkts, step) ? SORO_FAULT_RECV_PROT : SORO_FAULT_NONE;
	case SORO_ACT_WRITE:
		return place(qp, skb, pkts, step) ? SORO_FAULT_ACCESS : SORO_FAULT_NONE;
	case SORO_ACT_FLUSH:
		mb();	/* processors placed it: they and devices see it before the answer goes */
		return SORO_FAULT_NONE;
	default:
		err = execute_atomic(qp, skb, pkts, step);
		if (!err)
			return SORO_FAULT_NONE;
		return err == -EINVAL ? SORO_FAULT_MISALIGNED : SORO_FAULT_ACCESS;
	}
}

/* Complete the receive WQE in hand, and tell the owner, as the fault table says. */
static void suffer(struct soro_qp *qp, u8 fault)
{
	static const enum ib_event_type events[] = {
		[SORO_EV_REQ_ERR]	= IB_EVENT_QP_REQ_ERR,
		[SORO_EV_ACCESS_ERR]	= IB_EVENT_QP_ACCESS_ERR,
		[SORO_EV_FATAL]		= IB_EVENT_QP_FATAL,
	};
	const struct soro_fault_row *row = soro_fault_row(fault);

	if (qp->rsp.engine.cfg.unreliable)	/* no NAK has to go out first */
		soro_qp_error(qp, "request failed");
	if (row->responder != SORO_ST_SUCCESS)
		soro_recv_finish(qp, row->responder, NULL);
	if (row->event != SORO_EV_NONE)
		soro_qp_event(qp, events[row->event]);
}

static void complete_message(struct soro_qp *qp, const struct soro_rsp_step *step)
{
	struct soro_received what = {
		.bytes = step->length,
		.imm = step->imm,
		.src_qpn = qp->attr.dest_qp_num,
		.is_write = step->is_write,
		.has_imm = step->has_imm,
		.inv_rkey = step->inv_rkey,
		.has_inv = step->has_inv,
		.solicited = step->solicited,
	};

	soro_recv_finish(qp, SORO_ST_SUCCESS, &what);
}

/* Take a receive WQE in hand, if there is one. */
static void fetch_recv(struct soro_qp *qp, struct soro_rsp_answer *answer)
{
	answer->recv_found = soro_recv_fetch(qp, &answer->fault);
	answer->recv_capacity = qp->rsp.recv.bytes;
}

/* Execute a step; its verdict and fault are others if that failed. */
static void execute(struct soro_qp *qp, const struct sk_buff *skb, const struct soro_pkt *pkts,
		    struct soro_rsp_step *step)
{
	struct soro_responder *eng = &qp->rsp.engine;
	struct soro_rsp_answer answer = {};
	u8 fault;

	if (step->need & SORO_NEED_RECV)
		fetch_recv(qp, &answer);
	if (step->need & SORO_NEED_RANGE && check_range(qp, &step->range))
		answer.fault = SORO_FAULT_ACCESS;
	if (soro_responder_resolve(eng, step, &answer) != SORO_RSP_EXECUTE)
		return;
	fault = act(qp, skb, pkts, step);
	/* after the data, so that all of it is there when the key is over (IBA 9.4.1) */
	if (!fault && step->invalidate &&
	    soro_invalidate(&qp->dev->keys, qp->ib.pd, qp, step->inv_rkey, true))
		fault = SORO_FAULT_ACCESS;
	if (fault) {
		soro_responder_refuse(eng, step, fault);
		return;
	}
	soro_responder_commit(eng, step);
	qp->rsp.sport = soro_rx(skb)->sport;
	if (step->complete)
		complete_message(qp, step);
}

static void count_drop(struct soro_qp *qp, const struct soro_pkt *pkt, u8 why, u32 n)
{
	trace_soro_drop(qp->ib.qp_num, pkt->psn, why);
	soro_qp_count_drop(qp, why, n);
}

/* Keep the last @n good packets of a train, from @pkt on, if all are beyond the gap. */
static bool hold(struct soro_qp *qp, struct sk_buff *skb, const struct soro_pkt *pkt, u32 n,
		 const struct soro_rsp_step *step)
{
	struct soro_rx *rx = soro_rx(skb);
	u32 skip = pkt->offset / rx->seg_bytes;
	/*
	 * Only what comes from the port of the stream, if there is one yet: whoever can send
	 * from the peer's host must not get in more easily than by guessing the PSN.
	 */
	bool stranger = qp->rsp.sport && rx->sport != qp->rsp.sport;

	/*
	 * Once only: no requester leaves a gap inside a train, and where GRO made one of what was
	 * left of it, the rest is sent again. Many trains whose packets take turns would be taken
	 * apart again for each packet, all of that for the one that fills the gap.
	 */
	rx->packets = skip + n;	/* a bad one behind was counted */
	if (step->n == n && !rx->kept && !stranger &&
	    soro_held_add(&qp->rsp.held, skb, pkt->psn, skip)) {
		soro_qp_count(qp, SORO_CTR_HELD_TRAINS, 1);
		return true;
	}
	soro_responder_dropped(&qp->rsp.engine, step);
	count_drop(qp, pkt, SORO_DROP_SEQUENCE, step->n);
	return false;
}

static void answer_train(struct soro_qp *qp, struct sk_buff *skb, u8 state)
{
	struct soro_rsp_step step;
	struct soro_pkt *pkts;
	u32 n = soro_inbound_parse(qp, skb, false, &pkts);
	bool held = false;

	if (n)
		soro_congestion_note(qp, skb, &qp->rsp.congestion);
	/* IBA 11.6.3.1: a packet came before the application moved on to RTS. */
	if (n && state == IB_QPS_RTR)
		soro_qp_event_once(qp, IB_EVENT_COMM_EST);
	for (; n; n -= step.n, pkts += step.n) {
		soro_responder_judge(&qp->rsp.engine, pkts, n, &step);
		if (step.duplicate)
			soro_qp_count(qp, SORO_CTR_DUPLICATES, step.n);
		if (step.verdict == SORO_RSP_EXECUTE)
			execute(qp, skb, pkts, &step);
		if (step.verdict == SORO_RSP_HOLD)
			held = hold(qp, skb, pkts, n, &step);
		else if (step.verdict == SORO_RSP_DROP)
			count_drop(qp, pkts, step.drop, step.n);
		else if (step.fault)
			suffer(qp, step.fault);
		trace_soro_verdict(qp->ib.qp_num, pkts->psn, step.n, step.verdict, step.need,
				   step.fault);
		if (held)
			return;
	}
	napi_consume_skb(skb, 1);
}

/* What was kept, as far as the gap before it is filled; a NAK is owed for the next gap. */
static void answer_held(struct soro_qp *qp, u8 state)
{
	struct sk_buff *skb;
	bool any = false;

	while ((skb = soro_held_next(&qp->rsp.held, qp->rsp.engine.epsn))) {
		answer_train(qp, skb, state);
		any = true;
	}
	/* Not while a gap of several trains is being filled: the rest is on its way. */
	if (any && !soro_held_empty(&qp->rsp.held))
		soro_responder_gap(&qp->rsp.engine);
}

static void drop_held(struct soro_qp *qp)
{
	struct sk_buff *skb;

	while ((skb = soro_held_pop(&qp->rsp.held)))
		kfree_skb(skb);
}

/* What waits for a peer that went away is not kept for ever. */
static void age_held(struct soro_qp *qp)
{
	if (time_after_eq(jiffies, qp->rsp.held.until)) /* that they were kept was counted */
		drop_held(qp);
	else if (!timer_pending(&qp->relook))
		mod_timer(&qp->relook, qp->rsp.held.until);
}

/* ---- replies ---- */

static void count_reply(struct soro_qp *qp, const struct soro_reply *reply)
{
	static const u8 naks[] = {
		[SORO_NAK_SEQUENCE]	= SORO_CTR_NAK_SEQUENCE_SENT,
		[SORO_NAK_INVALID]	= SORO_CTR_NAK_INVALID_SENT,
		[SORO_NAK_ACCESS]	= SORO_CTR_NAK_ACCESS_SENT,
		[SORO_NAK_OPERATION]	= SORO_CTR_NAK_OPERATION_SENT,
	};
	u8 kind = reply->syndrome & SORO_SYNDROME_KIND;
	u8 value = reply->syndrome & SORO_SYNDROME_VALUE;

	if (reply->kind != SORO_ACK)
		return;
	if (kind == SORO_SYNDROME_RNR)
		soro_qp_count(qp, SORO_CTR_RNR_SENT, 1);
	else if (kind == SORO_SYNDROME_NAK && value < ARRAY_SIZE(naks))
		soro_qp_count(qp, naks[value], 1);
}

static int build_reply(struct soro_qp *qp, const struct soro_reply *reply,
		       struct soro_burst *burst, struct soro_tx *tx)
{
	bool is_read = reply->kind == SORO_READ_RESP;
	struct ib_sge remote = range_sge(&reply->range);
	struct soro_cursor cursor;
	int err;

	*burst = (struct soro_burst) {
		.pkt = {
			.qpn = qp->attr.dest_qp_num,
			.pkey = 0xffff,
			.syndrome = reply->syndrome,
			.msn = reply->msn,
			.atomic_orig = reply->orig,
		},
		.psn = reply->psn,
		.flags = SORO_PKT_MIG,
		.transport = SORO_RC,
		.kind = reply->kind,
		.n = reply->n,
		.first = !is_read || reply->first,
		.last = !is_read || reply->last,
		.pmtu_bytes = qp->rsp.engine.cfg.pmtu_bytes,
		.bytes = is_read ? reply->range.bytes : 0,
	};
	if (!burst->bytes)
		return soro_burst_build(burst, &qp->rsp.flow, tx);
	range_cursor(qp, &reply->range, &remote, &cursor);
	burst->source = &cursor;
	err = soro_burst_build(burst, &qp->rsp.flow, tx);
	soro_cursor_fini(&cursor);
	return err;
}

/* Send one reply. Return: 0; -EAGAIN: it went, the next has to wait a moment; -ENOMEM: it
 * is still owed.
 */
static int send_reply(struct soro_qp *qp, const struct soro_attach *at,
		      const struct soro_reply *reply)
{
	struct soro_burst burst;
	struct soro_tx tx;
	int err = at ? build_reply(qp, reply, &burst, &tx) : 0;

	if (err == -ENOMEM) {
		soro_qp_count(qp, SORO_CTR_NO_BUFFER, 1);
		return -ENOMEM;
	}
	if (err) {
		if (soro_responder_unreadable(&qp->rsp.engine, reply))
			suffer(qp, SORO_FAULT_ACCESS);
		else
			soro_qp_count_drop(qp, SORO_DROP_DUPLICATE_BAD, 1);
		return 0;
	}
	soro_responder_replied(&qp->rsp.engine, reply);
	count_reply(qp, reply);
	if (at)
		err = soro_burst_send(qp, at, &burst, &tx, false);
	else
		soro_burst_lost(qp, reply->kind, reply->psn, reply->n);
	if (reply->fatal)
		soro_qp_error(qp, "request failed");
	return err > 0 ? -EAGAIN : 0;	/* a full queue: give it time to drain */
}

/* Send what is owed; true: there is more. */
static bool send_replies(struct soro_qp *qp)
{
	const struct soro_attach *at;
	struct soro_train_limits limits;
	struct soro_reply reply;
	u32 trains = 0, bytes = 0;
	int err;

	if (!soro_responder_owes(&qp->rsp.engine))
		return false;
	at = soro_burst_path(qp, &qp->rsp.flow, &limits);
	if (!at)	/* lost anyway: in one step, however long it is */
		limits = (struct soro_train_limits) { U32_MAX, U32_MAX };
	/* What is in a shared queue is promised to nobody: the code stays that for no limit. */
	if (!qp->ib.srq)
		soro_responder_credits(&qp->rsp.engine, soro_recv_count(qp));
	while (soro_responder_reply(&qp->rsp.engine, &limits, &reply)) {
		if (trains++ >= BUDGET_TRAINS || bytes >= BUDGET_BYTES)
			return true;
		err = send_reply(qp, at, &reply);
		if (err == -ENOMEM && reply.n > 1) {
			/* a shorter one may still find memory */
			limits.packets = reply.n / 2;
			continue;
		}
		if (err) {
			mod_timer(&qp->relook, jiffies + 1);
			return false;
		}
		if (reply.fatal)
			return false;
		bytes += reply.range.bytes;
	}
	return false;
}

/* ---- error and reset ---- */

/**
 * soro_respond_purge() - drop what arrived and was not answered
 * @qp: the QP
 * @why: enum soro_drop, for the counters
 *
 * Context: owner of the responder half, or nobody can own it any more.
 */
void soro_respond_purge(struct soro_qp *qp, u8 why)
{
	soro_inbound_purge(qp, &qp->rsp.half, why);
	drop_held(qp);
}

/**
 * soro_respond_discard() - forget everything, without completions (RESET)
 * @qp: the QP
 *
 * Context: owner of the responder half.
 */
void soro_respond_discard(struct soro_qp *qp)
{
	soro_half_assert_owned(&qp->rsp.half);
	qp->rsp.sport = 0;
	soro_recv_discard(qp);
	soro_respond_purge(qp, SORO_DROP_QP_STATE);
}

/**
 * soro_respond_run() - one budget of a responder half
 * @half: the half
 *
 * Context: owner, BH off.
 * Return: true if there is more to do.
 */
bool soro_respond_run(struct soro_half *half)
{
	struct soro_qp *qp = container_of(half, struct soro_qp, rsp.half);
	u8 state = READ_ONCE(qp->state);
	u32 trains = 0, bytes = 0;
	struct sk_buff *skb;
	bool more;

	if (soro_state_can(state, SORO_CAN_FLUSH_RECV)) {
		soro_respond_purge(qp, SORO_DROP_QP_STATE);
		return soro_recv_flush(qp);
	}
	if (!soro_state_can(state, SORO_CAN_RECEIVE)) {
		soro_respond_purge(qp, SORO_DROP_QP_STATE);
		return false;
	}
	rcu_read_lock();
	while (trains < BUDGET_TRAINS && bytes < BUDGET_BYTES &&
	       (skb = soro_half_pop(half))) {
		trains++;
		bytes += soro_rx(skb)->bytes;
		answer_train(qp, skb, state);
		if (unlikely(!soro_held_empty(&qp->rsp.held)))
			answer_held(qp, state);
	}
	more = !skb_queue_empty(&half->inbox);
	more |= send_replies(qp);
	soro_congestion_notify(qp, &qp->rsp.flow, &qp->rsp.congestion);
	if (unlikely(!soro_held_empty(&qp->rsp.held)))
		age_held(qp);
	rcu_read_unlock();
	return more;
}

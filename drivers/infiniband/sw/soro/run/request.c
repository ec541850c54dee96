// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what the requester half of a QP does: take WQEs from the ring, send
 * trains, digest responses, complete WQEs, keep time.
 */
#include <linux/ktime.h>
#include <linux/nospec.h>
#include "../link/charge.h"
#include "../memory/copy.h"
#include "../memory/cursor.h"
#include "../memory/fast.h"
#include "../memory/invalidate.h"
#include "../memory/mw.h"
#include "../objects/state.h"
#include "burst.h"
#include "complete.h"
#include "inbound.h"
#include "request.h"
#include "scratch.h"
#include "trace.h"

#define BUDGET_TRAINS	16
#define BUDGET_BYTES	(256 * 1024)
#define BUDGET_FLUSHES	256

/* ---- taking WQEs ---- */

/* What the provider's opcodes ask for; the rest is not supported. */
static const struct operation {
	bool supported;
	u8 kind;
	u8 flags;
	bool kernel;	/* not for programs */
} operations[] = {
	[SORO_ABI_OP_SEND]	= { true, SORO_SEND },
	[SORO_ABI_OP_SEND_IMM]	= { true, SORO_SEND, SORO_WQE_IMM },
	[SORO_ABI_OP_WRITE]	= { true, SORO_WRITE },
	[SORO_ABI_OP_WRITE_IMM]	= { true, SORO_WRITE, SORO_WQE_IMM },
	[SORO_ABI_OP_READ]	= { true, SORO_READ_REQ },
	[SORO_ABI_OP_CMP_SWP]	= { true, SORO_CMP_SWP },
	[SORO_ABI_OP_FETCH_ADD]	= { true, SORO_FETCH_ADD },
	[SORO_ABI_OP_ATOMIC_WRITE] = { true, SORO_ATOMIC_WRITE },
	[SORO_ABI_OP_FLUSH]	= { !!IB_ACCESS_FLUSH_GLOBAL, SORO_FLUSH },
	[SORO_ABI_OP_SEND_INV]	= { true, SORO_SEND, SORO_WQE_INV },
	[SORO_ABI_OP_LOCAL_INV]	= { true, SORO_LOCAL, SORO_WQE_DRAIN },
	[SORO_ABI_OP_BIND_MW]	= { true, SORO_LOCAL },
	[SORO_OP_REG_MR]	= { true, SORO_LOCAL, 0, true },
};

static const struct operation *find_operation(const struct soro_qp *qp, u32 opcode)
{
	const struct operation *op;

	if (opcode >= ARRAY_SIZE(operations))
		return NULL;
	op = &operations[array_index_nospec(opcode, ARRAY_SIZE(operations))];
	return op->supported && !(op->kernel && qp->ib.uobject) ? op : NULL;
}

static u8 wqe_flags(const struct soro_qp *qp, const struct soro_send_desc *desc)
{
	u8 flags = 0;

	if (qp->sq_sig_all || desc->flags & SORO_ABI_SIGNALED)
		flags |= SORO_WQE_SIGNALED;
	if (desc->flags & SORO_ABI_SOLICITED)
		flags |= SORO_WQE_SOLICITED;
	if (desc->flags & SORO_ABI_FENCE)
		flags |= SORO_WQE_FENCE;
	return flags;
}

static void keep_payload(struct soro_swqe *swqe, const struct soro_send_desc *desc)
{
	swqe->num_sge = desc->inline_data ? 0 : desc->num_sge;
	swqe->inline_bytes = desc->inline_data ? desc->length : 0;
	if (desc->inline_data)
		memcpy(swqe->data, desc->data, desc->length);
	else
		memcpy(swqe->sge, desc->sge, desc->num_sge * sizeof(struct ib_sge));
}

static void keep_bind(struct soro_swqe *swqe, const struct soro_send_desc *desc)
{
	swqe->bind = (struct soro_bind) {
		.addr = desc->bind_addr,
		.length = desc->bind_length,
		.mr_lkey = desc->mr_lkey,
		.mw_rkey = desc->mw_rkey,
		.rkey = desc->new_key,
		.access = desc->access,
	};
}

/* Whether the answer is eight bytes; longer SGEs are filled in part, as hardware does. */
static bool is_atomic(u8 kind)
{
	return kind == SORO_CMP_SWP || kind == SORO_FETCH_ADD;
}

/* Whether the answer is placed in the SGEs, and nothing in them is sent. */
static bool brings_data(u8 kind)
{
	return kind == SORO_READ_REQ || is_atomic(kind);
}

static void keep_flush(struct soro_swqe *swqe, const struct soro_send_desc *desc)
{
	swqe->eng.flush_bytes = desc->length;
	swqe->eng.flush_type = desc->flush_type;
	swqe->eng.flush_level = desc->flush_level;
}

/* Errors that are known before anything is sent (IBA 10.8.3.1 and 11.6.2). */
static u8 check_payload(struct soro_qp *qp, const struct soro_swqe *swqe, u8 kind, u64 length)
{
	int access = brings_data(kind) ? IB_ACCESS_LOCAL_WRITE : 0;

	if (length > SORO_MESSAGE_MAX)
		return SORO_ST_LOC_LEN;
	if (soro_cursor_check(&qp->dev->keys, qp->ib.pd, swqe->sge, swqe->num_sge, access))
		return SORO_ST_LOC_PROT;
	return SORO_ST_SUCCESS;
}

static void fill_wqe(struct soro_qp *qp, struct soro_swqe *swqe, const void *copy, u32 bytes)
{
	const struct operation *op;
	struct soro_wqe *eng = &swqe->eng;
	struct soro_send_desc desc;
	int err = soro_wqe_decode_send(copy, bytes, qp->cap.max_send_sge,
				       qp->cap.max_inline_data, &desc);

	memset(swqe, 0, sizeof(*swqe));
	swqe->wr_id = desc.wr_id;
	swqe->opcode = desc.opcode;
	op = find_operation(qp, desc.opcode);
	if (err || !op) {
		eng->status = SORO_ST_LOC_QP_OP;
		return;
	}
	eng->kind = op->kind;
	eng->flags = wqe_flags(qp, &desc) | op->flags;
	eng->va = desc.remote_addr;
	eng->rkey = desc.rkey;
	if (is_atomic(op->kind)) {
		eng->compare = desc.compare_add;
		eng->swap_add = op->kind == SORO_CMP_SWP ? desc.swap : desc.compare_add;
	}
	eng->imm = desc.imm_data;	/* or the key to invalidate */
	if (op->kind == SORO_LOCAL) {
		keep_bind(swqe, &desc);
		return;
	}
	if (op->kind == SORO_FLUSH) {
		keep_flush(swqe, &desc);
		return;
	}
	keep_payload(swqe, &desc);
	eng->status = check_payload(qp, swqe, eng->kind, desc.length);
	if (!eng->status)
		eng->bytes = desc.length;
	if (is_atomic(op->kind))
		eng->bytes = min_t(u32, eng->bytes, sizeof(u64));
}

/* Take the next WQE from the ring; false: there is none, or no room. */
static bool take(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	u8 *copy = this_cpu_ptr(soro_scratch)->wqe;

	/* Without the first doorbell there is no room for any. */
	if (!READ_ONCE(req->engine.wqes) || !soro_requester_room(&req->engine) ||
	    !soro_ring_copy(&req->ring, copy, soro_scratch_wqe_bytes(&req->ring)))
		return false;
	fill_wqe(qp, soro_requester_slot(&req->engine, req->engine.tail), copy,
		 soro_scratch_wqe_bytes(&req->ring));
	soro_requester_take(&req->engine);
	return true;
}

/* ---- completions ---- */

static void count_error(struct soro_qp *qp, u8 status)
{
	if (status == SORO_ST_RETRY_EXC)
		soro_qp_count(qp, SORO_CTR_RETRY_EXCEEDED, 1);
	else if (status == SORO_ST_RNR_RETRY_EXC)
		soro_qp_count(qp, SORO_CTR_RNR_EXCEEDED, 1);
}

static void complete_done(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	struct soro_req_done done;

	while (soro_requester_pop(&req->engine, &done)) {
		const struct soro_swqe *swqe = soro_requester_slot(&req->engine, done.slot);

		/* First: who sees the completion may post again at once. */
		soro_ring_release(&req->ring, 1);
		if (done.completion)
			soro_complete_send(qp, swqe->wr_id, swqe->opcode, swqe->eng.bytes,
					   done.status);
		if (done.error) {
			count_error(qp, done.status);
			soro_qp_send_error(qp, "send request failed");
		}
	}
}

/* ---- sending ---- */

static void describe(const struct soro_qp *qp, const struct soro_swqe *swqe,
		     const struct soro_train *train, struct soro_burst *burst)
{
	const struct soro_wqe *eng = &swqe->eng;
	bool is_read = train->kind == SORO_READ_REQ;

	*burst = (struct soro_burst) {
		.pkt = {
			.qpn = qp->attr.dest_qp_num,
			.pkey = 0xffff,
			.imm = eng->imm,	/* or the key to invalidate */
		},
		.psn = train->psn,
		.flags = SORO_PKT_MIG,
		.transport = soro_qp_transport(qp),
		.kind = train->kind,
		.n = train->n,
		.first = train->first,
		.last = train->last,
		.last_headers = (eng->flags & SORO_WQE_IMM ? SORO_HDR_IMM : 0) |
				(eng->flags & SORO_WQE_INV ? SORO_HDR_IETH : 0),
		.pmtu_bytes = qp->req.engine.cfg.pmtu_bytes,
		.bytes = brings_data(train->kind) ? 0 : train->bytes,
	};
	if (is_atomic(train->kind)) {
		burst->pkt.atomic.va = eng->va;
		burst->pkt.atomic.rkey = eng->rkey;
		burst->pkt.atomic.swap_add = eng->swap_add;
		burst->pkt.atomic.compare = train->kind == SORO_CMP_SWP ? eng->compare : 0;
	} else {
		burst->pkt.reth.va = eng->va + train->offset;
		burst->pkt.reth.rkey = eng->rkey;
		/* a READ may ask for a part; a WRITE announces the whole message */
		burst->pkt.reth.len = is_read ? train->bytes : eng->bytes;
	}
	if (train->kind == SORO_FLUSH) {
		burst->pkt.reth.len = eng->flush_bytes;
		burst->pkt.feth_type = eng->flush_type;
		burst->pkt.feth_level = eng->flush_level;
	}
	if (train->ackreq)
		burst->last_flags |= SORO_PKT_ACKREQ;
	if (train->last && eng->flags & SORO_WQE_SOLICITED)
		burst->last_flags |= SORO_PKT_SE;
}

static int build_train(struct soro_qp *qp, const struct soro_train *train, struct soro_burst *burst,
		       struct soro_tx *tx)
{
	struct soro_swqe *swqe = soro_requester_slot(&qp->req.engine, train->slot);
	struct soro_cursor cursor;
	int err;

	describe(qp, swqe, train, burst);
	if (!burst->bytes || swqe->inline_bytes) {
		burst->data = swqe->data + train->offset;
		return soro_burst_build(burst, &qp->req.flow, tx);
	}
	soro_cursor_init(&cursor, &qp->dev->keys, qp->ib.pd, swqe->sge, swqe->num_sge, 0,
			 train->offset);
	burst->source = &cursor;
	err = soro_burst_build(burst, &qp->req.flow, tx);
	soro_cursor_fini(&cursor);
	return err;
}

/*
 * Send one planned train. Return: 0; -EAGAIN: it was sent, but a queue on the way was full: no more
 * until the backoff ends; -ENOMEM: nothing happened.
 */
static int send_train(struct soro_qp *qp, const struct soro_attach *at,
		      const struct soro_train *train, u64 now)
{
	struct soro_requesting *req = &qp->req;
	struct soro_burst burst;
	struct soro_tx tx;
	int err;

	if (!at) {
		soro_requester_sent(&req->engine, train, now);
		soro_burst_lost(qp, train->kind, train->psn, train->n);
		return 0;
	}
	err = build_train(qp, train, &burst, &tx);
	if (err == -ENOMEM) {
		soro_qp_count(qp, SORO_CTR_NO_BUFFER, 1);
		return -ENOMEM;
	}
	if (err) {
		soro_requester_fail(&req->engine, train->slot, SORO_ST_LOC_PROT);
		return 0;
	}
	soro_requester_sent(&req->engine, train, now);
	if (train->resend)
		soro_qp_count(qp, SORO_CTR_RESENT_PKTS, train->n);
	err = soro_burst_send(qp, at, &burst, &tx, train->resend);
	if (err > 0) {	/* a full queue: give it time to drain */
		req->backoff_ns = now + SORO_BACKOFF_NS;
		return -EAGAIN;
	}
	return 0;
}

/* ---- work that nothing is sent for ---- */

static int execute(struct soro_qp *qp, const struct soro_swqe *swqe)
{
	struct soro_keys *keys = &qp->dev->keys;

	switch (swqe->opcode) {
	case SORO_ABI_OP_LOCAL_INV:
		return soro_invalidate(keys, qp->ib.pd, qp, swqe->eng.inv_rkey, false);
	case SORO_ABI_OP_BIND_MW:
		qp->req.binds = true;
		return soro_mw_bind(keys, qp->ib.pd, qp, &swqe->bind);
	default:
		return soro_fast_register(keys, qp->ib.pd, swqe->bind.rkey, swqe->bind.access);
	}
}

static void execute_local(struct soro_qp *qp, u32 slot, bool more)
{
	struct soro_requester *eng = &qp->req.engine;

	if (execute(qp, soro_requester_slot(eng, slot)))
		soro_requester_fail(eng, slot, SORO_ST_MW_BIND);
	else
		soro_requester_executed(eng, slot, more);
}

/* ---- running ---- */

/*
 * UC has no window: what bounds it is what the link has on its way. And nothing may overtake what
 * was sent before, since a UC responder drops what is late.
 */
static bool may_go(const struct soro_qp *qp, const struct soro_attach *at)
{
	return !soro_charge_full(at) && !soro_charge_overtakes(at, &qp->req.sent);
}

/* Plan and send; true: the budget is used up and there is more. */
static bool transmit(struct soro_qp *qp, bool take_new, u64 now)
{
	struct soro_requester *eng = &qp->req.engine;
	struct soro_train_limits limits;
	const struct soro_attach *at = NULL;
	bool path = false;
	struct soro_train train;
	u32 trains = 0, bytes = 0;
	bool more;
	int err;

	while (trains < BUDGET_TRAINS && bytes < BUDGET_BYTES) {
		/* UC: what was sent is over, and makes room for the next */
		if (eng->head != eng->acked)
			complete_done(qp);
		if (eng->cur == eng->tail && (!take_new || !take(qp)))
			return false;
		if (!path)
			at = soro_burst_path(qp, &qp->req.flow, &limits);
		path = true;
		if (eng->cfg.unreliable && at && !may_go(qp, at)) {
			qp->req.backoff_ns = now + SORO_BACKOFF_NS;
			return false;
		}
		more = take_new && soro_ring_pending(&qp->req.ring);
		if (!soro_requester_plan(eng, &limits, more, now, &train))
			return false;
		if (train.kind == SORO_LOCAL) {
			execute_local(qp, train.slot, more);
			trains++;
			continue;
		}
		err = send_train(qp, at, &train, now);
		if (err == -ENOMEM && train.n > 1) {
			/* a shorter one may still find memory */
			limits.packets = train.n / 2;
			continue;
		}
		if (err == -ENOMEM)
			qp->req.backoff_ns = now + SORO_BACKOFF_NS;
		if (err)
			return false;
		trains++;
		bytes += train.bytes;
	}
	return true;
}

/* ---- responses ---- */

static void count_syndrome(struct soro_qp *qp, const struct soro_req_step *step)
{
	static const u8 naks[] = {
		[SORO_NAK_SEQUENCE]	= SORO_CTR_NAK_SEQUENCE_RCVD,
		[SORO_NAK_INVALID]	= SORO_CTR_NAK_INVALID_RCVD,
		[SORO_NAK_ACCESS]	= SORO_CTR_NAK_ACCESS_RCVD,
		[SORO_NAK_OPERATION]	= SORO_CTR_NAK_OPERATION_RCVD,
	};
	const struct soro_requester *eng = &qp->req.engine;
	u8 value = step->syndrome & SORO_SYNDROME_VALUE;
	const char *why = NULL;

	if (step->implied) {
		soro_qp_count(qp, SORO_CTR_IMPLIED_NAK, 1);
		why = "implied NAK";
	}
	if ((step->syndrome & SORO_SYNDROME_KIND) == SORO_SYNDROME_RNR) {
		soro_qp_count(qp, SORO_CTR_RNR_RCVD, 1);
		why = "RNR NAK";
	} else if ((step->syndrome & SORO_SYNDROME_KIND) == SORO_SYNDROME_NAK &&
		   value < ARRAY_SIZE(naks)) {
		soro_qp_count(qp, naks[value], 1);
		why = "NAK";
	}
	if (why)
		trace_soro_retry(qp->ib.qp_num, eng->una, eng->nxt, eng->retry_left, eng->rnr_left,
				 why);
}

/* Copy the payloads of a READ response, or the result of an atomic, to the WQE's scatter list. */
static int place(struct soro_qp *qp, const struct sk_buff *skb, const struct soro_pkt *pkts,
		 const struct soro_req_step *step)
{
	struct soro_swqe *swqe = soro_requester_slot(&qp->req.engine, step->slot);
	struct soro_cursor cursor;
	int err = 0;
	u32 i;

	soro_cursor_init(&cursor, &qp->dev->keys, qp->ib.pd, swqe->sge, swqe->num_sge,
			 IB_ACCESS_LOCAL_WRITE, step->offset);
	if (step->verdict == SORO_REQ_STORE)
		err = soro_copy_in_value(&cursor, pkts->atomic_orig);
	for (i = 0; i < step->n && !err; i++) {
		struct soro_payload from = soro_inbound_payload(skb, &pkts[i]);

		err = soro_copy_in(&cursor, &from, pkts[i].payload_len);
	}
	soro_cursor_fini(&cursor);
	return err;
}

static void digest_train(struct soro_qp *qp, struct sk_buff *skb, u64 now)
{
	struct soro_requester *eng = &qp->req.engine;
	struct soro_req_step step;
	struct soro_pkt *pkts;
	u32 n = soro_inbound_parse(qp, skb, true, &pkts);

	if (n && pkts->row->kind != SORO_CNP)
		soro_congestion_note(qp, skb, &qp->req.congestion);
	for (; n; n -= step.n, pkts += step.n) {
		if (unlikely(pkts->row->kind == SORO_CNP)) {
			/* Nothing is slowed down: the window is what bounds a sender here. */
			soro_qp_count(qp, SORO_CTR_CNP_HANDLED, 1);
			step.n = 1;
			continue;
		}
		/* Before the first doorbell there are no WQEs: it looks at none then. */
		soro_requester_judge(eng, pkts, n, now, &step);
		if (step.verdict == SORO_REQ_DROP) {
			trace_soro_drop(qp->ib.qp_num, pkts->psn, step.drop);
			soro_qp_count_drop(qp, step.drop, step.n);
			continue;
		}
		count_syndrome(qp, &step);
		if (step.verdict == SORO_REQ_DONE)
			continue;
		if (place(qp, skb, pkts, &step))
			soro_requester_fail(eng, step.slot, SORO_ST_LOC_PROT);
		else
			soro_requester_commit(eng, &step, now);
	}
	napi_consume_skb(skb, 1);
}

/* ---- the end of the queue ---- */

/**
 * soro_request_report_drained() - raise the event that somebody asked for in SQD (IBA 10.3.1.5)
 * @qp: the QP, in SQD
 *
 * Context: owner of the requester half.
 */
void soro_request_report_drained(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;

	if (!req->drain_event || req->engine.head != req->engine.tail)
		return;
	req->drain_event = false;
	soro_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/**
 * soro_request_flush_ring() - complete with FLUSH what is in the ring
 * @qp: the QP, in error
 *
 * Context: owner of the requester half.
 * Return: true if there is more to do.
 */
bool soro_request_flush_ring(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	u8 *copy = this_cpu_ptr(soro_scratch)->wqe;
	u32 n = BUDGET_FLUSHES;
	struct soro_send_desc desc;

	while (n && soro_ring_copy(&req->ring, copy, soro_scratch_wqe_bytes(&req->ring))) {
		soro_wqe_decode_send(copy, soro_scratch_wqe_bytes(&req->ring), qp->cap.max_send_sge,
				     qp->cap.max_inline_data, &desc);
		soro_ring_release(&req->ring, 1);
		soro_complete_send(qp, desc.wr_id, desc.opcode, 0, SORO_ST_FLUSH);
		n--;
	}
	return !n;
}

/* Complete with FLUSH what was taken and what is in the ring; true: more to do. */
static bool flush(struct soro_qp *qp)
{
	soro_requester_flush(&qp->req.engine);
	complete_done(qp);
	return soro_request_flush_ring(qp);
}

/**
 * soro_request_discard() - forget everything, without completions (RESET)
 * @qp: the QP
 *
 * Context: owner of the requester half.
 */
void soro_request_discard(struct soro_qp *qp)
{
	soro_half_assert_owned(&qp->req.half);
	soro_requester_reset(&qp->req.engine);
	soro_ring_discard(&qp->req.ring);
	soro_inbound_purge(qp, &qp->req.half, SORO_DROP_QP_STATE);
	qp->req.backoff_ns = 0;
	qp->req.probed = 0;
	qp->req.marks = 0;
}

/**
 * soro_request_resume() - what failed is over: send again (SQE to RTS)
 * @qp: the QP
 *
 * What was posted before is flushed, as if the application had waited for it.
 *
 * Context: owner of the requester half.
 */
void soro_request_resume(struct soro_qp *qp)
{
	u32 rounds = DIV_ROUND_UP(soro_ring_pending(&qp->req.ring), BUDGET_FLUSHES);

	soro_half_assert_owned(&qp->req.half);
	do {
		flush(qp);
	} while (rounds--);
	soro_requester_init(&qp->req.engine, qp->req.engine.nxt);
}

/* ---- time ---- */

static void arm_timer(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	u64 deadline = soro_requester_deadline(&req->engine);

	if (req->backoff_ns && (!deadline || req->backoff_ns < deadline))
		deadline = req->backoff_ns;
	/* an earlier shot costs less than moving the timer with each ACK */
	if (!deadline || (req->armed_ns && req->armed_ns <= deadline))
		return;
	req->armed_ns = deadline;
	hrtimer_start(&req->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_SOFT);
}

/* The engine probed or marked the path: count and tell. */
static void count_recovery(struct soro_qp *qp)
{
	struct soro_requesting *req = &qp->req;
	const struct soro_requester *eng = &req->engine;

	if (likely(req->probed == eng->probed && req->marks == eng->marks))
		return;
	soro_qp_count(qp, SORO_CTR_PROBES, eng->probed - req->probed);
	soro_qp_count(qp, SORO_CTR_PATH_MARKS, eng->marks - req->marks);
	trace_soro_retry(qp->ib.qp_num, eng->una, eng->nxt, eng->retry_left, eng->rnr_left,
			 req->marks == eng->marks ? "probe" : "path marked: single packets");
	req->probed = eng->probed;
	req->marks = eng->marks;
}

static void keep_time(struct soro_qp *qp, u64 now)
{
	struct soro_requesting *req = &qp->req;
	struct soro_requester *eng = &req->engine;
	u8 retry_left = eng->retry_left;

	if (req->armed_ns && req->armed_ns <= now)
		req->armed_ns = 0;
	if (req->backoff_ns && req->backoff_ns <= now)
		req->backoff_ns = 0;
	if (!eng->ack_deadline_ns || eng->ack_deadline_ns > now) {
		soro_requester_timeout(eng, now);
		return;
	}
	soro_requester_timeout(eng, now);
	soro_qp_count(qp, SORO_CTR_TIMEOUTS, 1);
	trace_soro_retry(qp->ib.qp_num, eng->una, eng->nxt, retry_left, eng->rnr_left, "timeout");
}

/**
 * soro_request_timer() - a deadline may have passed
 * @timer: of the requester half
 *
 * Context: softirq (HRTIMER_MODE_ABS_SOFT).
 */
enum hrtimer_restart soro_request_timer(struct hrtimer *timer)
{
	struct soro_requesting *req = container_of(timer, struct soro_requesting, timer);

	/* Not here: many timers may be due, and each half has a whole budget. */
	soro_half_defer(&req->half);
	return HRTIMER_NORESTART;
}

/**
 * soro_request_run() - one budget of a requester half
 * @half: the half
 *
 * Context: owner, BH off.
 * Return: true if there is more to do.
 */
bool soro_request_run(struct soro_half *half)
{
	struct soro_qp *qp = container_of(half, struct soro_qp, req.half);
	u8 state = READ_ONCE(qp->state);
	struct sk_buff *skb;
	u32 trains = 0;
	bool more;
	u64 now;

	if (soro_state_can(state, SORO_CAN_FLUSH_SEND)) {
		soro_inbound_purge(qp, half, SORO_DROP_QP_STATE);
		return flush(qp);
	}
	if (!soro_state_can(state, SORO_CAN_RESPOND)) {
		soro_inbound_purge(qp, half, SORO_DROP_QP_STATE);
		return false;
	}
	rcu_read_lock();
	now = ktime_get_ns();
	while (trains++ < BUDGET_TRAINS && (skb = soro_half_pop(half)))
		digest_train(qp, skb, now);
	more = !skb_queue_empty(&half->inbox);
	keep_time(qp, now);
	complete_done(qp);
	if (!qp->req.backoff_ns && !qp->req.engine.failed)
		more |= transmit(qp, soro_state_can(state, SORO_CAN_SEND), now);
	complete_done(qp);
	soro_congestion_notify(qp, &qp->req.flow, &qp->req.congestion);
	count_recovery(qp);
	if (state == IB_QPS_SQD)
		soro_request_report_drained(qp);
	arm_timer(qp);
	rcu_read_unlock();
	return more;
}

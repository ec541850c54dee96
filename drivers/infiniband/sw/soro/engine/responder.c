// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: judgement of requests: which packets are new, duplicate or ahead,
 * what executing them needs, and what the state is afterwards (IBA 9.7.4).
 * Must not know: skbs, locks, timers, user memory, rings; how replies are cut
 * into packets (replies.c); what UC makes of losses (unreliable.c).
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "replies.h"
#include "responder.h"
#include "unreliable.h"
#include "../wire/psn.h"

/**
 * soro_responder_init() - start at an expected PSN (RESET or INIT to RTR)
 * @rsp: state; the configuration is kept
 * @epsn: expected PSN
 */
void soro_responder_init(struct soro_responder *rsp, u32 epsn)
{
	struct soro_responder_config cfg = rsp->cfg;

	memset(rsp, 0, sizeof(*rsp));
	rsp->cfg = cfg;
	rsp->cfg.reads_max = min_t(u8, cfg.reads_max, SORO_READS_MAX);
	rsp->epsn = epsn & SORO_PSN_MASK;
	rsp->credits = SORO_CREDIT_NONE;
}

static void drop(struct soro_rsp_step *step, u8 reason)
{
	step->verdict = SORO_RSP_DROP;
	step->drop = reason;
}

static void fail(struct soro_responder *rsp, struct soro_rsp_step *step, u8 fault)
{
	step->verdict = SORO_RSP_ANSWER;
	step->fault = fault;
	step->act = SORO_ACT_NONE;
	if (rsp->cfg.unreliable)
		soro_unreliable_fail(rsp, step);
	else
		soro_replies_owe_fatal(rsp, step->pkts[0].psn, fault);
}

/*
 * Beyond the expected PSN: one NAK for a gap, then silence (IBA 9.7.5). What came may
 * be kept until the gap is filled, unless the gap is a wait for a receive WQE.
 */
static void judge_ahead(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
			struct soro_rsp_step *step)
{
	bool far = soro_psn_diff(pkts->psn, rsp->epsn) > SORO_HOLD_PSNS;

	while (step->n < n && soro_psn_diff(pkts[step->n].psn, rsp->epsn) > 0)
		step->n++;
	step->verdict = SORO_RSP_HOLD;
	if (far || rsp->not_ready) {
		drop(step, SORO_DROP_SEQUENCE);
		soro_responder_dropped(rsp, step);
	}
	soro_responder_gap(rsp);
}

/**
 * soro_responder_dropped() - packets beyond a gap were not kept
 * @rsp: state
 * @step: the judgement on them
 *
 * As long as the NAK for the gap was not sent, nobody knows that they are lost.
 */
void soro_responder_dropped(struct soro_responder *rsp, const struct soro_rsp_step *step)
{
	u32 i;

	for (i = 0; i < step->n; i++) {
		u32 end = soro_psn_add(step->pkts[i].psn, 1);

		if (!rsp->dropped || soro_psn_diff(end, rsp->dropped_end) > 0)
			rsp->dropped_end = end;
		rsp->dropped = true;
	}
}

/**
 * soro_responder_gap() - something beyond the expected PSN is there
 * @rsp: state
 *
 * A NAK is owed, unless one was made for this gap. For the caller of what it held: after
 * the gap was filled and there is another one.
 */
void soro_responder_gap(struct soro_responder *rsp)
{
	if (rsp->quiet || rsp->dead)
		return;
	rsp->quiet = true;
	rsp->owed = SORO_OWE_SEQUENCE;
}

static u8 transport(const struct soro_responder *rsp)
{
	return rsp->cfg.unreliable ? SORO_UC : SORO_RC;
}

static bool is_message(const struct soro_pkt *pkt)
{
	return pkt->row->kind == SORO_SEND || pkt->row->kind == SORO_WRITE;
}

static bool is_atomic(const struct soro_pkt *pkt)
{
	return pkt->row->kind == SORO_CMP_SWP || pkt->row->kind == SORO_FETCH_ADD ||
	       pkt->row->kind == SORO_ATOMIC_WRITE;
}

static void need_read(struct soro_rsp_step *step, const struct soro_pkt *pkt)
{
	step->verdict = SORO_RSP_EXECUTE;
	step->kept = true;
	if (!pkt->reth.len)
		return;		/* no key check for zero length, IBA C9-88 */
	step->need = SORO_NEED_RANGE;
	step->range.va = pkt->reth.va;
	step->range.bytes = pkt->reth.len;
	step->range.rkey = pkt->reth.rkey;
}

static void need_flush(struct soro_rsp_step *step, const struct soro_pkt *pkt)
{
	step->verdict = SORO_RSP_EXECUTE;
	step->kept = true;
	step->need = SORO_NEED_RANGE;
	step->range.va = pkt->reth.va;
	step->range.bytes = pkt->reth.len;
	step->range.rkey = pkt->reth.rkey;
	step->range.right = SORO_RIGHT_FLUSH;
	step->range.whole = pkt->feth_level == SORO_FLUSH_REGION;
}

static void need_atomic(struct soro_rsp_step *step, const struct soro_pkt *pkt)
{
	step->verdict = SORO_RSP_EXECUTE;
	step->kept = true;
	step->need = SORO_NEED_RANGE;
	step->range.bytes = sizeof(u64);
	if (pkt->row->kind == SORO_ATOMIC_WRITE) {
		step->range.va = pkt->reth.va;
		step->range.rkey = pkt->reth.rkey;
		step->range.right = SORO_RIGHT_WRITE;
	} else {
		step->range.va = pkt->atomic.va;
		step->range.rkey = pkt->atomic.rkey;
		step->range.right = SORO_RIGHT_ATOMIC;
	}
}

/*
 * Executed before. SEND and WRITE are acknowledged again, never executed (IBA
 * C9-105); a READ is executed again, its key is checked again, since memory may
 * have been deregistered meanwhile: then it is dropped, as only the request at the
 * expected PSN is refused with a NAK (IBA 9.7.5); an atomic is answered with the
 * result that it had.
 */
static void judge_duplicate(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
			    struct soro_rsp_step *step)
{
	step->duplicate = true;
	if (is_message(pkts)) {
		while (step->n < n && is_message(pkts + step->n) &&
		       soro_psn_diff(pkts[step->n].psn, rsp->epsn) < 0)
			step->n++;
		step->verdict = SORO_RSP_ANSWER;
		soro_replies_owe_ack(rsp);
	} else if (!soro_replies_find(rsp, pkts)) {
		drop(step, SORO_DROP_DUPLICATE_BAD);
	} else if (pkts->row->kind == SORO_READ_REQ) {
		need_read(step, pkts);
	} else {
		step->verdict = SORO_RSP_ANSWER;
		soro_replies_repeat(rsp, pkts);
	}
}

static u8 check_read(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	if (!rsp->cfg.allow_read || !rsp->cfg.reads_max)
		return SORO_FAULT_NOT_ENABLED;
	if (soro_replies_full(rsp))
		return SORO_FAULT_READS;
	return pkt->reth.len > SORO_MSG_MAX ? SORO_FAULT_LENGTH : SORO_FAULT_NONE;
}

/* IBA 9.4.5: the address is a multiple of 8; ATOMIC WRITE (A19) in the same way. */
static u8 check_atomic(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	bool is_write = pkt->row->kind == SORO_ATOMIC_WRITE;
	bool allowed = is_write ? rsp->cfg.allow_write : rsp->cfg.allow_atomic;

	if (!allowed || !rsp->cfg.reads_max)
		return SORO_FAULT_NOT_ENABLED;
	if (soro_replies_full(rsp))
		return SORO_FAULT_READS;
	if (is_write && (pkt->reth.len != sizeof(u64) || pkt->payload_len != sizeof(u64)))
		return SORO_FAULT_LENGTH;
	return (is_write ? pkt->reth.va : pkt->atomic.va) % sizeof(u64) ? SORO_FAULT_MISALIGNED :
									  SORO_FAULT_NONE;
}

/* IBA A19: a placement type that the QP does not grant, or a level that nobody has defined. */
static u8 check_flush(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	if (!rsp->cfg.allow_flush || !rsp->cfg.reads_max ||
	    pkt->feth_type != SORO_FLUSH_GLOBAL || pkt->feth_level > SORO_FLUSH_REGION)
		return SORO_FAULT_NOT_ENABLED;
	return soro_replies_full(rsp) ? SORO_FAULT_READS : SORO_FAULT_NONE;
}

/* Payload of one packet against PMTU and position (IBA 9.7.4). */
static bool payload_fits(const struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	switch (pkt->row->pos) {
	case SORO_ONLY:
		return pkt->payload_len <= rsp->cfg.pmtu_bytes;
	case SORO_LAST:
		return pkt->payload_len && pkt->payload_len <= rsp->cfg.pmtu_bytes;
	default:
		return pkt->payload_len == rsp->cfg.pmtu_bytes;
	}
}

/* Whether @pkt, after @before bytes of its message, keeps within a length of @total. */
static bool total_fits(const struct soro_pkt *pkt, u32 before, u32 total)
{
	u32 left = total - before;	/* earlier packets were checked: no wrap */

	if (pkt->row->pos & SORO_LAST)
		return pkt->payload_len == left;
	return pkt->payload_len < left;
}

/* Bytes of the message of @pkt ahead of it. */
static u32 bytes_before(const struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	return pkt->row->pos & SORO_FIRST ? 0 : rsp->received;
}

/* Bytes that the message of @pkt was announced to have; a SEND announces nothing. */
static u32 bytes_total(const struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	if (pkt->row->kind != SORO_WRITE)
		return 0;
	return pkt->row->pos & SORO_FIRST ? pkt->reth.len : rsp->bytes;
}

/* One packet of SEND or WRITE after @before bytes of its message. */
static u8 check_payload(const struct soro_responder *rsp, const struct soro_pkt *pkt,
			u32 before, u32 total)
{
	if (!payload_fits(rsp, pkt))
		return SORO_FAULT_LENGTH;
	if (pkt->row->kind == SORO_WRITE)
		return total_fits(pkt, before, total) ? SORO_FAULT_NONE : SORO_FAULT_LENGTH;
	return pkt->payload_len > SORO_MSG_MAX - before ? SORO_FAULT_LENGTH : SORO_FAULT_NONE;
}

/* Opcode, sequence, permission and length of the packet at the expected PSN. */
static u8 check_first(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	const struct soro_opcode_row *row = pkt->row;
	bool opens = row->pos & SORO_FIRST;

	if (opens == rsp->in_message || (!opens && row->kind != rsp->kind))
		return SORO_FAULT_OPCODE;
	if (row->kind == SORO_READ_REQ)
		return check_read(rsp, pkt);
	if (is_atomic(pkt))
		return check_atomic(rsp, pkt);
	if (row->kind == SORO_FLUSH)
		return check_flush(rsp, pkt);
	if (row->kind == SORO_WRITE && opens) {
		if (!rsp->cfg.allow_write)
			return SORO_FAULT_NOT_ENABLED;
		if (pkt->reth.len > SORO_MSG_MAX)
			return SORO_FAULT_LENGTH;
	}
	return check_payload(rsp, pkt, bytes_before(rsp, pkt), bytes_total(rsp, pkt));
}

/*
 * The LAST packet of a WRITE with immediate needs a receive WQE, that of a SEND with
 * invalidate does more than to place data: they stand alone.
 */
static bool stands_alone(const struct soro_pkt *pkt)
{
	return (pkt->row->kind == SORO_WRITE && pkt->row->headers & SORO_HDR_IMM) ||
	       pkt->row->headers & SORO_HDR_IETH;
}

/* Whether @pkt carries on the message of the packets before it in the same act. */
static bool joins(const struct soro_responder *rsp, const struct soro_pkt *head,
		  const struct soro_pkt *pkt, u32 psn, u32 before, u32 total)
{
	const struct soro_opcode_row *row = pkt->row;

	return pkt->psn == psn && row->transport == head->row->transport &&
	       row->kind == head->row->kind && !(row->pos & SORO_FIRST) &&
	       !stands_alone(pkt) &&
	       check_payload(rsp, pkt, before, total) == SORO_FAULT_NONE;
}

/* Take as many packets as one act can serve: consecutive PSNs of one message. */
static void gather(const struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
		   struct soro_rsp_step *step)
{
	u32 before = bytes_before(rsp, pkts);
	u32 total = bytes_total(rsp, pkts);

	step->bytes = pkts->payload_len;
	if (stands_alone(pkts))
		return;
	while (step->n < n && !(pkts[step->n - 1].row->pos & SORO_LAST) &&
	       joins(rsp, pkts, pkts + step->n, soro_psn_add(pkts->psn, step->n),
		     before + step->bytes, total)) {
		step->bytes += pkts[step->n].payload_len;
		step->n++;
	}
}

static void need_write(const struct soro_responder *rsp, const struct soro_pkt *pkt,
		       struct soro_rsp_step *step)
{
	bool opens = pkt->row->pos & SORO_FIRST;

	if (pkt->row->headers & SORO_HDR_IMM)
		step->need |= SORO_NEED_RECV;
	if (!step->bytes)
		return;		/* no key check for zero length, IBA C9-88 */
	step->need |= SORO_NEED_RANGE;
	step->range.right = SORO_RIGHT_WRITE;
	if (opens) {
		step->range.va = pkt->reth.va;
		step->range.rkey = pkt->reth.rkey;
		step->range.bytes = pkt->reth.len;
	} else {
		step->range.va = rsp->va + rsp->received;
		step->range.rkey = rsp->rkey;
		step->range.bytes = step->bytes;
	}
}

static void judge_new(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
		      struct soro_rsp_step *step)
{
	u8 fault;

	/* The gap is filled: a NAK not sent yet has become an ACK, but see replies.c. */
	rsp->quiet = false;
	rsp->not_ready = false;
	if (rsp->owed == SORO_OWE_SEQUENCE || rsp->owed == SORO_OWE_RNR) {
		rsp->owed = SORO_OWE_ACK;
		rsp->untold = rsp->dropped;
	}

	fault = check_first(rsp, pkts);
	if (fault) {
		fail(rsp, step, fault);
		return;
	}
	if (pkts->row->kind == SORO_READ_REQ) {
		need_read(step, pkts);
		return;
	}
	if (is_atomic(pkts)) {
		need_atomic(step, pkts);
		return;
	}
	if (pkts->row->kind == SORO_FLUSH) {
		need_flush(step, pkts);
		return;
	}
	step->verdict = SORO_RSP_EXECUTE;
	step->invalidate = pkts->row->headers & SORO_HDR_IETH;
	if (step->invalidate)
		step->inv_rkey = pkts->inv_rkey;
	gather(rsp, pkts, n, step);
	if (pkts->row->kind == SORO_WRITE)
		need_write(rsp, pkts, step);
	else if (pkts->row->pos & SORO_FIRST)
		step->need = SORO_NEED_RECV;
	else
		step->offset = rsp->received;
}

/**
 * soro_responder_judge() - classify the leading packets of a train of requests
 * @rsp: state
 * @pkts: parsed request packets, in order of arrival; they must live until the
 *	step is committed or over
 * @n: how many, at least 1
 * @step: the judgement
 *
 * Order of checks as in IBA 9.7.4: PSN, opcode sequence, operation enabled,
 * READ and atomic resources, length, alignment; receive WQE and key follow in
 * resolve. Expected PSN and MSN stay as they are. Packets are taken together when
 * one act can serve them: one message, consecutive PSNs. A LAST with immediate of a
 * WRITE stands alone.
 */
void soro_responder_judge(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
			  struct soro_rsp_step *step)
{
	s32 ahead;

	memset(step, 0, sizeof(*step));
	step->n = 1;
	step->pkts = pkts;
	if (rsp->dead) {
		step->n = n;
		drop(step, SORO_DROP_QP_STATE);
		return;
	}
	if (pkts->row->transport != transport(rsp) || pkts->row->response) {
		drop(step, SORO_DROP_QP_TYPE);
		return;
	}
	if (rsp->cfg.unreliable) {
		if (soro_unreliable_admit(rsp, pkts, n, step))
			judge_new(rsp, pkts, n, step);
		return;
	}
	ahead = soro_psn_diff(pkts->psn, rsp->epsn);
	if (ahead > 0)
		judge_ahead(rsp, pkts, n, step);
	else if (ahead < 0)
		judge_duplicate(rsp, pkts, n, step);
	else
		judge_new(rsp, pkts, n, step);
}

/**
 * soro_responder_resolve() - decide with what the driver found
 * @rsp: state
 * @step: judgement with verdict SORO_RSP_EXECUTE
 * @answer: what was found
 *
 * A missing receive WQE comes before a bad key, so that a peer that may still
 * be served is told to wait and not that it failed (IBA 9.7.5.2.8).
 *
 * Return: SORO_RSP_EXECUTE: do step->act, then commit or refuse.
 * SORO_RSP_ANSWER: the step is over; an RNR NAK is owed if step->fault is
 * SORO_FAULT_NONE, else a fatal NAK. A receive WQE that was found stays in hand;
 * for a fault with a receive status it is completed with it.
 * SORO_RSP_DROP: the step is over and nobody hears of it (UC, or a READ that was executed
 * before and whose memory is gone).
 */
u8 soro_responder_resolve(struct soro_responder *rsp, struct soro_rsp_step *step,
			  const struct soro_rsp_answer *answer)
{
	bool is_send = step->pkts->row->kind == SORO_SEND;

	if (step->need & SORO_NEED_RECV && !answer->recv_found) {
		if (rsp->cfg.unreliable) {
			soro_unreliable_give_up(rsp, step, SORO_DROP_NO_RECV);
			return SORO_RSP_DROP;
		}
		rsp->quiet = true;
		rsp->not_ready = true;
		rsp->owed = SORO_OWE_RNR;
		step->verdict = SORO_RSP_ANSWER;
		return SORO_RSP_ANSWER;
	}
	if (answer->fault && step->duplicate) {
		drop(step, SORO_DROP_DUPLICATE_BAD);
		return SORO_RSP_DROP;
	}
	if (answer->fault) {
		fail(rsp, step, answer->fault);
		return step->verdict;
	}
	if (is_send && step->need & SORO_NEED_RECV)
		rsp->capacity = answer->recv_capacity;
	if (is_send && (step->offset > rsp->capacity ||
			step->bytes > rsp->capacity - step->offset)) {
		fail(rsp, step, SORO_FAULT_RECV_SHORT);
		return step->verdict;
	}
	if (step->pkts->row->kind == SORO_ATOMIC_WRITE)
		step->act = SORO_ACT_STORE;
	else if (is_atomic(step->pkts))
		step->act = SORO_ACT_ATOMIC;
	else if (step->pkts->row->kind == SORO_FLUSH)
		step->act = SORO_ACT_FLUSH;
	else if (step->bytes)
		step->act = is_send ? SORO_ACT_RECV : SORO_ACT_WRITE;
	return SORO_RSP_EXECUTE;
}

/**
 * soro_responder_refuse() - the act failed
 * @rsp: state
 * @step: the step, resolved and not committed
 * @fault: enum soro_fault
 *
 * Owes the fatal NAK of @fault at the step's PSN; for UC see soro_unreliable_fail().
 */
void soro_responder_refuse(struct soro_responder *rsp, struct soro_rsp_step *step, u8 fault)
{
	fail(rsp, step, fault);
}

/* The whole answer is one step in the order of PSNs; MSN counts it now (IBA C9-148). */
static void commit_kept(struct soro_responder *rsp, struct soro_rsp_step *step)
{
	rsp->epsn = soro_psn_add(rsp->epsn, soro_replies_keep(rsp, step->pkts, step->orig));
	rsp->msn = soro_psn_add(rsp->msn, 1);
}

static void open_message(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	rsp->in_message = true;
	rsp->kind = pkt->row->kind;
	rsp->received = 0;
	if (pkt->row->kind == SORO_WRITE) {
		rsp->va = pkt->reth.va;
		rsp->rkey = pkt->reth.rkey;
		rsp->bytes = pkt->reth.len;
	}
}

static void close_message(struct soro_responder *rsp, const struct soro_pkt *pkt,
			  struct soro_rsp_step *step)
{
	rsp->in_message = false;
	rsp->msn = soro_psn_add(rsp->msn, 1);

	step->is_write = rsp->kind == SORO_WRITE;
	step->has_imm = pkt->row->headers & SORO_HDR_IMM;
	step->has_inv = step->invalidate;
	step->complete = !step->is_write || step->has_imm;
	step->length = rsp->received;
	step->solicited = step->complete && pkt->flags & SORO_PKT_SE;
	if (step->has_imm)
		step->imm = pkt->imm;
}

static void commit_message(struct soro_responder *rsp, struct soro_rsp_step *step)
{
	const struct soro_pkt *last = step->pkts + step->n - 1;
	u32 i;

	if (step->pkts->row->pos & SORO_FIRST)
		open_message(rsp, step->pkts);
	rsp->received += step->bytes;
	rsp->epsn = soro_psn_add(rsp->epsn, step->n);
	if (last->row->pos & SORO_LAST)
		close_message(rsp, last, step);
	for (i = 0; i < step->n; i++) {
		if (step->pkts[i].flags & SORO_PKT_ACKREQ)
			soro_replies_owe_ack(rsp);
	}
}

/**
 * soro_responder_commit() - the act is done
 * @rsp: state
 * @step: the resolved step; its completion fields are filled
 *
 * Moves expected PSN, MSN and cursors and notes the replies owed.
 */
void soro_responder_commit(struct soro_responder *rsp, struct soro_rsp_step *step)
{
	if (!step->kept)
		commit_message(rsp, step);
	else if (step->duplicate)
		soro_replies_repeat(rsp, step->pkts);
	else
		commit_kept(rsp, step);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what an RC requester makes of what comes back: ACK, NAK, RNR NAK, READ
 * response (IBA 9.7.5), credits. Must not know: skbs, locks, timers, user memory.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "credit.h"
#include "recover.h"
#include "requester.h"
#include "window.h"

/* RNR NAK timer codes in units of 10 us (IBA table 45) */
static const u16 rnr_10us[32] = {
	65535, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	16384, 24576, 32768, 49152,
};

/**
 * soro_requester_rnr_ns() - RNR timer code to nanoseconds (IBA table 45)
 * @code: low five bits of an RNR NAK syndrome
 */
u64 soro_requester_rnr_ns(u8 code)
{
	code &= 0x1f;
	if (!code)
		return 655360000;
	return rnr_10us[code] * 10000ULL;
}

static void drop(struct soro_req_step *step, u8 reason)
{
	step->verdict = SORO_REQ_DROP;
	step->drop = reason;
}

/* Something was lost: send less at a time, then go back to it. */
static void retreat(struct soro_requester *req, u64 now)
{
	req->window_bytes = max_t(u32, req->window_bytes / 2, SORO_WINDOW_MIN_BYTES);
	soro_window_go_back(req);
	soro_recover_lost(req, now);
	soro_recover_hole(req);
	soro_window_arm(req, now);
}

/*
 * Something beyond the READ at una was answered, its own answer was not: it is
 * lost. Ask again from there, once; the deadline does the rest (IBA 9.7.5).
 * Never the end of a QP: the answer may just be late.
 */
static void imply_nak(struct soro_requester *req, struct soro_req_step *step, u64 now)
{
	if (req->implied || !req->retry_left || req->psn == req->una) {
		drop(step, SORO_DROP_STALE);
		return;
	}
	req->retry_left--;
	retreat(req, now);
	req->implied = true;
	step->implied = true;
}

/* Everything up to and with @psn is acknowledged, but for READs and atomics without their data. */
static void take_ack(struct soro_requester *req, u32 psn, struct soro_req_step *step, u64 now)
{
	if (!soro_window_ack_to(req, soro_psn_add(psn, 1), now))
		imply_nak(req, step, now);
}

/*
 * The peer misses what begins at una. Without progress since the last NAK it
 * costs a retry; a second NAK for the same PSN may be a copy of the first, which
 * must not end the QP.
 */
static void take_nak_sequence(struct soro_requester *req, bool moved, struct soro_req_step *step,
			      u64 now)
{
	if (req->psn == req->una) {
		drop(step, SORO_DROP_STALE);
		return;
	}
	if (!moved && !req->retry_left) {
		if (req->nacked)
			drop(step, SORO_DROP_STALE);
		else
			soro_window_fail(req, SORO_ST_RETRY_EXC);
		return;
	}
	if (!moved)
		req->retry_left--;
	retreat(req, now);
	req->nacked = true;
	req->after_nak = true;
}

/* The peer has no receive WQE for una: wait, then send from there (IBA 9.7.5.2.8). */
static void take_rnr(struct soro_requester *req, struct soro_req_step *step, u64 now)
{
	if (req->rnr_deadline_ns) {
		drop(step, SORO_DROP_STALE);
		return;
	}
	if (req->cfg.rnr_retry < 7 && !req->rnr_left) {
		soro_window_fail(req, SORO_ST_RNR_RETRY_EXC);
		return;
	}
	if (req->cfg.rnr_retry < 7)
		req->rnr_left--;
	soro_window_go_back(req);
	req->ack_deadline_ns = 0;
	req->probe_deadline_ns = 0;
	req->rnr_deadline_ns = now + soro_requester_rnr_ns(step->syndrome);
}

/* Whether the READ that misses data at una holds @psn as well. */
static bool same_read(const struct soro_requester *req, u32 psn)
{
	const struct soro_wqe *wqe = soro_window_wqe(req, req->acked);

	return soro_psn_between(psn, wqe->psn, wqe->npsn);
}

/* A NAK of any kind at @psn acknowledges everything before it. */
static void take_nak(struct soro_requester *req, u32 psn, struct soro_req_step *step, u64 now)
{
	u8 type = step->syndrome & SORO_SYNDROME_KIND;
	bool fatal = type == SORO_SYNDROME_NAK &&
		     (step->syndrome & SORO_SYNDROME_VALUE) != SORO_NAK_SEQUENCE;
	u32 una = req->una;

	if (!soro_window_ack_to(req, psn, now) && !(fatal && same_read(req, psn))) {
		imply_nak(req, step, now);
		return;
	}
	if (soro_window_broken(req))
		return;
	if (fatal)
		soro_window_fail(req, soro_fault_status(step->syndrome));
	else if (type == SORO_SYNDROME_RNR)
		take_rnr(req, step, now);
	else
		take_nak_sequence(req, req->una != una, step, now);
}

static void judge_ack(struct soro_requester *req, const struct soro_pkt *pkt,
		      struct soro_req_step *step, u64 now)
{
	step->syndrome = pkt->syndrome;
	switch (pkt->syndrome & SORO_SYNDROME_KIND) {
	case SORO_SYNDROME_ACK:
		take_ack(req, pkt->psn, step, now);
		break;
	case SORO_SYNDROME_RNR:
	case SORO_SYNDROME_NAK:
		take_nak(req, pkt->psn, step, now);
		break;
	default:
		drop(step, SORO_DROP_SYNDROME);
	}
}

/* Whether a response packet carries what its PSN must carry. */
static bool response_fits(const struct soro_requester *req, const struct soro_wqe *wqe,
			  u32 skipped, const struct soro_pkt *pkt)
{
	bool last = skipped + 1 == soro_window_read_end(wqe, skipped);
	u32 left = wqe->bytes - skipped * req->cfg.pmtu_bytes;

	switch (wqe->kind) {
	case SORO_READ_REQ:
		return pkt->row->kind == SORO_READ_RESP &&
		       pkt->payload_len == min(left, req->cfg.pmtu_bytes) &&
		       last == !!(pkt->row->pos & SORO_LAST);
	case SORO_ATOMIC_WRITE:		/* answered as a READ of no bytes (IBA A19) */
	case SORO_FLUSH:
		return pkt->row->kind == SORO_READ_RESP && pkt->row->pos == SORO_ONLY &&
		       !pkt->payload_len;
	default:
		return pkt->row->kind == SORO_ATOMIC_ACK;
	}
}

/* Take as many response packets as follow each other in the READ or atomic at una. */
static void gather(struct soro_requester *req, const struct soro_pkt *pkts, u32 n,
		   struct soro_req_step *step)
{
	const struct soro_wqe *wqe = soro_window_wqe(req, req->acked);
	u32 skipped = (req->una - wqe->psn) & SORO_PSN_MASK;
	u32 i;

	if (!response_fits(req, wqe, skipped, pkts)) {
		soro_window_fail(req, SORO_ST_BAD_RESP);
		return;
	}
	/* what was not asked for yet is no answer, even if it is of the same READ */
	n = min3(n, wqe->npsn - skipped, soro_window_flight(req));
	for (i = 0; i < n; i++) {
		if (pkts[i].row->transport != SORO_RC || !pkts[i].row->response ||
		    pkts[i].psn != soro_psn_add(req->una, i) ||
		    !response_fits(req, wqe, skipped + i, pkts + i))
			break;
		step->bytes += pkts[i].payload_len;
	}
	step->n = i;
	step->verdict = pkts->row->kind == SORO_ATOMIC_ACK ? SORO_REQ_STORE : SORO_REQ_PLACE;
	step->slot = req->acked;
	step->offset = skipped * req->cfg.pmtu_bytes;
}

/*
 * Data of a READ or atomic acknowledges what was sent before it, is taken if it is the
 * next that is missing, and tells of a loss if it is not.
 */
static void judge_response(struct soro_requester *req, const struct soro_pkt *pkts, u32 n,
			   struct soro_req_step *step, u64 now)
{
	if (!soro_window_ack_to(req, pkts->psn, now)) {
		imply_nak(req, step, now);
		return;
	}
	if (soro_window_broken(req))
		return;
	if (!soro_window_is_read(soro_window_wqe(req, req->acked))) {
		drop(step, SORO_DROP_STALE);
		return;
	}
	gather(req, pkts, n, step);
}

/* Return: true if the packet lets more be sent than before. */
static bool take_credits(struct soro_requester *req, const struct soro_pkt *pkt)
{
	return pkt->row->headers & SORO_HDR_AETH &&
	       (pkt->syndrome & SORO_SYNDROME_KIND) == SORO_SYNDROME_ACK &&
	       soro_credit_take(req, pkt);
}

/**
 * soro_requester_judge() - digest leading response packets
 * @req: state
 * @pkts: parsed response packets, in order of arrival
 * @n: how many, at least 1
 * @now: monotonic ns
 * @step: the judgement
 *
 * What is not outstanding is dropped, whatever it says: a ghost or a copy. But the last
 * thing that was acknowledged may be so once more, to bring credits (IBA 9.7.7.2).
 */
void soro_requester_judge(struct soro_requester *req, const struct soro_pkt *pkts, u32 n, u64 now,
			  struct soro_req_step *step)
{
	const struct soro_opcode_row *row = pkts->row;
	u32 una = req->una, last = soro_psn_add(una, -1);

	memset(step, 0, sizeof(*step));
	step->n = 1;
	step->verdict = SORO_REQ_DONE;
	if (row->transport != SORO_RC || !row->response) {
		drop(step, SORO_DROP_QP_TYPE);
		return;
	}
	if (soro_window_broken(req) ||
	    !soro_psn_between(pkts->psn, last, soro_window_flight(req) + 1)) {
		drop(step, SORO_DROP_STALE);
		return;
	}
	if (pkts->psn == last)
		drop(step, SORO_DROP_STALE);
	else if (row->kind == SORO_ACK)
		judge_ack(req, pkts, step, now);
	else
		judge_response(req, pkts, n, step, now);
	if ((take_credits(req, pkts + step->n - 1) || req->una != una) &&
	    step->verdict == SORO_REQ_DROP)
		step->verdict = SORO_REQ_DONE;	/* it told something after all */
}

/**
 * soro_requester_commit() - the data of a PLACE or STORE step is in memory
 * @req: state, as it was when judged
 * @step: the step
 * @now: monotonic ns
 */
void soro_requester_commit(struct soro_requester *req, const struct soro_req_step *step, u64 now)
{
	soro_window_ack_read(req, step->n, now);
}

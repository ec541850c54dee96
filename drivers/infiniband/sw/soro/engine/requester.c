// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the life of a send WQE in a requester, from take to pop, and the
 * deadlines. Must not know: skbs, locks, timers, user memory, rings, SGEs; what
 * to send next (plan.c) and what comes back (digest.c).
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "recover.h"
#include "requester.h"
#include "window.h"

static bool flush_is_valid(const struct soro_wqe *wqe)
{
	u8 types = SORO_FLUSH_GLOBAL | SORO_FLUSH_PERSISTENT;

	return wqe->flush_type && !(wqe->flush_type & ~types) &&
	       wqe->flush_level <= SORO_FLUSH_REGION;
}

/* A WQE that cannot be executed is kept: it completes in its turn. */
static u8 check_wqe(const struct soro_requester *req, const struct soro_wqe *wqe)
{
	if (wqe->status != SORO_ST_SUCCESS)
		return wqe->status;
	if (!req->cfg.pmtu_bytes)
		return SORO_ST_LOC_QP_OP;
	if (req->cfg.unreliable && (soro_window_is_read(wqe) || wqe->flags & SORO_WQE_INV))
		return SORO_ST_LOC_QP_OP;
	switch (wqe->kind) {
	case SORO_READ_REQ:
		if (!req->cfg.reads_max)
			return SORO_ST_LOC_QP_OP;
		break;
	case SORO_CMP_SWP:
	case SORO_FETCH_ADD:
	case SORO_ATOMIC_WRITE:
		if (!req->cfg.reads_max)
			return SORO_ST_LOC_QP_OP;
		return wqe->bytes == sizeof(u64) ? SORO_ST_SUCCESS : SORO_ST_LOC_LEN;
	case SORO_FLUSH:
		return req->cfg.reads_max && flush_is_valid(wqe) ? SORO_ST_SUCCESS :
								   SORO_ST_LOC_QP_OP;
	case SORO_SEND:
	case SORO_WRITE:
		break;
	case SORO_LOCAL:
		return SORO_ST_SUCCESS;
	default:
		return SORO_ST_LOC_QP_OP;
	}
	return wqe->bytes > SORO_MESSAGE_MAX ? SORO_ST_LOC_LEN : SORO_ST_SUCCESS;
}

/* Give the WQE at @slot its PSNs and its place in the measures of window and credits. */
static void number(struct soro_requester *req, u32 slot)
{
	struct soro_wqe *wqe = soro_window_wqe(req, slot);

	wqe->status = check_wqe(req, wqe);
	wqe->psn = req->end;
	wqe->weight = req->end_weight;
	wqe->takers = req->takers;
	wqe->messages = req->messages;
	wqe->npsn = !soro_window_is_local(wqe);
	if (wqe->status != SORO_ST_SUCCESS || soro_window_is_local(wqe))
		return;
	if (wqe->bytes)
		wqe->npsn = DIV_ROUND_UP(wqe->bytes, req->cfg.pmtu_bytes);
	req->end = soro_psn_add(req->end, wqe->npsn);
	req->messages++;
	req->takers += soro_window_takes_receive(wqe);
	req->end_weight += (u64)wqe->bytes + (u64)wqe->npsn * SORO_WINDOW_PACKET_BYTES;
}

static void restart(struct soro_requester *req, u32 psn)
{
	req->acked = req->head;
	req->una = psn & SORO_PSN_MASK;
	req->nxt = req->una;
	req->end = req->una;
	req->end_weight = 0;
	req->messages = 0;
	req->takers = 0;
	req->limit = 0;
	req->unlimited = req->cfg.unreliable;
	soro_window_go_back(req);
	req->window_bytes = SORO_WINDOW_INIT_BYTES;
	req->retry_left = req->cfg.retry_cnt;
	req->rnr_left = req->cfg.rnr_retry;
	req->implied = false;
	req->nacked = false;
	req->failed = false;
	req->wait = 0;
	req->ack_deadline_ns = 0;
	req->probe_deadline_ns = 0;
	req->rnr_deadline_ns = 0;
	req->srtt_ns = 0;
	req->rtt_min_ns = U64_MAX;
	req->rttvar_ns = 0;
	req->marked_until_ns = 0;
	req->keeps = false;
	req->trains = false;
	req->proving = false;
	req->probes = 0;
	req->failures = 0;
}

/**
 * soro_requester_configure() - change the configuration
 * @req: state
 * @cfg: configuration; the path MTU may change only before soro_requester_init()
 * @now: monotonic ns
 *
 * Counts that are lower now hold at once, not only after the next progress; so does a
 * timeout where there was none; READs and atomics not sent yet fail if there may be none.
 */
void soro_requester_configure(struct soro_requester *req,
			      const struct soro_requester_config *cfg, u64 now)
{
	u32 slot;

	req->cfg = *cfg;
	req->retry_left = min(req->retry_left, cfg->retry_cnt);
	req->rnr_left = min(req->rnr_left, cfg->rnr_retry);
	for (slot = req->cur; slot != req->tail && !cfg->reads_max; slot++) {
		struct soro_wqe *wqe = soro_window_wqe(req, slot);
		bool begun = slot == req->cur && req->psn != wqe->psn;

		if (soro_window_is_read(wqe) && wqe->status == SORO_ST_SUCCESS && !begun)
			wqe->status = SORO_ST_LOC_QP_OP;
	}
	if (!req->ack_deadline_ns && !req->rnr_deadline_ns && !soro_window_broken(req))
		soro_window_arm(req, now);
}

/**
 * soro_requester_init() - start at a PSN (RTR to RTS)
 * @req: state; configuration, slots and WQEs that were taken are kept
 * @psn: first PSN
 */
void soro_requester_init(struct soro_requester *req, u32 psn)
{
	u32 slot;

	restart(req, psn);
	for (slot = req->head; slot != req->tail; slot++)
		number(req, slot);
}

/**
 * soro_requester_reset() - forget everything (RESET)
 * @req: state; only the slots are kept
 */
void soro_requester_reset(struct soro_requester *req)
{
	memset(&req->cfg, 0, sizeof(req->cfg));
	req->head = 0;
	req->tail = 0;
	req->resent = 0;
	req->probed = 0;
	req->marks = 0;
	restart(req, 0);
}

/**
 * soro_requester_ask_again() - nothing follows for a while
 * @req: state
 *
 * If what is in flight did not ask for an ACK, nobody would: it is sent once
 * more, which asks.
 */
void soro_requester_ask_again(struct soro_requester *req)
{
	if (req->unasked && !soro_window_broken(req))
		soro_window_go_back(req);
}

/* The same where the answer is all that is wanted: one packet goes out again. */
static void ask_oldest(struct soro_requester *req)
{
	if (!req->unasked || soro_window_broken(req))
		return;
	soro_window_go_back(req);
	soro_recover_oldest(req);
}

/**
 * soro_requester_take() - accept the WQE that the caller wrote to slot @req->tail
 * @req: state, with soro_requester_room()
 */
void soro_requester_take(struct soro_requester *req)
{
	u32 slot = req->tail++;

	number(req, slot);
	if (soro_window_has_error(req, slot))
		soro_requester_ask_again(req);
	else if (soro_window_wqe(req, slot)->flags & SORO_WQE_DRAIN)
		ask_oldest(req);
}

/**
 * soro_requester_executed() - the driver has executed a WQE
 * @req: state, as it was when SORO_LOCAL was planned
 * @slot: its index
 * @more: the ring holds WQEs that were not taken yet
 */
void soro_requester_executed(struct soro_requester *req, u32 slot, bool more)
{
	struct soro_wqe *wqe = soro_window_wqe(req, slot);

	wqe->flags |= SORO_WQE_EXECUTED;
	req->cur = soro_window_pass(req, req->cur);
	req->acked = soro_window_pass(req, req->acked);
	if ((s32)(req->asked - req->acked) < 0)
		req->asked = req->acked;
	/* It completes behind those before it, and what follows may be long in coming. */
	if (wqe->flags & SORO_WQE_SIGNALED || (!more && !soro_recover_probes(req)) ||
	    req->cur - req->asked >= max((req->mask + 1) / 2, 1U))
		ask_oldest(req);
}

/**
 * soro_requester_fail() - a WQE failed locally
 * @req: state
 * @slot: its index, from head to tail - 1
 * @status: enum soro_status, not SUCCESS
 *
 * It is not sent any further and completes in its turn; later ones are flushed.
 */
void soro_requester_fail(struct soro_requester *req, u32 slot, u8 status)
{
	struct soro_wqe *wqe = soro_window_wqe(req, slot);

	if (wqe->status == SORO_ST_SUCCESS)
		wqe->status = status;
	soro_requester_ask_again(req);
}

/**
 * soro_requester_deadline() - when soro_requester_timeout() wants to be called
 * @req: state
 *
 * Return: monotonic ns, 0 = never.
 */
u64 soro_requester_deadline(const struct soro_requester *req)
{
	if (soro_window_broken(req))
		return 0;
	/* The ACK deadline does not run while an RNR timer does (IBA 9.7.5.2.8). */
	if (req->rnr_deadline_ns)
		return req->rnr_deadline_ns;
	return req->probe_deadline_ns ? min(req->probe_deadline_ns, req->ack_deadline_ns) :
					req->ack_deadline_ns;
}

/**
 * soro_requester_timeout() - act on deadlines that passed
 * @req: state
 * @now: monotonic ns
 *
 * An ACK that did not come costs a retry (IBA 9.9.2): what was sent since the
 * oldest PSN not acknowledged goes out again, as single packets that all ask
 * for an ACK, first the oldest alone, then in the smallest window.
 *
 * Return: true if something must be sent or popped.
 */
bool soro_requester_timeout(struct soro_requester *req, u64 now)
{
	u64 deadline = soro_requester_deadline(req);

	if (!deadline || now < deadline)
		return false;
	if (req->rnr_deadline_ns) {
		req->rnr_deadline_ns = 0;
		return true;
	}
	if (now < req->ack_deadline_ns) {
		soro_recover_probe(req, now);
		return true;
	}
	req->ack_deadline_ns = 0;
	req->probe_deadline_ns = 0;
	if (!soro_window_flight(req))
		return false;
	if (!req->retry_left) {
		soro_window_fail(req, SORO_ST_RETRY_EXC);
		return true;
	}
	req->retry_left--;
	req->window_bytes = SORO_WINDOW_MIN_BYTES;
	req->probes = 0;
	soro_window_go_back(req);
	soro_recover_lost(req, now);
	soro_recover_oldest(req);
	soro_window_arm(req, now);
	return true;
}

static void leave(struct soro_requester *req, struct soro_req_done *done, u8 status)
{
	const struct soro_wqe *wqe = soro_window_wqe(req, req->head);

	done->slot = req->head;
	done->status = status;
	done->completion = status != SORO_ST_SUCCESS || wqe->flags & SORO_WQE_SIGNALED;
	done->error = false;
	req->head++;
}

/* The WQE in turn is over without an answer of the peer: drag the cursors along. */
static void leave_failed(struct soro_requester *req, struct soro_req_done *done, u8 status)
{
	leave(req, done, status);
	done->error = !req->failed;
	req->failed = true;
	req->acked = req->head;
	if ((s32)(req->cur - req->head) < 0)
		req->cur = req->head;
}

/**
 * soro_requester_pop() - next WQE that is over, in order
 * @req: state
 * @done: filled
 *
 * After the first error every other WQE is over too, with SORO_ST_FLUSH.
 *
 * Return: false if there is none.
 */
bool soro_requester_pop(struct soro_requester *req, struct soro_req_done *done)
{
	if (req->head != req->acked) {
		leave(req, done, SORO_ST_SUCCESS);
		return true;
	}
	if (req->head == req->tail)
		return false;
	if (req->failed) {
		leave_failed(req, done, SORO_ST_FLUSH);
		return true;
	}
	if (!soro_window_has_error(req, req->head))
		return false;
	leave_failed(req, done, soro_window_wqe(req, req->head)->status);
	return true;
}

/**
 * soro_requester_flush() - the QP is in error: every WQE not complete is over
 * @req: state
 *
 * An error that is due already is told before the flushes.
 */
void soro_requester_flush(struct soro_requester *req)
{
	if (!soro_window_broken(req))
		req->failed = true;
	req->ack_deadline_ns = 0;
	req->probe_deadline_ns = 0;
	req->rnr_deadline_ns = 0;
}

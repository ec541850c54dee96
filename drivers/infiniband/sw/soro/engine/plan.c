// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what a requester sends next: the longest train that fence, credits, READ
 * limit, window and the equal-size rule allow, and where it asks for an ACK.
 * Must not know: skbs, locks, timers, user memory.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "credit.h"
#include "recover.h"
#include "requester.h"
#include "window.h"

/* One place in the order of sending, and the room that the window has there. */
struct spot {
	const struct soro_wqe *wqe;
	u32 skipped;		/* PSNs of the message before it */
	u64 weight;		/* its position in the measure of the window */
	u32 room;		/* bytes of window left */
	u32 most;		/* packets of the longest train that may go */
	bool idle;		/* nothing in flight: one packet may always go */
};

static u32 packet_weight(const struct soro_requester *req)
{
	return req->cfg.pmtu_bytes + SORO_WINDOW_PACKET_BYTES;
}

/* Payload bytes of @n PSNs from a place in the message on. */
static u32 payload_bytes(const struct soro_requester *req, const struct soro_wqe *wqe,
			 u32 skipped, u32 n)
{
	u32 offset = skipped * req->cfg.pmtu_bytes;

	return skipped + n == wqe->npsn ? wqe->bytes - offset : n * req->cfg.pmtu_bytes;
}

static u64 payload_weight(const struct soro_requester *req, const struct soro_wqe *wqe,
			  u32 skipped, u32 n)
{
	return (u64)payload_bytes(req, wqe, skipped, n) + (u64)n * SORO_WINDOW_PACKET_BYTES;
}

static u32 window_room(const struct soro_requester *req, u64 weight)
{
	u64 used = weight - soro_window_weight(req, req->acked, req->una);

	return used < req->window_bytes ? req->window_bytes - (u32)used : 0;
}

/* UDP payload bytes of a packet of a message, BTH to ICRC. */
static u32 packet_bytes(const struct soro_wqe *wqe, u32 payload, bool first, bool last)
{
	u32 bytes = SORO_BTH_BYTES + payload + soro_packet_pad(payload) + SORO_ICRC_BYTES;

	if (first && wqe->kind == SORO_WRITE)
		bytes += SORO_RETH_BYTES;
	if (last && wqe->flags & SORO_WQE_IMM)
		bytes += SORO_IMM_BYTES;
	else if (last && wqe->flags & SORO_WQE_INV)
		bytes += SORO_IETH_BYTES;
	return bytes;
}

/*
 * Packets of one train by the equal-size rule: all of one length, the last may
 * be shorter. The FIRST of a WRITE carries a RETH and goes alone, a LAST that
 * immediate data would make longer than a full packet does too.
 */
static u32 equal_run(const struct soro_requester *req, const struct spot *at,
		     const struct soro_train_limits *limits)
{
	const struct soro_wqe *wqe = at->wqe;
	u32 full = packet_bytes(wqe, req->cfg.pmtu_bytes, false, false);
	u32 left = wqe->npsn - at->skipped;
	u32 n, tail;

	if (left == 1 || (!at->skipped && wqe->kind == SORO_WRITE))
		return 1;
	n = clamp(min3(limits->packets, limits->bytes / full, at->most), 1U, left);
	/* In as few trains, but no short one at the end: it would cost as much as a long one. */
	n = DIV_ROUND_UP(left, DIV_ROUND_UP(left, n));
	tail = payload_bytes(req, wqe, wqe->npsn - 1, 1);
	if (n > 1 && n == left && packet_bytes(wqe, tail, false, true) > full)
		n--;
	return n;
}

/* Of @n packets those that the window has room for. */
static u32 window_run(const struct soro_requester *req, const struct spot *at, u32 n)
{
	if (payload_weight(req, at->wqe, at->skipped, n) <= at->room)
		return n;
	n = min(n, at->room / packet_weight(req));
	return n || !at->idle ? n : 1;
}

static bool plan_message(struct soro_requester *req, const struct spot *at,
			 const struct soro_train_limits *limits, struct soro_train *train)
{
	u32 n = window_run(req, at, equal_run(req, at, limits));

	if (!n) {
		req->wait = SORO_WAIT_WINDOW;
		return false;
	}
	train->n = n;
	train->npsn = n;
	train->first = !at->skipped;
	train->last = at->skipped + n == at->wqe->npsn;
	return true;
}

static bool plan_read(struct soro_requester *req, const struct spot *at, struct soro_train *train)
{
	u32 npsn = soro_window_read_end(at->wqe, at->skipped) - at->skipped;

	if (req->reads >= req->cfg.reads_max) {
		req->wait = SORO_WAIT_READS;
		return false;
	}
	/* One READ may always go: what is in flight before it may not ask for an ACK. */
	if (req->reads && payload_weight(req, at->wqe, at->skipped, npsn) > at->room) {
		req->wait = SORO_WAIT_WINDOW;
		return false;
	}
	train->n = 1;
	train->npsn = npsn;
	train->first = true;
	train->last = true;
	return true;
}

/* Only the driver knows what it is; an invalidation waits for all before it (IBA 10.6.5.1). */
static bool plan_local(struct soro_requester *req, const struct spot *at)
{
	if (at->wqe->flags & SORO_WQE_DRAIN && req->cur != req->acked) {
		req->wait = SORO_WAIT_FENCE;
		return false;
	}
	return true;
}

/* Whether sending stops after @n packets from @at on until something comes back. */
static bool blocks(const struct soro_requester *req, const struct spot *at, u32 n)
{
	u32 room = window_room(req, at->weight + payload_weight(req, at->wqe, at->skipped, n));
	u32 next = soro_window_pass(req, req->cur + 1);

	if (at->skipped + n < at->wqe->npsn)
		return payload_weight(req, at->wqe, at->skipped + n, 1) > room;
	if (next == req->tail)
		return packet_weight(req) > room;
	if (soro_window_has_error(req, next) || soro_window_is_local(soro_window_wqe(req, next)))
		return true;
	/* A READ or atomic that must wait is waiting for others, which answer unasked. */
	return !soro_window_is_read(soro_window_wqe(req, next)) &&
	       payload_weight(req, soro_window_wqe(req, next), 0, 1) > room;
}

/*
 * AckReq: where somebody waits for the completion, where sending would stop
 * without an answer, and often enough that window, slots and credits never run dry.
 */
static bool asks(const struct soro_requester *req, const struct spot *at,
		 const struct soro_train *train, bool more)
{
	u32 slots = req->mask + 1;

	if (train->last && at->wqe->flags & SORO_WQE_SIGNALED)
		return true;
	if (train->last && !more && soro_window_pass(req, req->cur + 1) == req->tail &&
	    !soro_recover_probes(req))
		return true;
	if ((req->singles && train->resend) || soro_recover_asks(req, train))
		return true;
	if ((u64)(req->unasked + train->npsn) * packet_weight(req) >= req->window_bytes / 4)
		return true;
	if (train->last && req->cur + 1 - req->asked >= max(slots / 2, 1U))
		return true;
	if (train->last && soro_credit_asks(req, at->wqe))
		return true;
	return blocks(req, at, train->n);
}

static bool may_send(struct soro_requester *req, u64 now)
{
	if (soro_window_broken(req) || soro_window_has_error(req, req->cur))
		req->wait = SORO_WAIT_FAILED;
	else if (req->rnr_deadline_ns && now < req->rnr_deadline_ns)
		req->wait = SORO_WAIT_RNR;
	else if (req->cur == req->tail)
		req->wait = SORO_WAIT_EMPTY;
	else if (soro_recover_waits(req))
		req->wait = SORO_WAIT_HOLE;
	else
		req->wait = 0;
	return !req->wait;
}

/**
 * soro_requester_plan() - the longest train that may be sent now
 * @req: state; nothing but @req->wait changes
 * @limits: longest train
 * @more: the ring holds WQEs that were not taken yet
 * @now: monotonic ns
 * @train: filled
 *
 * Return: false if nothing can be sent; @req->wait says why.
 */
bool soro_requester_plan(struct soro_requester *req, const struct soro_train_limits *limits,
			 bool more, u64 now, struct soro_train *train)
{
	struct spot at;
	bool planned;

	memset(train, 0, sizeof(*train));
	if (!may_send(req, now))
		return false;
	at.wqe = soro_window_wqe(req, req->cur);
	at.skipped = (req->psn - at.wqe->psn) & SORO_PSN_MASK;
	at.weight = soro_window_weight(req, req->cur, req->psn);
	at.room = window_room(req, at.weight);
	at.idle = req->psn == req->una;
	at.most = soro_recover_limit(req, now);
	if (at.wqe->flags & SORO_WQE_FENCE && !at.skipped && req->reads) {
		req->wait = SORO_WAIT_FENCE;
		return false;
	}
	if (!at.skipped && !soro_credit_covers(req, at.wqe)) {
		req->wait = SORO_WAIT_CREDITS;
		return false;
	}
	train->slot = req->cur;
	train->psn = req->psn;
	train->kind = at.wqe->kind;
	if (soro_window_is_local(at.wqe))
		return plan_local(req, &at);
	train->resend = req->psn != req->nxt;
	train->offset = at.skipped * req->cfg.pmtu_bytes;
	if (soro_window_is_read(at.wqe))
		planned = plan_read(req, &at, train);
	else
		planned = plan_message(req, &at, limits, train);
	if (!planned)
		return false;
	train->bytes = payload_bytes(req, at.wqe, at.skipped, train->npsn);
	/* A READ or atomic needs no AckReq: its response is the acknowledgment. UC never asks. */
	if (!soro_window_is_read(at.wqe) && !req->cfg.unreliable)
		train->ackreq = asks(req, &at, train, more);
	return true;
}

/* The train asks for an answer, or does not. */
static void note_asked(struct soro_requester *req, const struct soro_train *train, bool is_read)
{
	if (train->ackreq || is_read) {
		req->unasked = 0;
		req->asked = req->cur;
	} else {
		req->unasked += train->npsn;
	}
}

/**
 * soro_requester_sent() - the train counts as sent
 * @req: state, as it was when the train was planned
 * @train: the train
 * @now: monotonic ns
 *
 * Moves the cursors and starts the ACK deadline. On UC that is all that happens to it: it
 * is acknowledged, however far it got.
 */
void soro_requester_sent(struct soro_requester *req, const struct soro_train *train, u64 now)
{
	const struct soro_wqe *wqe = soro_window_wqe(req, train->slot);
	u32 behind = (req->nxt - req->psn) & SORO_PSN_MASK;
	bool is_read = soro_window_is_read(wqe);

	if (behind)
		req->resent += is_read ? 1 : min(train->n, behind);
	req->psn = soro_psn_add(req->psn, train->npsn);
	if (train->npsn >= behind) {
		req->nxt = req->psn;
		req->singles = false;
	}
	if (is_read)
		req->reads++;
	if (req->psn == soro_psn_add(wqe->psn, wqe->npsn))
		req->cur = soro_window_pass(req, req->cur + 1);
	if (req->cfg.unreliable) {
		req->una = req->psn;
		req->acked = req->cur;
		return;
	}
	note_asked(req, train, is_read);
	soro_recover_sent(req, train, now);
	req->rnr_deadline_ns = 0;
	if (!req->ack_deadline_ns)
		soro_window_arm(req, now);
	else
		soro_recover_arm(req, now);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: end-to-end credits (IBA 9.7.7.2), see credit.h. Must not know: skbs, locks,
 * timers, user memory, rings; what is sent otherwise (plan.c).
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "credit.h"
#include "window.h"

#define CODE_MAX	30	/* 32768 receives; the code above says that there is no limit */

/**
 * soro_credit_code() - the largest code that promises no more than there is
 * @receives: receives posted and not consumed
 *
 * From 2 on codes stand for 2, 3, 4, 6, 8, 12 and so on: powers of two, and once and a
 * half of them.
 */
u8 soro_credit_code(u32 receives)
{
	u32 log;

	if (receives < 2)
		return receives;
	log = ilog2(receives);
	if (log > CODE_MAX / 2)
		return CODE_MAX;
	return min_t(u32, 2 * log + (receives >= 3U << (log - 1)), CODE_MAX);
}

/**
 * soro_credit_count() - receives that a code promises
 * @code: 0 to 30; 0x1f is no number
 */
u32 soro_credit_count(u8 code)
{
	return code < 2 ? code : (2U + (code & 1)) << (code / 2 - 1);
}

/* Messages before WQE @slot, from acked to the tail, that take a receive. */
static u32 takers_before(const struct soro_requester *req, u32 slot)
{
	return slot == req->tail ? req->takers : soro_window_wqe(req, slot)->takers;
}

/* Messages before WQE @slot, from acked to the tail. */
static u32 messages_before(const struct soro_requester *req, u32 slot)
{
	return slot == req->tail ? req->messages : soro_window_wqe(req, slot)->messages;
}

/*
 * The first WQE that the peer had not executed when it wrote @msn. A number that cannot
 * be is not believed: the PSN has told what is certain.
 */
static u32 first_open(const struct soro_requester *req, u32 msn)
{
	u32 done = messages_before(req, req->acked);
	u32 ahead = (msn - done) & SORO_PSN_MASK;
	u32 slot = req->acked;
	u32 missing;

	if (ahead > req->messages - done)
		return slot;
	/* As many slots on as messages are missing: what is no message lies between them. */
	while ((missing = done + ahead - messages_before(req, slot)))
		slot += missing;
	return slot;
}

/**
 * soro_credit_take() - what an AETH says about credits
 * @req: state; what the packet acknowledges is acknowledged
 * @pkt: response with an AETH that is an ACK
 *
 * An old one takes nothing away.
 *
 * Return: true if more may be sent than before.
 */
bool soro_credit_take(struct soro_requester *req, const struct soro_pkt *pkt)
{
	u8 code = pkt->syndrome & SORO_SYNDROME_VALUE;
	u32 limit;

	if (req->unlimited)
		return false;
	if (code == SORO_CREDIT_NONE) {
		req->unlimited = true;
		return true;
	}
	limit = takers_before(req, first_open(req, pkt->msn)) + soro_credit_count(code);
	if ((s32)(limit - req->limit) <= 0)
		return false;
	req->limit = limit;
	return true;
}

/**
 * soro_credit_alone() - whether a message beyond the limit may begin
 * @req: state
 * @wqe: WQE at cur
 *
 * It may if it takes no receive, or if nothing that takes one is on its way before it.
 */
bool soro_credit_alone(const struct soro_requester *req, const struct soro_wqe *wqe)
{
	return !soro_window_takes_receive(wqe) || wqe->takers == takers_before(req, req->acked);
}

/**
 * soro_credit_runs_out() - whether it is time to ask for credits
 * @req: state
 * @wqe: WQE at cur
 *
 * Once half of them are used, again after half of the rest, and always with the one behind
 * which the next would have to wait: then something is on its way that ends the wait.
 */
bool soro_credit_runs_out(const struct soro_requester *req, const struct soro_wqe *wqe)
{
	u32 next = wqe->takers + 1;
	s32 left = req->limit - next;
	s32 used = next - takers_before(req, req->asked);

	return soro_window_takes_receive(wqe) && left <= used;
}

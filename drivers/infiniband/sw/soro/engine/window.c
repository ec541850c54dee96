// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the cursors of a requester: what is acknowledged, what is in flight,
 * going back, what progress means for window, retries and deadline. Must not
 * know: packets, skbs, locks, timers.
 *
 * Order of cursors in PSNs: una <= psn <= nxt <= end, less than 2^23 from una
 * to nxt; in WQEs: head <= acked <= cur <= tail.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "recover.h"
#include "window.h"

/**
 * soro_window_weight() - position of a PSN in the measure of the window
 * @req: state
 * @slot: WQE that contains @psn, or the tail
 * @psn: PSN
 *
 * Positions are payload bytes plus a constant per packet, summed over all
 * messages. A READ weighs what its response does. Differences of positions
 * need no counters that could drift when PSNs are sent twice.
 */
u64 soro_window_weight(const struct soro_requester *req, u32 slot, u32 psn)
{
	const struct soro_wqe *wqe;
	u32 skipped;

	if (slot == req->tail)
		return req->end_weight;
	wqe = soro_window_wqe(req, slot);
	skipped = (psn - wqe->psn) & SORO_PSN_MASK;
	return wqe->weight + (u64)skipped * (req->cfg.pmtu_bytes + SORO_WINDOW_PACKET_BYTES);
}

/**
 * soro_window_read_end() - where the wire request of a READ ends
 * @wqe: a READ, or an atomic, which is one request
 * @skipped: PSNs of the message before the one asked about
 *
 * Requests are cut at fixed places, so that one that is repeated in part never
 * spans two that the responder keeps.
 *
 * Return: PSNs of the message up to the end of the request that holds it.
 */
u32 soro_window_read_end(const struct soro_wqe *wqe, u32 skipped)
{
	return min(wqe->npsn, (skipped / SORO_READ_PSN_MAX + 1) * SORO_READ_PSN_MAX);
}

/**
 * soro_window_arm() - start the ACK deadline anew
 * @req: state; without anything in flight there is no deadline
 * @now: monotonic ns
 *
 * It grows to twice and four times the timeout while nothing comes back, which
 * IBA 9.7.6.1.3 allows: what is on its way through full queues gets time to
 * arrive before it is asked for once more.
 */
void soro_window_arm(struct soro_requester *req, u64 now)
{
	u32 shift = min(req->cfg.retry_cnt - req->retry_left, 2);

	if (!req->cfg.timeout_ns || !soro_window_flight(req))
		req->ack_deadline_ns = 0;
	else
		req->ack_deadline_ns = now + (req->cfg.timeout_ns << shift);
	soro_recover_arm(req, now);
}

/**
 * soro_window_go_back() - send again from the oldest PSN not acknowledged
 * @req: state
 *
 * The ACK deadline is left to the caller.
 */
void soro_window_go_back(struct soro_requester *req)
{
	req->psn = req->una;
	req->cur = req->acked;
	req->asked = req->acked;
	req->unasked = 0;
	req->reads = 0;
	req->singles = false;
	req->after_nak = false;
	req->proving = false;
	req->hole_bytes = 0;
	req->timed_ns = 0;
}

/**
 * soro_window_fail() - the oldest WQE not acknowledged ends in an error
 * @req: state
 * @status: enum soro_status
 */
void soro_window_fail(struct soro_requester *req, u8 status)
{
	struct soro_wqe *wqe = soro_window_wqe(req, req->acked);

	if (req->acked != req->tail && wqe->status == SORO_ST_SUCCESS)
		wqe->status = status;
	req->ack_deadline_ns = 0;
	req->probe_deadline_ns = 0;
	req->rnr_deadline_ns = 0;
}

/*
 * The window after progress by @acked. It grows as long as what is in flight, of all QPs
 * that share the path, does not wait in queues for so long that it comes near the ACK
 * timeout: a queue that is longer than that ends in retries of what is not lost.
 */
static u32 next_window(const struct soro_requester *req, u64 acked)
{
	u64 queued_ns = req->srtt_ns - min(req->srtt_ns, req->rtt_min_ns);
	u64 most_ns = req->cfg.timeout_ns / 4;

	if (!most_ns || queued_ns <= most_ns / 2)
		return min_t(u64, req->window_bytes + acked, SORO_WINDOW_MAX_BYTES);
	if (queued_ns <= most_ns)
		return req->window_bytes;
	return max_t(s64, req->window_bytes - (s64)acked / 2, SORO_WINDOW_MIN_BYTES);
}

/*
 * Progress from @una: retries are counted from here anew (IBA 9.7.5), the window
 * follows, and what was acknowledged while it waited to be sent again is not sent.
 */
static void progress(struct soro_requester *req, u32 una, u64 weight, u64 now)
{
	u32 ahead = (req->psn - una) & SORO_PSN_MASK;
	u32 step = (req->una - una) & SORO_PSN_MASK;
	u64 acked = soro_window_weight(req, req->acked, req->una) - weight;
	bool jumped = ahead < step;

	if (jumped) {
		req->psn = req->una;
		req->cur = req->acked;
	}
	if ((s32)(req->asked - req->acked) < 0)
		req->asked = req->acked;
	if (req->una == req->nxt)
		req->unasked = 0;
	soro_recover_progress(req, jumped, now);
	if (req->psn == req->nxt)
		req->singles = false;
	req->window_bytes = next_window(req, acked);
	req->retry_left = req->cfg.retry_cnt;
	req->rnr_left = req->cfg.rnr_retry;
	req->implied = false;
	req->nacked = false;
	req->rnr_deadline_ns = 0;
	soro_window_arm(req, now);
}

/**
 * soro_window_ack_to() - everything before a PSN is acknowledged
 * @req: state
 * @psn: PSN, from una to nxt
 * @now: monotonic ns
 *
 * Only its data acknowledges a READ or atomic: the walk ends there. It ends as well at a
 * WQE that failed locally.
 *
 * Return: true if all of it was acknowledged, false if una stands at a READ
 * that misses data.
 */
bool soro_window_ack_to(struct soro_requester *req, u32 psn, u64 now)
{
	u64 weight = soro_window_weight(req, req->acked, req->una);
	u32 una = req->una;
	bool missing = false;

	while (req->una != psn) {
		const struct soro_wqe *wqe = soro_window_wqe(req, req->acked);
		u32 left = wqe->npsn - ((req->una - wqe->psn) & SORO_PSN_MASK);
		u32 step = min(left, (psn - req->una) & SORO_PSN_MASK);

		if (wqe->status != SORO_ST_SUCCESS)
			break;
		missing = soro_window_is_read(wqe);
		if (missing)
			break;
		req->una = soro_psn_add(req->una, step);
		if (step == left)
			req->acked = soro_window_pass(req, req->acked + 1);
	}
	if (req->una != una)
		progress(req, una, weight, now);
	return !missing;
}

/* Wire requests of @wqe that end in the next @n PSNs and were sent since the last go-back. */
static u32 reads_ended(const struct soro_requester *req, const struct soro_wqe *wqe, u32 n)
{
	u32 skipped = (req->una - wqe->psn) & SORO_PSN_MASK;
	u32 end = soro_window_read_end(wqe, skipped);
	u32 ended = 0;

	while (end <= skipped + n && end - skipped <= soro_window_ahead(req)) {
		ended++;
		if (end == wqe->npsn)
			break;
		end = soro_window_read_end(wqe, end);
	}
	return ended;
}

/**
 * soro_window_ack_read() - data of the READ or atomic at una arrived
 * @req: state
 * @n: PSNs, not beyond the end of the READ
 * @now: monotonic ns
 */
void soro_window_ack_read(struct soro_requester *req, u32 n, u64 now)
{
	const struct soro_wqe *wqe = soro_window_wqe(req, req->acked);
	u64 weight = soro_window_weight(req, req->acked, req->una);
	u32 left = wqe->npsn - ((req->una - wqe->psn) & SORO_PSN_MASK);
	u32 una = req->una;

	req->reads -= min(req->reads, reads_ended(req, wqe, n));
	req->una = soro_psn_add(una, n);
	if (n >= left)
		req->acked = soro_window_pass(req, req->acked + 1);
	progress(req, una, weight, now);
}

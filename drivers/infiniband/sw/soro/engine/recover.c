// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: how a requester finds out about losses before the user's timeout, and how
 * much it sends again (go-back-N of IBA 9.7.5, made cheap). Must not know: packets.
 *
 * Probe. When nothing has come back for a few round trips, the oldest packet that is
 * not acknowledged goes out once more and asks for an ACK. It costs no retry and
 * leaves the user's timeout as it is; it comes again after twice the time.
 *
 * Hole. A peer that acknowledged more than was sent again after its NAK keeps what
 * arrives out of order (IBA lets it; a responder of soro does). It is sent the
 * beginning of what is missing, and more only if that was not enough.
 *
 * Path mark. When trains failed twice in a row and single packets got through, the
 * path is one that damages trains, such as a NIC below a bridge that cuts them with
 * one IP identification for all. For a while everything goes in single packets,
 * then a train of two is tried.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "recover.h"
#include "window.h"

#define PROBE_MIN_NS		4000000ULL
#define PROBE_SHIFT_MAX		6
#define READ_PROBE_SHIFT	2	/* asking for a READ again repeats all of its data */
#define MARK_NS			10000000000ULL
#define MARK_FAILURES		2

/* ---- probe ---- */

static u64 probe_interval(const struct soro_requester *req)
{
	return max(2 * req->srtt_ns + 4 * req->rttvar_ns, PROBE_MIN_NS);
}

/**
 * soro_recover_probes() - whether a lost tail will be found by a probe in good time
 * @req: state
 *
 * Then the last message needs not ask for an ACK that nobody waits for. Never when
 * the user's timeout could come first and cost a retry for nothing.
 */
bool soro_recover_probes(const struct soro_requester *req)
{
	return req->srtt_ns && 2 * probe_interval(req) <= req->cfg.timeout_ns;
}

/**
 * soro_recover_arm() - start the probe deadline anew
 * @req: state; without anything in flight, or an ACK timeout, there is none
 * @now: monotonic ns
 */
void soro_recover_arm(struct soro_requester *req, u64 now)
{
	u32 shift = min_t(u32, req->probes, PROBE_SHIFT_MAX);

	req->probe_deadline_ns = 0;
	if (!req->srtt_ns || !req->cfg.timeout_ns || !soro_window_flight(req))
		return;
	if (soro_window_is_read(soro_window_wqe(req, req->acked)))
		shift += READ_PROBE_SHIFT;
	req->probe_deadline_ns = now + (probe_interval(req) << shift);
}

/**
 * soro_recover_probe() - nothing came back for a while: ask
 * @req: state, with something in flight
 * @now: monotonic ns
 */
void soro_recover_probe(struct soro_requester *req, u64 now)
{
	req->probed++;
	if (req->probes < U8_MAX)
		req->probes++;
	soro_window_go_back(req);
	soro_recover_oldest(req);
	soro_recover_arm(req, now);
}

/**
 * soro_recover_oldest() - only the oldest packet goes out before something comes back
 * @req: state, gone back to una
 *
 * With each answer the next piece is twice as long. Whatever else is in flight may only be late: to
 * send all of it again, timeout by timeout, would make what delays it worse.
 */
void soro_recover_oldest(struct soro_requester *req)
{
	req->singles = true;
	req->hole_bytes = req->cfg.pmtu_bytes;
	req->hole_end = soro_psn_add(req->una, 1);
}

/* RFC 6298, in ns. Whoever was sent twice is not timed (Karn). */
static void sample(struct soro_requester *req, u64 now)
{
	u64 rtt = max(now - req->timed_ns, 1ULL);
	u64 off = rtt > req->srtt_ns ? rtt - req->srtt_ns : req->srtt_ns - rtt;

	req->rtt_min_ns = min(req->rtt_min_ns, rtt);
	if (!req->srtt_ns) {
		req->srtt_ns = rtt;
		req->rttvar_ns = rtt / 2;
		return;
	}
	req->rttvar_ns = (3 * req->rttvar_ns + off) / 4;
	req->srtt_ns = (7 * req->srtt_ns + rtt) / 8;
}

/* ---- hole ---- */

static u32 hole_psns(const struct soro_requester *req)
{
	return max(req->hole_bytes / req->cfg.pmtu_bytes, 1U);
}

/**
 * soro_recover_hole() - the peer misses what begins at una: how much is sent again
 * @req: state, gone back to una
 */
void soro_recover_hole(struct soro_requester *req)
{
	req->hole_bytes = req->keeps && req->cfg.timeout_ns ? SORO_WINDOW_MIN_BYTES : 0;
	req->hole_end = soro_psn_add(req->una, hole_psns(req));
}

/* PSNs that may be sent again before something comes back. */
static u32 hole_left(const struct soro_requester *req)
{
	s32 left = soro_psn_diff(req->hole_end, req->psn);

	return left > 0 ? left : 0;
}

static bool in_hole(const struct soro_requester *req)
{
	return req->hole_bytes && req->psn != req->nxt;
}

/**
 * soro_recover_waits() - whether enough was sent again to wait for an answer
 * @req: state
 */
bool soro_recover_waits(const struct soro_requester *req)
{
	return in_hole(req) && !hole_left(req);
}

/**
 * soro_recover_asks() - whether a train must ask for an ACK because nothing follows it
 * @req: state
 * @train: planned
 */
bool soro_recover_asks(const struct soro_requester *req, const struct soro_train *train)
{
	return in_hole(req) && train->npsn >= hole_left(req);
}

/* What is still in flight behind the hole is not sent again; READs are. */
static void skip_to_new(struct soro_requester *req)
{
	while (req->cur != req->tail && !soro_window_has_error(req, req->cur)) {
		const struct soro_wqe *wqe = soro_window_wqe(req, req->cur);
		u32 end = soro_psn_add(wqe->psn, wqe->npsn);

		if (req->psn == req->nxt || soro_window_is_read(wqe))
			return;
		if (soro_psn_diff(end, req->nxt) > 0) {
			req->psn = req->nxt;
			return;
		}
		req->psn = end;
		req->cur = soro_window_pass(req, req->cur + 1);
	}
}

/* ---- path mark ---- */

/**
 * soro_recover_limit() - packets of the longest train that may go now
 * @req: state; soro_recover_waits() is false
 * @now: monotonic ns
 */
u32 soro_recover_limit(const struct soro_requester *req, u64 now)
{
	u32 most = U32_MAX;

	if (req->singles && req->psn != req->nxt)
		most = 1;
	else if (req->marked_until_ns)
		most = now < req->marked_until_ns ? 1 : 2;
	return in_hole(req) ? min(most, hole_left(req)) : most;
}

static void mark(struct soro_requester *req, u64 now)
{
	req->marked_until_ns = now + MARK_NS;
	req->marks++;
	req->failures = 0;
	req->proving = false;
}

static bool train_in_flight(const struct soro_requester *req)
{
	return req->trains && soro_psn_diff(req->trains_end, req->una) > 0;
}

/**
 * soro_recover_lost() - something from una on was lost; the requester has gone back
 * @req: state
 * @now: monotonic ns
 */
void soro_recover_lost(struct soro_requester *req, u64 now)
{
	bool was_train = train_in_flight(req);

	req->trains = false;
	if (!was_train)
		return;
	if (req->marked_until_ns) {
		mark(req, now);
	} else if (++req->failures >= MARK_FAILURES) {
		req->singles = true;
		req->proving = true;
		req->proof_end = req->nxt;
	}
}

/* What was sent in trains, or in single packets instead, has arrived. */
static void learn(struct soro_requester *req, u64 now)
{
	if (req->proving && soro_psn_diff(req->una, req->proof_end) >= 0) {
		mark(req, now);
	} else if (req->trains && !train_in_flight(req)) {
		req->trains = false;
		req->failures = 0;
		req->marked_until_ns = 0;
	}
}

/* ---- both ---- */

/**
 * soro_recover_sent() - a train counts as sent
 * @req: state; its cursors have moved past the train
 * @train: the train
 * @now: monotonic ns
 */
void soro_recover_sent(struct soro_requester *req, const struct soro_train *train, u64 now)
{
	if (train->n > 1 && !req->trains) {
		req->trains = true;
		req->trains_end = soro_psn_add(train->psn, train->npsn);
	}
	if (train->resend || req->timed_ns)
		return;
	if (train->ackreq || soro_window_is_read(soro_window_wqe(req, train->slot))) {
		req->timed_ns = now;
		req->timed_psn = train->psn;
	}
}

/**
 * soro_recover_progress() - una moved
 * @req: state
 * @jumped: beyond what was sent again
 * @now: monotonic ns
 */
void soro_recover_progress(struct soro_requester *req, bool jumped, u64 now)
{
	if (req->timed_ns && soro_psn_diff(req->una, req->timed_psn) > 0) {
		sample(req, now);
		req->timed_ns = 0;
	}
	if (jumped && req->after_nak)
		req->keeps = true;
	if (req->probes && !jumped && req->una != req->nxt)
		req->keeps = false;	/* it would have had the next */
	if (req->probes)
		req->singles = false;
	req->probes = 0;
	if (jumped && req->keeps && req->cfg.timeout_ns)
		skip_to_new(req);
	if (req->psn == req->nxt) {
		req->hole_bytes = 0;
	} else if (req->hole_bytes) {
		req->hole_bytes = min(2 * req->hole_bytes, (u32)SORO_WINDOW_MAX_BYTES);
		req->hole_end = soro_psn_add(req->psn, hole_psns(req));
	}
	learn(req, now);
}

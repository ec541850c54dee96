// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what a responder owes its peer and how it is cut into trains. Replies
 * are made from committed state only and stay owed until they were handed over.
 * Must not know: how requests are judged; skbs, locks, timers, user memory.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "credit.h"
#include "replies.h"
#include "../wire/psn.h"

static u32 packets_of(const struct soro_responder *rsp, u32 bytes)
{
	return bytes ? DIV_ROUND_UP(bytes, rsp->cfg.pmtu_bytes) : 1;
}

static u32 index_of(const struct soro_responder *rsp, u32 i)
{
	return (rsp->kept_head + i) % SORO_READS_MAX;
}

/**
 * soro_replies_owe_fatal() - a fatal NAK is owed and the responder is dead
 * @rsp: state
 * @psn: PSN of the request that failed
 * @fault: enum soro_fault
 *
 * The NAK goes after what was owed before the failed request. READs and atomics at
 * or after it are not answered any more: the peer takes the NAK as the end.
 */
void soro_replies_owe_fatal(struct soro_responder *rsp, u32 psn, u8 fault)
{
	u32 i;

	rsp->owed = SORO_OWE_FATAL;
	rsp->fault = fault;
	rsp->fatal_psn = psn;
	rsp->dead = true;
	for (i = 0; i < rsp->kept_count; i++) {
		u32 slot = index_of(rsp, i);
		struct soro_kept *kept = &rsp->kept[slot];

		if (soro_psn_between(psn, kept->psn, kept->end) ||
		    soro_psn_diff(kept->psn, psn) > 0)
			rsp->kept_owed &= ~BIT(slot);
	}
}

/**
 * soro_replies_full() - whether another READ or atomic breaks the agreed number
 * @rsp: state
 *
 * A peer that keeps to the number has seen the answer to the oldest one. That the
 * oldest is owed once more, for a late duplicate, is no fault of the peer.
 */
bool soro_replies_full(const struct soro_responder *rsp)
{
	return rsp->kept_count >= rsp->cfg.reads_max &&
	       !rsp->kept[index_of(rsp, 0)].answered;
}

/*
 * A repeated READ may ask for a part of the range, at the PSNs that part had
 * (IBA 9.7.5).
 */
static bool same_read(const struct soro_responder *rsp, const struct soro_kept *kept,
		      const struct soro_pkt *pkt)
{
	u32 offset = ((pkt->psn - kept->psn) & SORO_PSN_MASK) * rsp->cfg.pmtu_bytes;

	return pkt->reth.rkey == kept->rkey && pkt->reth.va == kept->va + offset &&
	       pkt->reth.len <= kept->bytes - offset && (pkt->reth.len || !kept->bytes);
}

/* An atomic or FLUSH is the same if it would act on the same place; its operands are not kept. */
static bool same_atomic(const struct soro_kept *kept, const struct soro_pkt *pkt)
{
	if (pkt->row->headers & SORO_HDR_RETH)
		return pkt->reth.va == kept->va && pkt->reth.rkey == kept->rkey;
	return pkt->atomic.va == kept->va && pkt->atomic.rkey == kept->rkey;
}

/**
 * soro_replies_find() - the kept READ or atomic that a duplicate asks for again
 * @rsp: state
 * @pkt: READ or atomic request behind the expected PSN
 *
 * Return: it, NULL if none is kept or it was another one (IBA 9.7.5: then the
 * duplicate is dropped).
 */
struct soro_kept *soro_replies_find(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	u32 i;

	/* The newest first: long READs kept may go once around all PSNs. */
	for (i = rsp->kept_count; i--; ) {
		struct soro_kept *kept = &rsp->kept[index_of(rsp, i)];
		bool same;

		if (((pkt->psn - kept->psn) & SORO_PSN_MASK) >= kept->npsn)
			continue;
		if (pkt->row->kind != kept->kind)
			return NULL;
		same = kept->kind == SORO_READ_REQ ? same_read(rsp, kept, pkt) :
						     same_atomic(kept, pkt);
		return same ? kept : NULL;
	}
	return NULL;
}

/**
 * soro_replies_keep() - a READ was accepted or an atomic executed: its answer is owed
 * @rsp: state; the oldest one kept makes room
 * @pkt: the request
 * @orig: value before a CMP_SWP or FETCH_ADD
 *
 * An ACK owed is forgotten: the answer acknowledges everything before it.
 *
 * Return: PSNs of the answer.
 */
u32 soro_replies_keep(struct soro_responder *rsp, const struct soro_pkt *pkt, u64 orig)
{
	bool has_reth = pkt->row->headers & SORO_HDR_RETH;
	struct soro_kept *kept;
	u32 slot;

	if (rsp->kept_count >= rsp->cfg.reads_max) {
		rsp->kept_owed &= ~BIT(rsp->kept_head);
		rsp->kept_head = index_of(rsp, 1);
		rsp->kept_count--;
	}
	slot = index_of(rsp, rsp->kept_count++);
	kept = &rsp->kept[slot];
	memset(kept, 0, sizeof(*kept));
	kept->kind = pkt->row->kind;
	kept->psn = pkt->psn;
	kept->va = has_reth ? pkt->reth.va : pkt->atomic.va;
	kept->rkey = has_reth ? pkt->reth.rkey : pkt->atomic.rkey;
	kept->bytes = kept->kind == SORO_READ_REQ ? pkt->reth.len : 0;
	kept->npsn = packets_of(rsp, kept->bytes);
	kept->orig = orig;
	kept->stop = kept->bytes;
	kept->end = kept->npsn;
	kept->restart = true;
	rsp->kept_owed |= BIT(slot);
	if (rsp->owed == SORO_OWE_ACK && !rsp->untold)
		rsp->owed = SORO_OWE_NOTHING;
	return kept->npsn;
}

/**
 * soro_replies_repeat() - what a duplicate asks for is owed again
 * @rsp: state
 * @pkt: the request, known to soro_replies_find()
 */
void soro_replies_repeat(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	struct soro_kept *kept = soro_replies_find(rsp, pkt);
	u32 bytes;

	if (!kept)
		return;
	bytes = kept->kind == SORO_READ_REQ ? pkt->reth.len : 0;
	kept->cursor = (pkt->psn - kept->psn) & SORO_PSN_MASK;
	kept->end = kept->cursor + packets_of(rsp, bytes);
	kept->stop = kept->cursor * rsp->cfg.pmtu_bytes + bytes;
	kept->restart = true;
	rsp->kept_owed |= BIT(kept - rsp->kept);
}

/* UDP payload bytes of a response packet; FIRST, LAST and ONLY carry an AETH. */
static u32 response_bytes(u32 payload, bool aeth)
{
	return SORO_BTH_BYTES + (aeth ? SORO_AETH_BYTES : 0) + payload +
	       soro_packet_pad(payload) + SORO_ICRC_BYTES;
}

/*
 * How many response packets from the cursor on make one train: all of one
 * length, only the last may be shorter. FIRST and MIDDLE differ by the AETH, so
 * a FIRST goes alone or with the LAST, and a LAST joins MIDDLEs if it is short.
 */
static u32 response_run(const struct soro_responder *rsp, const struct soro_kept *kept,
			const struct soro_train_limits *limits)
{
	u32 pmtu = rsp->cfg.pmtu_bytes;
	u32 left = kept->end - kept->cursor;
	u32 tail = kept->stop - (kept->end - 1) * pmtu;
	bool first = kept->restart;
	u32 full = response_bytes(pmtu, first);
	u32 n;

	if (left == 1)
		return 1;
	n = min(limits->packets, limits->bytes / full);
	if (first)
		return left == 2 && n >= 2 ? 2 : 1;
	n = clamp(n, 1U, left);
	if (n == left && response_bytes(tail, true) > full)
		n--;
	return n;
}

/* ATOMIC WRITE and FLUSH are answered by the response to a READ of no bytes (IBA A19). */
static void make_response(const struct soro_responder *rsp, u32 slot,
			  const struct soro_train_limits *limits, struct soro_reply *reply)
{
	const struct soro_kept *kept = &rsp->kept[slot];
	u32 offset = kept->cursor * rsp->cfg.pmtu_bytes;
	bool is_atomic = kept->kind == SORO_CMP_SWP || kept->kind == SORO_FETCH_ADD;

	reply->kind = is_atomic ? SORO_ATOMIC_ACK : SORO_READ_RESP;
	reply->slot = slot;
	reply->psn = soro_psn_add(kept->psn, kept->cursor);
	reply->n = response_run(rsp, kept, limits);
	reply->first = kept->restart;
	reply->last = kept->cursor + reply->n == kept->end;
	reply->syndrome = SORO_SYNDROME_ACK | rsp->credits;
	reply->orig = kept->orig;
	reply->range.va = kept->va + offset;
	reply->range.rkey = kept->rkey;
	reply->range.bytes = reply->last ? kept->stop - offset :
					   reply->n * rsp->cfg.pmtu_bytes;
}

/* Something beyond the expected PSN was dropped, and its sender does not know. */
static bool tells_of_loss(const struct soro_responder *rsp)
{
	return rsp->untold && soro_psn_diff(rsp->dropped_end, rsp->epsn) > 0;
}

static void make_ack(const struct soro_responder *rsp, struct soro_reply *reply)
{
	reply->kind = SORO_ACK;
	reply->n = 1;
	reply->psn = rsp->epsn;
	switch (rsp->owed) {
	case SORO_OWE_SEQUENCE:
		reply->syndrome = SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE;
		break;
	case SORO_OWE_RNR:
		reply->syndrome = SORO_SYNDROME_RNR | (rsp->cfg.min_rnr_timer & 0x1f);
		break;
	case SORO_OWE_FATAL:
		reply->psn = rsp->fatal_psn;
		reply->syndrome = soro_fault_row(rsp->fault)->syndrome;
		reply->fatal = true;
		reply->fault = rsp->fault;
		break;
	default:
		if (tells_of_loss(rsp)) {	/* acknowledges as well */
			reply->syndrome = SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE;
			break;
		}
		reply->psn = soro_psn_add(rsp->epsn, -1);
		reply->syndrome = SORO_SYNDROME_ACK | rsp->credits;
	}
}

/**
 * soro_responder_credits() - what ACKs and responses say about receives from now on
 * @rsp: state; until the first call the peer is told that there is no limit
 * @receives: posted and not completed, with the one in hand
 *
 * Messages that were executed have taken theirs: MSN and credits are of one moment.
 */
void soro_responder_credits(struct soro_responder *rsp, u32 receives)
{
	rsp->credits = soro_credit_code(receives);
}

/**
 * soro_responder_reply() - next reply owed, oldest PSN first
 * @rsp: state, unchanged
 * @limits: longest train
 * @reply: filled
 *
 * READ responses obey the equal-size rule. An ACK goes out only when no READ
 * response is owed, since it acknowledges them (IBA 9.7.5).
 *
 * Return: false if nothing is owed.
 */
bool soro_responder_reply(struct soro_responder *rsp, const struct soro_train_limits *limits,
			  struct soro_reply *reply)
{
	u32 i;

	if (!soro_responder_owes(rsp))
		return false;
	memset(reply, 0, sizeof(*reply));
	reply->msn = rsp->msn;
	for (i = 0; rsp->kept_owed && i < rsp->kept_count; i++) {
		u32 slot = index_of(rsp, i);

		if (rsp->kept_owed & BIT(slot)) {
			make_response(rsp, slot, limits, reply);
			return true;
		}
	}
	make_ack(rsp, reply);
	return true;
}

/**
 * soro_responder_replied() - a reply was handed over: it is owed no longer
 * @rsp: state, not changed since @reply was made
 * @reply: the reply
 */
void soro_responder_replied(struct soro_responder *rsp, const struct soro_reply *reply)
{
	struct soro_kept *kept = &rsp->kept[reply->slot];

	if (reply->kind == SORO_ACK) {
		if (reply->syndrome == (SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE))
			rsp->quiet = true;
		rsp->owed = SORO_OWE_NOTHING;
		rsp->dropped = false;
		rsp->untold = false;
		return;
	}
	kept->cursor += reply->n;
	kept->restart = false;
	if (kept->cursor >= kept->end) {
		rsp->kept_owed &= ~BIT(reply->slot);
		kept->answered = true;
	}
}

/**
 * soro_responder_unreadable() - the range of a READ response cannot be read any more
 * @rsp: state
 * @reply: the response
 *
 * The READ is owed no longer; a fatal NAK (SORO_FAULT_ACCESS) at the reply's PSN is, unless the
 * READ was answered before: a peer that has the data may have ended the key, and its duplicate
 * may only be late.
 *
 * Return: true if the NAK is owed, false if nobody hears of it.
 */
bool soro_responder_unreadable(struct soro_responder *rsp, const struct soro_reply *reply)
{
	if (rsp->kept[reply->slot].answered) {
		rsp->kept_owed &= ~BIT(reply->slot);
		return false;
	}
	soro_replies_owe_fatal(rsp, reply->psn, SORO_FAULT_ACCESS);
	return true;
}

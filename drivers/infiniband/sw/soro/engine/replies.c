// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what a responder owes its peer and how it is cut into trains. Replies
 * are made from committed state only and stay owed until they were handed over.
 * Must not know: how requests are judged; skbs, locks, timers, user memory.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "replies.h"
#include "../wire/psn.h"

static u32 packets_of(const struct soro_responder *rsp, u32 bytes)
{
	return bytes ? DIV_ROUND_UP(bytes, rsp->cfg.pmtu_bytes) : 1;
}

static u32 index_of(const struct soro_responder *rsp, u32 i)
{
	return (rsp->reads_head + i) % SORO_READS_MAX;
}

/**
 * soro_replies_owe_fatal() - a fatal NAK is owed and the responder is dead
 * @rsp: state
 * @psn: PSN of the request that failed
 * @fault: enum soro_fault
 *
 * The NAK goes after what was owed before the failed request. READs at or after
 * it are not answered any more: the peer takes the NAK as the end.
 */
void soro_replies_owe_fatal(struct soro_responder *rsp, u32 psn, u8 fault)
{
	u32 i;

	rsp->owed = SORO_OWE_FATAL;
	rsp->fault = fault;
	rsp->fatal_psn = psn;
	rsp->dead = true;
	for (i = 0; i < rsp->reads_count; i++) {
		struct soro_read *read = &rsp->reads[index_of(rsp, i)];

		if (soro_psn_between(psn, read->psn, read->end) ||
		    soro_psn_diff(read->psn, psn) > 0)
			read->owed = false;
	}
}

/**
 * soro_replies_reads_full() - whether another READ breaks the agreed number
 * @rsp: state
 *
 * A peer that keeps to the number has seen the end of the oldest READ. That the
 * oldest is owed once more, for a late duplicate, is no fault of the peer.
 */
bool soro_replies_reads_full(const struct soro_responder *rsp)
{
	return rsp->reads_count >= rsp->cfg.reads_max &&
	       !rsp->reads[index_of(rsp, 0)].answered;
}

/**
 * soro_replies_find_read() - the kept READ that a repeated one asks for again
 * @rsp: state
 * @pkt: READ request behind the expected PSN
 *
 * It may ask for a part of the range, at the PSNs that part had (IBA 9.7.5).
 *
 * Return: the READ, NULL if none is kept or it was another one.
 */
struct soro_read *soro_replies_find_read(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	u32 i;

	for (i = 0; i < rsp->reads_count; i++) {
		struct soro_read *read = &rsp->reads[index_of(rsp, i)];
		u32 skipped = (pkt->psn - read->psn) & SORO_PSN_MASK;
		u32 offset;

		if (skipped >= read->npsn)
			continue;
		offset = skipped * rsp->cfg.pmtu_bytes;
		if (pkt->reth.rkey != read->rkey || pkt->reth.va != read->va + offset ||
		    pkt->reth.len > read->bytes - offset || (!pkt->reth.len && read->bytes))
			return NULL;
		return read;
	}
	return NULL;
}

/**
 * soro_replies_keep_read() - a READ was accepted: its response is owed
 * @rsp: state; the oldest READ makes room
 * @pkt: the request
 *
 * An ACK owed is forgotten: the response acknowledges everything before it.
 *
 * Return: PSNs of the response.
 */
u32 soro_replies_keep_read(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	struct soro_read *read;

	if (rsp->reads_count >= rsp->cfg.reads_max) {
		rsp->reads_head = index_of(rsp, 1);
		rsp->reads_count--;
	}
	read = &rsp->reads[index_of(rsp, rsp->reads_count++)];
	memset(read, 0, sizeof(*read));
	read->psn = pkt->psn;
	read->npsn = packets_of(rsp, pkt->reth.len);
	read->va = pkt->reth.va;
	read->rkey = pkt->reth.rkey;
	read->bytes = pkt->reth.len;
	read->stop = read->bytes;
	read->end = read->npsn;
	read->restart = true;
	read->owed = true;
	if (rsp->owed == SORO_OWE_ACK)
		rsp->owed = SORO_OWE_NOTHING;
	return read->npsn;
}

/**
 * soro_replies_repeat_read() - what a duplicate READ asks for is owed again
 * @rsp: state
 * @pkt: the request, known to soro_replies_find_read()
 */
void soro_replies_repeat_read(struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	struct soro_read *read = soro_replies_find_read(rsp, pkt);

	if (!read)
		return;
	read->cursor = (pkt->psn - read->psn) & SORO_PSN_MASK;
	read->end = read->cursor + packets_of(rsp, pkt->reth.len);
	read->stop = read->cursor * rsp->cfg.pmtu_bytes + pkt->reth.len;
	read->restart = true;
	read->owed = true;
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
static u32 response_run(const struct soro_responder *rsp, const struct soro_read *read,
			const struct soro_train_limits *limits)
{
	u32 pmtu = rsp->cfg.pmtu_bytes;
	u32 left = read->end - read->cursor;
	u32 tail = read->stop - (read->end - 1) * pmtu;
	bool first = read->restart;
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

static void make_response(const struct soro_responder *rsp, u32 slot,
			  const struct soro_train_limits *limits, struct soro_reply *reply)
{
	const struct soro_read *read = &rsp->reads[slot];
	u32 offset = read->cursor * rsp->cfg.pmtu_bytes;

	reply->kind = SORO_READ_RESP;
	reply->slot = slot;
	reply->psn = soro_psn_add(read->psn, read->cursor);
	reply->n = response_run(rsp, read, limits);
	reply->first = read->restart;
	reply->last = read->cursor + reply->n == read->end;
	reply->syndrome = SORO_SYNDROME_ACK | SORO_CREDIT_NONE;
	reply->range.va = read->va + offset;
	reply->range.rkey = read->rkey;
	reply->range.bytes = reply->last ? read->stop - offset :
					   reply->n * rsp->cfg.pmtu_bytes;
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
		reply->psn = soro_psn_add(rsp->epsn, -1);
		reply->syndrome = SORO_SYNDROME_ACK | SORO_CREDIT_NONE;
	}
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

	memset(reply, 0, sizeof(*reply));
	reply->msn = rsp->msn;
	for (i = 0; i < rsp->reads_count; i++) {
		u32 slot = index_of(rsp, i);

		if (rsp->reads[slot].owed) {
			make_response(rsp, slot, limits, reply);
			return true;
		}
	}
	if (rsp->owed == SORO_OWE_NOTHING)
		return false;
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
	struct soro_read *read = &rsp->reads[reply->slot];

	if (reply->kind == SORO_ACK) {
		rsp->owed = SORO_OWE_NOTHING;
		return;
	}
	read->cursor += reply->n;
	read->restart = false;
	if (read->cursor >= read->end) {
		read->owed = false;
		read->answered = true;
	}
}

/**
 * soro_responder_unreadable() - the range of a READ response cannot be read any more
 * @rsp: state
 * @reply: the response
 *
 * The READ is owed no longer; a fatal NAK (SORO_FAULT_ACCESS) at the reply's PSN is.
 */
void soro_responder_unreadable(struct soro_responder *rsp, const struct soro_reply *reply)
{
	soro_replies_owe_fatal(rsp, reply->psn, SORO_FAULT_ACCESS);
}

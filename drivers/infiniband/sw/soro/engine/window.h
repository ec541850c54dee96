/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the cursors of a requester: what is acknowledged, what is in flight,
 * going back. Internal to the requester. Must not know: packets.
 */
#ifndef SORO_ENGINE_WINDOW_H
#define SORO_ENGINE_WINDOW_H

#include "requester.h"
#include "../wire/psn.h"

/* What a packet costs beside its payload, so that empty messages are bounded too. */
#define SORO_WINDOW_PACKET_BYTES	64

static inline struct soro_wqe *soro_window_wqe(const struct soro_requester *req, u32 slot)
{
	return soro_requester_slot(req, slot);
}

/**
 * soro_window_is_read() - whether a WQE is answered by data of its own
 * @wqe: the WQE
 *
 * READs, atomics and FLUSHes: an ACK does not complete them, and the peer keeps a resource
 * for each (IBA 9.7.7, max_rd_atomic). Where READs and atomics are spoken of, FLUSHes are meant
 * too.
 */
static inline bool soro_window_is_read(const struct soro_wqe *wqe)
{
	return wqe->kind == SORO_READ_REQ || wqe->kind == SORO_CMP_SWP ||
	       wqe->kind == SORO_FETCH_ADD || wqe->kind == SORO_ATOMIC_WRITE ||
	       wqe->kind == SORO_FLUSH;
}

/** soro_window_takes_receive() - whether a WQE takes a receive of the peer */
static inline bool soro_window_takes_receive(const struct soro_wqe *wqe)
{
	return wqe->kind == SORO_SEND || (wqe->kind == SORO_WRITE && wqe->flags & SORO_WQE_IMM);
}

/** soro_window_is_local() - whether a WQE sends nothing */
static inline bool soro_window_is_local(const struct soro_wqe *wqe)
{
	return wqe->kind == SORO_LOCAL;
}

/**
 * soro_window_pass() - the first WQE from @slot on that is not over without an answer
 * @req: state
 * @slot: from head to the tail
 *
 * What the driver has executed has no PSN: the cursors never rest on it.
 */
static inline u32 soro_window_pass(const struct soro_requester *req, u32 slot)
{
	while (slot != req->tail && soro_window_wqe(req, slot)->flags & SORO_WQE_EXECUTED)
		slot++;
	return slot;
}

/** soro_window_flight() - PSNs that were sent and not acknowledged */
static inline u32 soro_window_flight(const struct soro_requester *req)
{
	return (req->nxt - req->una) & SORO_PSN_MASK;
}

/** soro_window_ahead() - PSNs from the oldest not acknowledged to the next to send */
static inline u32 soro_window_ahead(const struct soro_requester *req)
{
	return (req->psn - req->una) & SORO_PSN_MASK;
}

/** soro_window_has_error() - whether WQE @slot, if it was taken, failed locally */
static inline bool soro_window_has_error(const struct soro_requester *req, u32 slot)
{
	return slot != req->tail && soro_window_wqe(req, slot)->status != SORO_ST_SUCCESS;
}

/** soro_window_broken() - an error is the next completion: the wire has no say any more */
static inline bool soro_window_broken(const struct soro_requester *req)
{
	return req->failed || soro_window_has_error(req, req->acked);
}

u64 soro_window_weight(const struct soro_requester *req, u32 slot, u32 psn);
u32 soro_window_read_end(const struct soro_wqe *wqe, u32 skipped);
void soro_window_go_back(struct soro_requester *req);
void soro_window_arm(struct soro_requester *req, u64 now);
void soro_window_fail(struct soro_requester *req, u8 status);
bool soro_window_ack_to(struct soro_requester *req, u32 psn, u64 now);
void soro_window_ack_read(struct soro_requester *req, u32 n, u64 now);

#endif

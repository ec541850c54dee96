/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: end-to-end credits (IBA 9.7.7.2): how many receives a code stands for, and
 * the limit up to which a requester may send messages that take one. Internal to
 * the engine. Must not know: rings, trains, time.
 *
 * An AETH says: that many messages were executed (MSN), and so many receives are
 * posted for those that follow. Their sum is the limit sequence number, LSN. SENDs and
 * WRITEs with immediate data beyond it wait; only one of them may be on its way
 * without a credit, it asks for an ACK, and that, or an RNR NAK, tells how things are. A
 * new connection has no credits yet: its first message is such a one. All other
 * operations take no receive and never wait.
 *
 * Here the limit counts messages that take a receive, and no others. That is the LSN
 * where every message takes one, and it never holds up a SEND for WRITEs that are
 * on their way before it.
 */
#ifndef SORO_ENGINE_CREDIT_H
#define SORO_ENGINE_CREDIT_H

#include "requester.h"

u8 soro_credit_code(u32 receives);
u32 soro_credit_count(u8 code);
bool soro_credit_take(struct soro_requester *req, const struct soro_pkt *pkt);
bool soro_credit_alone(const struct soro_requester *req, const struct soro_wqe *wqe);
bool soro_credit_runs_out(const struct soro_requester *req, const struct soro_wqe *wqe);

/**
 * soro_credit_covers() - whether a message may begin
 * @req: state
 * @wqe: WQE at cur
 */
static inline bool soro_credit_covers(const struct soro_requester *req, const struct soro_wqe *wqe)
{
	return (s32)(wqe->takers - req->limit) < 0 || req->unlimited || soro_credit_alone(req, wqe);
}

/**
 * soro_credit_asks() - whether a message has to ask for an ACK so that credits come in time
 * @req: state
 * @wqe: WQE at cur
 */
static inline bool soro_credit_asks(const struct soro_requester *req, const struct soro_wqe *wqe)
{
	/* More are left than there are slots: the others ask in time. */
	return !req->unlimited && (s32)(wqe->takers + req->mask + 2 - req->limit) >= 0 &&
	       soro_credit_runs_out(req, wqe);
}

#endif

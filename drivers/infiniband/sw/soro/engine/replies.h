/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a responder owes its peer: the ring of kept READs and
 * atomics, and the acknowledgment. Internal to the responder. Must not know: how
 * requests are judged.
 */
#ifndef SORO_ENGINE_REPLIES_H
#define SORO_ENGINE_REPLIES_H

#include "responder.h"

/**
 * soro_replies_owe_ack() - a positive ACK is owed
 * @rsp: state
 *
 * A NAK that is owed already says as much and more (IBA 9.7.5). UC has no ACKs, whatever
 * the peer asks for (IBA 9.8.2).
 */
static inline void soro_replies_owe_ack(struct soro_responder *rsp)
{
	if (rsp->owed == SORO_OWE_NOTHING && !rsp->cfg.unreliable)
		rsp->owed = SORO_OWE_ACK;
}

void soro_replies_owe_fatal(struct soro_responder *rsp, u32 psn, u8 fault);
bool soro_replies_full(const struct soro_responder *rsp);
struct soro_kept *soro_replies_find(struct soro_responder *rsp, const struct soro_pkt *pkt);
u32 soro_replies_keep(struct soro_responder *rsp, const struct soro_pkt *pkt, u64 orig);
void soro_replies_repeat(struct soro_responder *rsp, const struct soro_pkt *pkt);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: what a UC responder makes of losses and errors (IBA 9.8.2.2): a message that lacks
 * a packet or breaks a rule is given up in silence, and the next FIRST or ONLY begins a
 * new one, whatever its PSN. Must not know: skbs, locks, timers, user memory, rings; how a
 * packet that is in order is judged (responder.c).
 *
 * The receive WQE of a message that was given up stays in hand, for the next message.
 *
 * A network may deliver late or twice, which IBA's does not. What lies a little behind the
 * expected PSN is therefore dropped and changes nothing: messages arrive at most once and in
 * their order. It is a little only, so that a peer that sent for long while nothing arrived,
 * or that began anew, is not taken for one that is late.
 */
#include "unreliable.h"
#include "../wire/psn.h"

static bool is_late(const struct soro_responder *rsp, const struct soro_pkt *pkt)
{
	s32 ahead = soro_psn_diff(pkt->psn, rsp->epsn);

	return ahead < 0 && ahead >= -SORO_LATE_PSNS;
}

static bool opens(const struct soro_pkt *pkt)
{
	return pkt->row->pos & SORO_FIRST;
}

/**
 * soro_unreliable_give_up() - drop packets and the message that they belong to
 * @rsp: state
 * @step: the judgement on the packets
 * @reason: enum soro_drop
 */
void soro_unreliable_give_up(struct soro_responder *rsp, struct soro_rsp_step *step, u8 reason)
{
	rsp->in_message = false;
	rsp->epsn = soro_psn_add(step->pkts[step->n - 1].psn, 1);
	step->verdict = SORO_RSP_DROP;
	step->drop = reason;
}

/**
 * soro_unreliable_fail() - packets broke a rule, or could not be placed
 * @rsp: state
 * @step: the judgement on the packets, with its fault
 *
 * The peer's fault costs the message. One of the receive WQE ends the QP, as its owner
 * learns by the completion (IBA 9.9.3).
 */
void soro_unreliable_fail(struct soro_responder *rsp, struct soro_rsp_step *step)
{
	if (soro_fault_is_local(step->fault))
		rsp->dead = true;
	else
		soro_unreliable_give_up(rsp, step, SORO_DROP_REFUSED);
}

/**
 * soro_unreliable_admit() - whether the first packet is the next of a message, or opens one
 * @rsp: state; the expected PSN is that of the packet then
 * @pkts: parsed request packets
 * @n: how many, at least 1
 * @step: the judgement, if it is neither: leading packets that are dropped
 */
bool soro_unreliable_admit(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
			   struct soro_rsp_step *step)
{
	if (is_late(rsp, pkts)) {
		while (step->n < n && is_late(rsp, pkts + step->n))
			step->n++;
		step->verdict = SORO_RSP_DROP;
		step->drop = SORO_DROP_STALE;
		return false;
	}
	if (opens(pkts)) {
		rsp->in_message = false;
		rsp->epsn = pkts->psn;
		return true;
	}
	if (rsp->in_message && pkts->psn == rsp->epsn)
		return true;
	while (step->n < n && !opens(pkts + step->n))
		step->n++;
	soro_unreliable_give_up(rsp, step, SORO_DROP_SEQUENCE);
	return false;
}

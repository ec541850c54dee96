/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a UC responder makes of losses and errors. Internal to the responder.
 * Must not know: how requests are judged otherwise.
 */
#ifndef SORO_ENGINE_UNRELIABLE_H
#define SORO_ENGINE_UNRELIABLE_H

#include "responder.h"

/* So far behind the expected PSN a packet is late or a copy; further behind it is a new start. */
#define SORO_LATE_PSNS	SORO_HOLD_PSNS

bool soro_unreliable_admit(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
			   struct soro_rsp_step *step);
void soro_unreliable_give_up(struct soro_responder *rsp, struct soro_rsp_step *step, u8 reason);
void soro_unreliable_fail(struct soro_responder *rsp, struct soro_rsp_step *step);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: how a requester finds out about losses before the user's timeout, and how
 * much it sends again. Internal to the requester. Must not know: packets.
 */
#ifndef SORO_ENGINE_RECOVER_H
#define SORO_ENGINE_RECOVER_H

#include "requester.h"

bool soro_recover_probes(const struct soro_requester *req);
void soro_recover_arm(struct soro_requester *req, u64 now);
void soro_recover_sent(struct soro_requester *req, const struct soro_train *train, u64 now);
void soro_recover_lost(struct soro_requester *req, u64 now);
void soro_recover_hole(struct soro_requester *req);
void soro_recover_probe(struct soro_requester *req, u64 now);
void soro_recover_oldest(struct soro_requester *req);
void soro_recover_progress(struct soro_requester *req, bool jumped, u64 now);
u32 soro_recover_limit(const struct soro_requester *req, u64 now);
bool soro_recover_waits(const struct soro_requester *req);
bool soro_recover_asks(const struct soro_requester *req, const struct soro_train *train);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: how much of a link's output, of transports without acknowledgments, is on its
 * way.  Must not know: who sends, what is in an skb.
 */
#ifndef SORO_LINK_CHARGE_H
#define SORO_LINK_CHARGE_H

#include "link.h"

int soro_charge_open(struct soro_attach *at);
void soro_charge_close(struct soro_attach *at);
void soro_charge_skb(const struct soro_attach *at, struct sk_buff *skb);
bool soro_charge_any(const struct soro_attach *at);
bool soro_charge_full(const struct soro_attach *at);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a link's output is on its way, for what no ACK bounds: UC, UD
 * and replies.
 *
 * Owns: the transmit socket of a link. Must not know: who waits.
 */
#ifndef SORO_LINK_CHARGE_H
#define SORO_LINK_CHARGE_H

#include <linux/types.h>
#include "link.h"

struct sk_buff;

int soro_charge_open(struct soro_attach *at);
void soro_charge_shut(struct soro_attach *at);
void soro_charge_close(struct soro_attach *at);
void soro_charge_skb(const struct soro_attach *at, struct sk_buff *skb);
bool soro_charge_full(const struct soro_attach *at);
void soro_charge_init(const struct soro_link_ops *ops);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: how much of a link's output, of transports without acknowledgments, is on its
 * way, by the processor that sent it.  Must not know: who sends, what is in an skb.
 */
#ifndef SORO_LINK_CHARGE_H
#define SORO_LINK_CHARGE_H

#include "link.h"

/**
 * struct soro_charge_mark - the last that somebody sent
 * @cpu: processor that sent it
 * @backlog: number of the last skb in the backlog of this processor then
 * @sent: all that this processor had sent then, in bytes of memory
 * @when: jiffies then
 *
 * Zeroed: nothing was sent.
 */
struct soro_charge_mark {
	int cpu;
	unsigned int backlog;
	unsigned long sent;
	unsigned long when;
};

int soro_charge_open(struct soro_attach *at);
void soro_charge_close(struct soro_attach *at);
void soro_charge_skb(const struct soro_attach *at, struct sk_buff *skb);
void soro_charge_mark(const struct soro_attach *at, struct soro_charge_mark *mark);
bool soro_charge_overtakes(const struct soro_attach *at, const struct soro_charge_mark *mark);
bool soro_charge_full(const struct soro_attach *at);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: congestion notification (IBA annex A17.9): marks that arrive, and the packets
 * that tell their sender. Must not know: what a sender does about it.
 */
#ifndef SORO_RUN_CONGESTION_H
#define SORO_RUN_CONGESTION_H

#include <linux/types.h>

struct sk_buff;
struct soro_flow;
struct soro_qp;

/**
 * struct soro_congestion - what one half owes its peer
 * @owed: a notification
 * @next_ns: none before
 */
struct soro_congestion {
	bool owed;
	u64 next_ns;
};

void soro_congestion_note(struct soro_qp *qp, const struct sk_buff *skb,
			  struct soro_congestion *congestion);
void soro_congestion_notify(struct soro_qp *qp, struct soro_flow *flow,
			    struct soro_congestion *congestion);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what happens to trains between two sides: nothing, or the vices of the
 * scenario. Knows bytes only.
 */
#ifndef SIM_CHANNEL_H
#define SIM_CHANNEL_H

#include "frame.h"
#include "scenario.h"

struct delivery {
	u64 at_ns;
	u64 order;		/* among those of one moment */
	u8 from;
	struct train train;
};

struct channel {
	const struct vices *vices;
	struct rng *rng;
	u64 order;
	u64 last_ns[2];		/* per direction, to keep the order */
	u32 count, room;
	struct delivery **heap;
};

void channel_init(struct channel *ch, const struct vices *vices, struct rng *rng);
void channel_send(struct channel *ch, u8 from, struct train *train, u64 now, bool mercy);
u64 channel_next(const struct channel *ch);
struct delivery *channel_receive(struct channel *ch);
void channel_free(struct channel *ch);
void delivery_free(struct delivery *delivery);

#endif

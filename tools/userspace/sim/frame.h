/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: packets as bytes, BTH to ICRC, and the trains they travel in.
 */
#ifndef SIM_FRAME_H
#define SIM_FRAME_H

#include "wire/packet.h"

#define TRAIN_MAX	64

/* One packet; its IP and UDP headers are implied, but for what the ICRC covers. */
struct frame {
	u16 ip_id;
	u32 len;
	u8 bytes[];
};

/* Packets that are on their way together. */
struct train {
	u32 n;
	struct frame *frames[TRAIN_MAX];
};

struct frame *frame_build(const struct soro_pkt *pkt, const u8 *payload, u8 from, u16 ip_id);
struct frame *frame_copy(const struct frame *frame);
bool frame_parse(const struct frame *frame, u8 from, struct soro_pkt *pkt);

#endif

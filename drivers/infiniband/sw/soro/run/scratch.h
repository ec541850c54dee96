/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: per-CPU room for what a run of a half looks at: parsed packets, a WQE
 * being decoded.  Used with a half owned and BH off; nothing is sent, and so no
 * other half can run on this CPU, while the contents matter.
 */
#ifndef SORO_RUN_SCRATCH_H
#define SORO_RUN_SCRATCH_H

#include <linux/percpu.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <rdma/soro-abi.h>
#include "../link/link.h"
#include "../objects/ring.h"
#include "../wire/packet.h"
#include "device.h"

/**
 * struct soro_scratch - the room
 * @pkts: packets of the train at hand
 * @packet: one that is in pieces, while it is parsed
 * @wqe: private copy of a send or receive WQE
 */
struct soro_scratch {
	struct soro_pkt pkts[SORO_LINK_TRAIN_MAX];
	u8 packet[SORO_PACKET_MAX] __aligned(8);
	u8 wqe[sizeof(struct soro_abi_send_wqe) + SORO_MAX_INLINE] __aligned(8);
};

static_assert(sizeof(struct soro_abi_recv_wqe) + SORO_MAX_SGE * sizeof(struct soro_abi_sge) <=
	      sizeof_field(struct soro_scratch, wqe));

extern struct soro_scratch __percpu *soro_scratch;

/**
 * soro_scratch_wqe_bytes() - how much of a WQE is copied
 * @ring: a send or receive ring
 */
static inline u32 soro_scratch_wqe_bytes(const struct soro_ring *ring)
{
	return min_t(u32, soro_ring_elem_bytes(ring), sizeof_field(struct soro_scratch, wqe));
}

int soro_scratch_init(void);
void soro_scratch_exit(void);

#endif

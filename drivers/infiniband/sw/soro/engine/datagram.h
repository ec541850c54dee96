/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the rules of datagrams (UD, and GSI with its MADs): what may be sent, what is
 * taken.  Must not know: skbs, addresses, rings, address handles.
 */
#ifndef SORO_ENGINE_DATAGRAM_H
#define SORO_ENGINE_DATAGRAM_H

#include <linux/types.h>
#include "fault.h"
#include "../wire/packet.h"

#define SORO_GRH_BYTES		40		/* room for the network header, IBA 11.4.1.2 */
#define SORO_MULTICAST_QPN	0xffffffU	/* destination of every multicast, IBA 10.5.2 */
#define SORO_GSI_QPN		1U
#define SORO_MAD_BYTES		256U		/* IBA 13.4.2 */

/**
 * struct soro_datagram - what a QP of datagrams knows
 * @qkey: of the QP
 * @psn: of the next packet sent
 * @mads: takes MADs only (GSI)
 */
struct soro_datagram {
	u32 qkey;
	u32 psn;
	bool mads;
};

enum soro_drop soro_datagram_check(const struct soro_datagram *dg, const struct soro_pkt *pkt,
				   u32 payload_max);
u8 soro_datagram_sendable(u8 kind, u64 bytes, u32 payload_max);
u32 soro_datagram_qkey(const struct soro_datagram *dg, u32 qkey);
u32 soro_datagram_psn(struct soro_datagram *dg);

#endif

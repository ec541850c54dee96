/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packets of a received train, one by one.
 *
 * Owns: where bytes are in an skb, and the proof that they are those that were
 * sent. Must not know: QPs, sockets.
 */
#ifndef SORO_LINK_RECEIVE_H
#define SORO_LINK_RECEIVE_H

#include <linux/skbuff.h>
#include "../wire/drop.h"
#include "../wire/packet.h"
#include "link.h"
#include "socket.h"

enum soro_drop soro_receive_packet(struct sk_buff *skb, u32 i, bool check_icrc,
				   struct soro_pkt *pkt);
const u8 *soro_receive_span(const struct sk_buff *skb, u32 offset, u32 *bytes);

#endif

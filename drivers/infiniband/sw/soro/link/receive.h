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
#include "../wire/icrc.h"
#include "../wire/packet.h"
#include "link.h"
#include "socket.h"

/**
 * struct soro_receiver - a train that is being taken apart
 * @skb: the train
 * @room: for a packet that is in pieces
 * @before: a packet that most of those that follow look like, or NULL
 * @heads: known beginnings of ICRCs
 * @check_icrc: drop what does not match its ICRC
 */
struct soro_receiver {
	struct sk_buff *skb;
	u8 *room;
	const struct soro_pkt *before;
	struct soro_icrc_heads *heads;
	bool check_icrc;
};

void soro_receive_begin(struct soro_receiver *r, struct sk_buff *skb, bool check_icrc, u8 *room,
			struct soro_icrc_heads *heads);
enum soro_drop soro_receive_packet(struct soro_receiver *r, u32 i, struct soro_pkt *pkt);

#endif

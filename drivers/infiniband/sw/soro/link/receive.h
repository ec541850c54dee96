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

/**
 * struct soro_receiver - a train that is being taken apart
 * @skb: the train
 * @room: for a packet that is in pieces
 * @before: a packet that most of those that follow look like, or NULL
 * @head_bth: beginning of the packet that @head is for
 * @head_bytes: its length, 0 = none
 * @head: state of the ICRC behind the head of such packets, with identification 0
 * @check_icrc: drop what does not match its ICRC
 */
struct soro_receiver {
	struct sk_buff *skb;
	u8 *room;
	const struct soro_pkt *before;
	u64 head_bth;
	u32 head_bytes;
	u32 head;
	bool check_icrc;
};

void soro_receive_begin(struct soro_receiver *r, struct sk_buff *skb, bool check_icrc, u8 *room);
enum soro_drop soro_receive_packet(struct soro_receiver *r, u32 i, struct soro_pkt *pkt);

#endif

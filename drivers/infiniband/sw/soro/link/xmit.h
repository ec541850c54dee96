/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending: flows, buffers, super-packets.
 *
 * Owns: routes, IP and UDP headers, GSO. Must not know: QPs, what is in a
 * packet between BTH and ICRC.
 *
 * One train, by the owner of a flow, in one RCU section with BH off:
 *
 *	soro_xmit_route(flow, at);
 *	room = soro_xmit_train_bytes(flow, at, link, &packets);
 *	soro_xmit_alloc(&tx, n, bytes, GFP_ATOMIC);
 *	... write headers, payload, pads at tx.data, gaps for the ICRCs ...
 *	soro_xmit_finish(&tx, flow, n, seg_bytes);
 *	... drop locks ...
 *	soro_xmit_send(at, tx.skb);
 */
#ifndef SORO_LINK_XMIT_H
#define SORO_LINK_XMIT_H

#include <linux/gfp.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/types.h>
#include "../wire/icrc.h"
#include "link.h"

struct dst_entry;
struct sk_buff;
union ib_gid;

/**
 * struct soro_flow - a path from one of our addresses to a peer's
 * @saddr: source, v4-mapped for IPv4
 * @daddr: destination, v4-mapped for IPv4
 * @dst: cached route, held; the fence takes it away
 * @dst_cookie: for dst_check() (IPv6)
 * @link: whose list of flows @node is in; NULL as long as there was no route
 * @node: in @link->flows
 * @oif: index of the netdev that has the source address
 * @flow_label: 20 bits, IPv6
 * @generation: of the netdevs' features when @trains was found
 * @sport: UDP source port
 * @ip_id: identification of the next packet, IPv4
 * @tos: ToS or traffic class
 * @hop_limit: TTL or hop limit asked for, 0 for the default of the route
 * @ttl: TTL or hop limit to send
 * @v6: IPv6
 * @trains: the path takes super-packets
 * @sent: known beginnings of ICRCs that are sent
 * @received: of those that come back
 *
 * A flow belongs to one owner at a time (a QP half, an AH under its lock).
 */
struct soro_flow {
	struct in6_addr saddr;
	struct in6_addr daddr;
	struct dst_entry *dst;
	u32 dst_cookie;
	struct soro_link *link;
	struct list_head node;
	int oif;
	u32 flow_label;
	u32 generation;
	u16 sport;
	u16 ip_id;
	u8 tos;
	u8 hop_limit;
	u8 ttl;
	bool v6;
	bool trains;
	struct soro_icrc_heads sent;
	struct soro_icrc_heads received;
};

/**
 * struct soro_tx - a train under construction
 * @skb: the buffer
 * @data: UDP payload: all packets, BTH to ICRC, back to back; linear and not zeroed
 * @bytes: length of @data
 */
struct soro_tx {
	struct sk_buff *skb;
	u8 *data;
	u32 bytes;
};

void soro_flow_init(struct soro_flow *flow, const union ib_gid *sgid, const union ib_gid *dgid,
		    int sgid_ndev_ifindex, u8 traffic_class, u8 hop_limit, u32 flow_label,
		    u16 sport);
void soro_flow_fini(struct soro_flow *flow);

int soro_xmit_route(struct soro_flow *flow, const struct soro_attach *at);
u32 soro_xmit_train_bytes(const struct soro_flow *flow, const struct soro_attach *at,
			  const struct soro_link *link, u32 *packets);
int soro_xmit_alloc(struct soro_tx *tx, u32 packets, u32 bytes, gfp_t gfp);
void soro_xmit_free(struct soro_tx *tx);
void soro_xmit_exit(void);
int soro_xmit_finish(struct soro_tx *tx, struct soro_flow *flow, u32 packets, u32 seg_bytes);
int soro_xmit_send(const struct soro_attach *at, struct sk_buff *skb);

void soro_xmit_flush(struct soro_link *link);
void soro_xmit_features_changed(void);

#endif

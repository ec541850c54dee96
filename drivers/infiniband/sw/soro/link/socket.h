/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive sockets: one set per network namespace, and the train that comes
 * out of them.
 *
 * Owns: UDP port 4791, struct soro_rx. Must not know: netdevs' fates, QPs.
 */
#ifndef SORO_LINK_SOCKET_H
#define SORO_LINK_SOCKET_H

#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ipv6.h>
#include "link.h"

struct socket;

/**
 * struct soro_netns - what soro has in one namespace
 * @net: the namespace
 * @links: links that use the sockets; guarded by the mutex of netdev.c
 * @sock4: UDP socket for IPv4
 * @sock6: UDP socket for IPv6, NULL where there is no IPv6
 */
struct soro_netns {
	struct net *net;
	u32 links;
	struct socket *sock4;
	struct socket *sock6;
};

/**
 * struct soro_rx - geometry of a received train, in skb->cb
 * @bytes: UDP payload of the train; skb->data is at its first byte, the BTH of
 *	the first packet
 * @qpn: destination QPN of the first BTH, not verified by any ICRC
 * @seg_bytes: length of each packet but the last, BTH to ICRC
 * @packets: 1 to %SORO_LINK_TRAIN_MAX
 * @sport: UDP source port
 * @ip_id: identification of the first packet (IPv4)
 * @tos: ToS or traffic class, with the ECN bits
 * @opcode: of the first BTH, not verified
 * @v6: IPv6
 * @trusted: made in software on this host and never on a wire
 * @fixed_id: all packets carry @ip_id; found out by soro_receive_packet()
 * @kept: it was kept, and is looked at again; of whoever keeps the train
 * @skip: leading packets that are done with; of whoever keeps the train
 * @psn: of the packet after those; of whoever keeps the train
 *
 * Length and headers agree, every packet is at least BTH and ICRC long, no
 * packet exceeds %SORO_PACKET_MAX. skb_network_header() is the IP header, 20
 * bytes of IPv4 or 40 of IPv6. Payload may be anywhere in the skb. skb->dev is
 * NULL.
 */
struct soro_rx {
	u32 bytes;
	u32 qpn;
	u16 seg_bytes;
	u16 packets;
	u16 sport;
	u16 ip_id;
	u8 tos;
	u8 opcode;
	bool v6;
	bool trusted;
	bool fixed_id;
	bool kept;
	u16 skip;
	u32 psn;
};

/**
 * soro_rx() - geometry of a train
 * @skb: as given to deliver()
 */
static inline struct soro_rx *soro_rx(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct soro_rx) > sizeof(skb->cb));
	return (struct soro_rx *)skb->cb;
}

/**
 * soro_rx_saddr() - source address of a train
 * @skb: as given to deliver()
 * @addr: result, an IPv4 address as a v4-mapped one, like a GID
 */
static inline void soro_rx_saddr(const struct sk_buff *skb, struct in6_addr *addr)
{
	if (soro_rx(skb)->v6)
		*addr = ipv6_hdr(skb)->saddr;
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, addr);
}

/**
 * soro_rx_daddr() - destination address of a train
 * @skb: as given to deliver()
 * @addr: result, an IPv4 address as a v4-mapped one, like a GID
 */
static inline void soro_rx_daddr(const struct sk_buff *skb, struct in6_addr *addr)
{
	if (soro_rx(skb)->v6)
		*addr = ipv6_hdr(skb)->daddr;
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, addr);
}

struct soro_netns *soro_socket_get(struct net *net);
void soro_socket_put(struct soro_netns *ns);
int soro_socket_init(const struct soro_link_ops *ops);
void soro_socket_exit(void);

#endif

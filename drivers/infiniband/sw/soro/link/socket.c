// SPDX-License-Identifier: GPL-2.0
/*
 * Receive sockets of each network namespace, and what comes out of them.
 *
 * Owns: UDP port 4791, the hook that keeps trains whole, the first look at a
 * datagram. Must not know: QPs, what a packet says.
 *
 * The stack segments a GSO skb before it shows it to a tunnel socket, unless it
 * is marked as the GSO skb of a tunnel. A hook at the end of LOCAL_IN, after every
 * rule of the firewall, puts that mark on the trains of our port. It exists only
 * in namespaces with a link.
 */
#define pr_fmt(fmt) "soro: " fmt

#include <linux/err.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/unaligned.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp_tunnel.h>
#include "../wire/packet.h"
#include "socket.h"

#define UDP_BYTES	sizeof(struct udphdr)
#define PACKET_MIN	(SORO_BTH_BYTES + SORO_ICRC_BYTES)

static unsigned int netns_id __read_mostly;
static const struct soro_link_ops *link_ops __read_mostly;

/* The IP header is whole, simple and says the same as the UDP header. */
static bool read_ip4(const struct sk_buff *skb, struct soro_rx *rx)
{
	const struct iphdr *iph = ip_hdr(skb);

	if (iph->ihl != sizeof(*iph) / 4 || ip_is_fragment(iph) || IPCB(skb)->frag_max_size)
		return false;
	if (ntohs(iph->tot_len) != sizeof(*iph) + skb->len)
		return false;
	rx->ip_id = ntohs(iph->id);
	rx->tos = iph->tos;
	return true;
}

static bool read_ip6(const struct sk_buff *skb, struct soro_rx *rx)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	if (ip6h->nexthdr != IPPROTO_UDP || IP6CB(skb)->frag_max_size ||
	    IP6CB(skb)->flags & IP6SKB_FRAGMENTED)
		return false;
	if (ntohs(ip6h->payload_len) != skb->len)
		return false;
	rx->v6 = true;
	rx->tos = ipv6_get_dsfield(ip6h);
	return true;
}

/* Where one packet ends and the next begins. */
static enum soro_drop read_geometry(const struct sk_buff *skb, struct soro_rx *rx)
{
	u32 last;

	rx->bytes = skb->len - UDP_BYTES;
	rx->seg_bytes = rx->bytes;
	rx->packets = 1;
	if (skb_is_gso(skb)) {
		/* Other kinds are cut into fragments, not into datagrams. */
		if (!(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
			return SORO_DROP_FRAGMENT;
		rx->seg_bytes = skb_shinfo(skb)->gso_size;
	}
	if (rx->seg_bytes < PACKET_MIN || rx->bytes < PACKET_MIN)
		return SORO_DROP_SHORT;
	if (rx->seg_bytes > SORO_PACKET_MAX)
		return SORO_DROP_LENGTH;

	rx->packets = DIV_ROUND_UP(rx->bytes, rx->seg_bytes);
	if (rx->packets > SORO_LINK_TRAIN_MAX)
		return SORO_DROP_LENGTH;
	last = rx->bytes - (rx->packets - 1) * rx->seg_bytes;
	return last < PACKET_MIN ? SORO_DROP_SHORT : SORO_DROP_NONE;
}

/*
 * Only lo is certain to carry nothing but what this host made; a veth may stand
 * behind a bridge to a wire, where GRO leaves CHECKSUM_PARTIAL too.
 */
static bool made_here(const struct sk_buff *skb)
{
	return skb->ip_summed == CHECKSUM_PARTIAL && skb->dev && skb->dev->flags & IFF_LOOPBACK &&
	       !(skb_shinfo(skb)->gso_type & SKB_GSO_DODGY);
}

static enum soro_drop read_train(const struct sk_buff *skb, bool v6, struct soro_rx *rx)
{
	const struct udphdr *uh = udp_hdr(skb);
	u8 buf[SORO_BTH_BYTES];
	enum soro_drop why;
	const u8 *bth;

	if (skb->len < UDP_BYTES || skb->len > U16_MAX || ntohs(uh->len) != skb->len ||
	    skb_network_header_len(skb) !=
		    (v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)))
		return SORO_DROP_FRAGMENT;
	if (!(v6 ? read_ip6(skb, rx) : read_ip4(skb, rx)))
		return SORO_DROP_FRAGMENT;
	why = read_geometry(skb, rx);
	if (why)
		return why;

	bth = skb_header_pointer(skb, UDP_BYTES, SORO_BTH_BYTES, buf);
	if (!bth)
		return SORO_DROP_SHORT;
	rx->opcode = bth[0];
	rx->qpn = get_unaligned_be24(bth + 5);
	rx->sport = ntohs(uh->source);
	rx->trusted = made_here(skb);
	return SORO_DROP_NONE;
}

/* encap_rcv: softirq, under RCU, skb->data at the UDP header. Consumes. */
static int receive(struct sock *sk, struct sk_buff *skb)
{
	struct net *net = sock_net(sk);
	struct soro_rx rx = {};
	enum soro_drop why;

	why = read_train(skb, sk->sk_family == AF_INET6, &rx);

	/* It may wait in an inbox for longer than these live. */
	/* nothing that waits may hold a netdev or a namespace */
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	secpath_reset(skb);
	skb->dev = NULL;
	if (unlikely(why)) {
		link_ops->drop(net, skb, why);
		return 0;
	}
	__skb_pull(skb, UDP_BYTES);
	*soro_rx(skb) = rx;
	link_ops->deliver(net, skb);
	return 0;
}

#ifdef CONFIG_NETFILTER
/* skb->data is at the IP header; @offset is that of the transport header from there. */
static unsigned int mark(struct sk_buff *skb, int offset)
{
	const struct udphdr *uh;
	struct udphdr buf;

	uh = skb_header_pointer(skb, skb_network_offset(skb) + offset, sizeof(buf), &buf);
	if (!uh || uh->dest != htons(SORO_LINK_PORT))
		return NF_ACCEPT;
	/* Without memory for an own copy of the mark: it gets segmented, not lost. */
	if (!skb_unclone(skb, GFP_ATOMIC))
		skb_shinfo(skb)->gso_type |= SKB_GSO_UDP_TUNNEL_CSUM;
	return NF_ACCEPT;
}

static bool is_train(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4;
}

static unsigned int mark4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (!is_train(skb) || ip_hdr(skb)->protocol != IPPROTO_UDP)
		return NF_ACCEPT;
	return mark(skb, ip_hdrlen(skb));
}

static unsigned int mark6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (!is_train(skb) || ipv6_hdr(skb)->nexthdr != IPPROTO_UDP)
		return NF_ACCEPT;
	return mark(skb, sizeof(struct ipv6hdr));
}

static const struct nf_hook_ops mark_hooks[] = {
	{
		.hook		= mark4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_CONNTRACK_CONFIRM - 1,
	},
	{
		.hook		= mark6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_LAST - 1,
	},
};

static int add_hooks(struct net *net)
{
	return nf_register_net_hooks(net, mark_hooks, ARRAY_SIZE(mark_hooks));
}

static void del_hooks(struct net *net)
{
	nf_unregister_net_hooks(net, mark_hooks, ARRAY_SIZE(mark_hooks));
}
#else
static int add_hooks(struct net *net)
{
	return 0;
}

static void del_hooks(struct net *net)
{
}
#endif

static struct socket *open_socket(struct net *net, u8 family)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = receive,
	};
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(SORO_LINK_PORT),
		.ipv6_v6only = true,
	};
	struct socket *sock;
	int err;

	/* use_udp6_rx_checksums stays off: peers send 0 (RFC 6935). */
	err = udp_sock_create(net, &port, &sock);
	if (err)
		return ERR_PTR(err);

	setup_udp_tunnel_sock(net, sock->sk, &tunnel);
	/* Segmentation would compute a checksum for each packet to convert it. */
	inet_dec_convert_csum(sock->sk);
	udp_allow_gso(sock->sk);
	return sock;
}

static int open_sockets(struct soro_netns *ns)
{
	struct socket *sock;
	int err;

	sock = open_socket(ns->net, AF_INET);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	ns->sock4 = sock;

	if (ipv6_mod_enabled()) {
		sock = open_socket(ns->net, AF_INET6);
		if (IS_ERR(sock)) {
			err = PTR_ERR(sock);
			goto err_sock6;
		}
		ns->sock6 = sock;
	}

	err = add_hooks(ns->net);
	if (err)
		goto err_hooks;
	return 0;

err_hooks:
	if (ns->sock6)
		udp_tunnel_sock_release(ns->sock6);
	ns->sock6 = NULL;
err_sock6:
	udp_tunnel_sock_release(ns->sock4);
	ns->sock4 = NULL;
	return err;
}

static void close_sockets(struct soro_netns *ns)
{
	del_hooks(ns->net);
	if (ns->sock6)
		udp_tunnel_sock_release(ns->sock6);
	udp_tunnel_sock_release(ns->sock4);
	ns->sock6 = NULL;
	ns->sock4 = NULL;
	/* Hooks and receive() that run now may not outlive the namespace or the module. */
	synchronize_net();
}

/**
 * soro_socket_get() - have the sockets of a namespace for one more link
 * @net: the namespace
 *
 * Context: process, under RTNL or not; the mutex of netdev.c serialises.
 * Return: handle for soro_socket_put(), or an ERR_PTR(): -EADDRINUSE when
 * somebody else has the port.
 */
struct soro_netns *soro_socket_get(struct net *net)
{
	struct soro_netns *ns = net_generic(net, netns_id);
	int err;

	if (!ns->links) {
		err = open_sockets(ns);
		if (err)
			return ERR_PTR(err);
	}
	ns->links++;
	return ns;
}

/**
 * soro_socket_put() - one link less; the last one closes the sockets
 * @ns: from soro_socket_get()
 *
 * Context: process, under RTNL or not; the mutex of netdev.c serialises. When
 * it returns for the last link, nothing is being received any more.
 */
void soro_socket_put(struct soro_netns *ns)
{
	if (!--ns->links)
		close_sockets(ns);
}

static int __net_init netns_init(struct net *net)
{
	struct soro_netns *ns = net_generic(net, netns_id);

	ns->net = net;
	return 0;
}

/* All netdevs have left, and each has fenced its link. */
static void __net_exit netns_exit(struct net *net)
{
	struct soro_netns *ns = net_generic(net, netns_id);

	if (WARN_ON_ONCE(ns->links))
		close_sockets(ns);
}

static struct pernet_operations netns_ops = {
	.init = netns_init,
	.exit = netns_exit,
	.id = &netns_id,
	.size = sizeof(struct soro_netns),
};

/**
 * soro_socket_init() - prepare all namespaces, present and future
 * @ops: where trains and drops go
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int soro_socket_init(const struct soro_link_ops *ops)
{
	link_ops = ops;
	return register_pernet_subsys(&netns_ops);
}

/**
 * soro_socket_exit() - undo soro_socket_init(); no link is open
 *
 * Context: process.
 */
void soro_socket_exit(void)
{
	unregister_pernet_subsys(&netns_ops);
}

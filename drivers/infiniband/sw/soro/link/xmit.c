// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: from the bytes of a train to the IP layer.
 *
 * Owns: routes and their lifetime, IP and UDP headers, which paths take
 * super-packets, GSO geometry. Must not know: QPs, what the packets say.
 *
 * A train leaves as one skb with UDP GSO (design decision 4). Whoever segments
 * it counts the IPv4 identification up from ours and writes each packet's own
 * lengths; both are under the ICRC, which is computed here, for every packet as
 * it will be on the wire. That is why the identification is chosen here and why
 * a path on which the segmenter is unknown hardware gets single packets.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/rtnetlink.h>
#include <net/udp.h>
#include <rdma/ib_verbs.h>
#include "soro_flow.h"
#include "../wire/icrc.h"
#include "../wire/packet.h"
#include "xmit.h"

#define UDP_BYTES	sizeof(struct udphdr)
#define HEADROOM	(MAX_HEADER + sizeof(struct ipv6hdr) + UDP_BYTES)
#define PAGE_GFP	(__GFP_COMP | __GFP_NOWARN | __GFP_NORETRY | __GFP_NOMEMALLOC)

/* Counts changes that may alter the answer of takes_trains(); written under RTNL. */
static u32 generation;

/**
 * soro_flow_init() - set up a flow without a route
 * @flow: to be initialised
 * @sgid: GID of our side
 * @dgid: GID of the peer
 * @sgid_ndev_ifindex: netdev of @sgid; it may be a VLAN on the link's netdev
 * @traffic_class: ToS or traffic class to send, with the ECN bits
 * @hop_limit: to send, 0 for the default of the route
 * @flow_label: IPv6 flow label, 20 bits
 * @sport: UDP source port
 *
 * Context: any.
 */
void soro_flow_init(struct soro_flow *flow, const union ib_gid *sgid, const union ib_gid *dgid,
		    int sgid_ndev_ifindex, u8 traffic_class, u8 hop_limit, u32 flow_label,
		    u16 sport)
{
	memset(flow, 0, sizeof(*flow));
	INIT_LIST_HEAD(&flow->node);
	memcpy(&flow->saddr, sgid, sizeof(flow->saddr));
	memcpy(&flow->daddr, dgid, sizeof(flow->daddr));
	flow->v6 = !ipv6_addr_v4mapped(&flow->daddr);
	flow->oif = sgid_ndev_ifindex;
	flow->tos = traffic_class;
	flow->hop_limit = hop_limit;
	flow->flow_label = flow_label & 0xfffff;
	flow->sport = sport;
	flow->ip_id = get_random_u32();
}

/**
 * soro_flow_fini() - let go of the route
 * @flow: initialised; nobody may use it any more
 *
 * Context: any but hard interrupt. Takes flows_lock of the link, which must
 * still exist.
 */
void soro_flow_fini(struct soro_flow *flow)
{
	if (!flow->link)
		return;
	spin_lock_bh(&flow->link->flows_lock);
	list_del_init(&flow->node);
	spin_unlock_bh(&flow->link->flows_lock);
	dst_release(flow->dst);
	flow->dst = NULL;
	flow->link = NULL;
}

/**
 * soro_xmit_flush() - take all routes of a link away
 * @link: the link; its attach is NULL and a grace period has passed
 *
 * A route keeps netdev and namespace busy, a flow may live until user space
 * closes its files.
 *
 * Context: process. Takes flows_lock.
 */
void soro_xmit_flush(struct soro_link *link)
{
	struct soro_flow *flow;

	spin_lock_bh(&link->flows_lock);
	list_for_each_entry(flow, &link->flows, node) {
		dst_release(flow->dst);
		flow->dst = NULL;
	}
	spin_unlock_bh(&link->flows_lock);
}

/**
 * soro_xmit_features_changed() - some netdev has other features or other lower netdevs
 *
 * Context: under RTNL.
 */
void soro_xmit_features_changed(void)
{
	WRITE_ONCE(generation, generation + 1);
}

/*
 * Does this netdev, which has none below it, segment like the stack or pass
 * trains on whole? Hardware that segments UDP may repeat the identification
 * (nothing tests what it does), so it gets single packets.
 */
static bool leaf_takes_trains(const struct net_device *dev)
{
	static const char * const software[] = { "veth", "netkit", "dummy", "tun" };
	const char *driver;

	if (!(dev->features & NETIF_F_GSO_UDP_L4) || dev->flags & IFF_LOOPBACK)
		return true;
	if (dev->rtnl_link_ops)
		return match_string(software, ARRAY_SIZE(software), dev->rtnl_link_ops->kind) >= 0;

	/* It passes them to its host as they are. */
	driver = dev->dev.parent ? dev_driver_string(dev->dev.parent) : "";
	return !strcmp(driver, "virtio_net");
}

static int lower_refuses_trains(struct net_device *dev, struct netdev_nested_priv *priv)
{
	return list_empty(&dev->adj_list.lower) && !leaf_takes_trains(dev);
}

/* Under RCU. What is between a veth and the wire elsewhere cannot be seen from here. */
static bool takes_trains(const struct dst_entry *dst)
{
	struct netdev_nested_priv priv = {};
	struct net_device *dev = dst->dev;

	if (dst_xfrm(dst) || dst->lwtstate)
		return false;
	if (list_empty(&dev->adj_list.lower))
		return leaf_takes_trains(dev);
	return !netdev_walk_all_lower_dev_rcu(dev, lower_refuses_trains, &priv);
}

static struct dst_entry *lookup4(const struct soro_flow *flow, struct net *net, int oif,
				 bool *local)
{
	struct flowi4 fl4 = {
		.flowi4_oif = oif,
		.flowi4_proto = IPPROTO_UDP,
		.saddr = flow->saddr.s6_addr32[3],
		.daddr = flow->daddr.s6_addr32[3],
		.fl4_sport = htons(flow->sport),
		.fl4_dport = htons(SORO_LINK_PORT),
	};
	struct rtable *rt;

	soro_flowi4_set_dsfield(&fl4, flow->tos);
	rt = ip_route_output_flow(net, &fl4, NULL);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	*local = rt->rt_type == RTN_LOCAL;
	return &rt->dst;
}

static struct dst_entry *lookup6(const struct soro_flow *flow, struct net *net, int oif,
				 bool *local)
{
	struct flowi6 fl6 = {
		.flowi6_oif = oif,
		.flowi6_proto = IPPROTO_UDP,
		.saddr = flow->saddr,
		.daddr = flow->daddr,
		.flowlabel = ip6_make_flowinfo(flow->tos, htonl(flow->flow_label)),
		.fl6_sport = htons(flow->sport),
		.fl6_dport = htons(SORO_LINK_PORT),
	};
	struct dst_entry *dst;

	if (!ipv6_mod_enabled())
		return ERR_PTR(-EAFNOSUPPORT);
	dst = ip6_dst_lookup_flow(net, NULL, &fl6, NULL);
	if (!IS_ERR(dst))
		*local = container_of(dst, struct rt6_info, dst)->rt6i_flags & RTF_LOCAL;
	return dst;
}

static bool is_multicast(const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return ipv4_is_multicast(addr->s6_addr32[3]);
	return ipv6_addr_is_multicast(addr);
}

/*
 * Through the netdev that has the source address, unless the destination is
 * here: that goes over lo, which no other netdev leads to (design decision 14).
 */
static struct dst_entry *lookup(const struct soro_flow *flow, struct net *net)
{
	struct dst_entry *(*find)(const struct soro_flow *, struct net *, int, bool *) =
		flow->v6 ? lookup6 : lookup4;
	struct dst_entry *dst;
	bool local;

	if (flow->v6 == ipv6_addr_v4mapped(&flow->saddr))
		return ERR_PTR(-EAFNOSUPPORT);
	/* A link-local address or a group means nothing without its netdev. */
	if (ipv6_addr_type(&flow->daddr) & IPV6_ADDR_LINKLOCAL || is_multicast(&flow->daddr))
		return find(flow, net, flow->oif, &local);

	dst = find(flow, net, 0, &local);
	if (!IS_ERR(dst)) {
		if (local)
			return dst;
		dst_release(dst);
	}
	return find(flow, net, flow->oif, &local);
}

static void drop_route(struct soro_flow *flow)
{
	dst_release(flow->dst);
	flow->dst = NULL;
}

static void keep_route(struct soro_flow *flow, struct soro_link *link, struct dst_entry *dst)
{
	if (!flow->link) {
		flow->link = link;
		spin_lock(&link->flows_lock);
		list_add(&flow->node, &link->flows);
		spin_unlock(&link->flows_lock);
	}
	flow->dst = dst;
	if (flow->v6) {
		flow->dst_cookie = rt6_get_cookie(container_of(dst, struct rt6_info, dst));
		flow->ttl = flow->hop_limit ?: ip6_dst_hoplimit(dst);
	} else {
		flow->ttl = flow->hop_limit ?: ip4_dst_hoplimit(dst);
	}
}

/**
 * soro_xmit_route() - make sure that a flow has a valid route
 * @flow: a flow of the link
 * @at: the link's attachment
 *
 * Context: under RCU, BH off; caller owns the flow.
 * Return: 0, or a negative errno when there is no way to the peer now. That
 * is a loss like any other, and no error of the QP.
 */
int soro_xmit_route(struct soro_flow *flow, const struct soro_attach *at)
{
	u32 now = READ_ONCE(generation);
	struct dst_entry *dst;

	if (likely(flow->dst && dst_check(flow->dst, flow->dst_cookie))) {
		if (unlikely(flow->generation != now)) {
			flow->trains = takes_trains(flow->dst);
			flow->generation = now;
		}
		return 0;
	}

	drop_route(flow);
	dst = lookup(flow, at->net);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	keep_route(flow, at->link, dst);
	flow->trains = takes_trains(dst);
	flow->generation = now;
	return 0;
}

/**
 * soro_xmit_train_bytes() - how long may the next train be
 * @flow: a flow with a route
 * @at: the link's attachment
 * @link: the link
 * @packets: result: most packets, at least 1
 *
 * The length of a packet is bounded by the path MTU of the QP, not here: what is
 * too long for the route is lost there.
 *
 * Context: under RCU, BH off; caller owns the flow, soro_xmit_route() was
 * successful.
 * Return: most bytes of UDP payload in one skb.
 */
u32 soro_xmit_train_bytes(const struct soro_flow *flow, const struct soro_attach *at,
			  const struct soro_link *link, u32 *packets)
{
	const struct net_device *dev = flow->dst->dev;
	/* The stack compares with the length including the MAC header. */
	u32 limit = min_t(u32, READ_ONCE(dev->gso_max_size), SZ_64K) - 1;
	u32 headers = dev->hard_header_len + dev->needed_headroom + VLAN_HLEN + UDP_BYTES +
		      (flow->v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
	u32 n = min_t(u32, READ_ONCE(link->train_max), SORO_LINK_TRAIN_MAX);

	if (!flow->trains || limit < headers + 2 * SORO_PACKET_MAX)
		n = 1;
	*packets = clamp_t(u32, READ_ONCE(dev->gso_max_segs), 1, max(n, 1U));
	return *packets == 1 ? SORO_PACKET_MAX : limit - headers;
}

/*
 * Pages of long trains are used again: to allocate (and, by init_on_alloc, to zero) 64 KiB
 * costs an eighth of an instruction a byte. This CPU keeps a reference on the last few that
 * it sent; one that nobody else refers to any more is free.
 */
#define PAGES_KEPT	8
#define PAGES_ORDER	4

/*
 * Where a train begins in its pages: the CRC of each packet begins 8 bytes into its BTH,
 * and is fastest from a multiple of 16 on. Full packets are multiples of 16 long.
 */
#define PAGES_OFFSET	8

struct pages {
	struct page *page[PAGES_KEPT];
	u32 next;
};

static DEFINE_PER_CPU(struct pages, kept_pages);

static struct page *reuse_pages(struct pages *kept)
{
	struct page *page;
	u32 i;

	for (i = 0; i < PAGES_KEPT; i++) {
		page = kept->page[kept->next];
		kept->next = (kept->next + 1) % PAGES_KEPT;
		/* Pairs with the release of the last user: it has read, now it may be written. */
		if (page && page_ref_count(page) == 1) {
			get_page(page);
			return page;
		}
	}
	return NULL;
}

static struct page *get_pages(u32 order, gfp_t gfp)
{
	struct pages *kept = this_cpu_ptr(&kept_pages);
	struct page *page;

	if (order != PAGES_ORDER)
		return alloc_pages(gfp | PAGE_GFP, order);
	page = reuse_pages(kept);
	if (page)
		return page;
	page = alloc_pages(gfp | PAGE_GFP, order);
	if (!page)
		return NULL;
	/* The longest unused place: if its page is still on its way, it is freed there. */
	if (kept->page[kept->next])
		put_page(kept->page[kept->next]);
	kept->page[kept->next] = page;
	kept->next = (kept->next + 1) % PAGES_KEPT;
	get_page(page);
	return page;
}

/**
 * soro_xmit_exit() - free the pages that were kept
 *
 * Context: process; nobody sends any more.
 */
void soro_xmit_exit(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct pages *kept = per_cpu_ptr(&kept_pages, cpu);

		for (i = 0; i < PAGES_KEPT; i++) {
			if (kept->page[i])
				put_page(kept->page[i]);
			kept->page[i] = NULL;
		}
	}
}

/*
 * From the fragments of this CPU, which are used again as soon as the stack has let go of
 * them, where a slab object would be zeroed each time.
 */
static struct sk_buff *alloc_linear(u32 bytes, gfp_t gfp)
{
	u32 size = SKB_DATA_ALIGN(bytes) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	void *room = napi_alloc_frag(size);
	struct sk_buff *skb;

	if (!room)
		return alloc_skb(bytes, gfp | __GFP_NOWARN);
	skb = napi_build_skb(room, size);
	if (!skb)
		skb_free_frag(room);
	return skb;
}

/**
 * soro_xmit_alloc() - get the buffer of a train
 * @tx: result
 * @packets: how many packets it will hold
 * @bytes: exact length of all of them, BTH to ICRC
 * @gfp: how to allocate
 *
 * One packet is all in the linear part, as every driver likes it. A train is in
 * one fragment behind it, so that its segments can refer to the fragment.
 *
 * Context: BH off.
 * Return: 0 or -ENOMEM; then a shorter train may still be possible.
 */
int soro_xmit_alloc(struct soro_tx *tx, u32 packets, u32 bytes, gfp_t gfp)
{
	unsigned int order = get_order(bytes + PAGES_OFFSET);
	struct sk_buff *skb = alloc_linear(HEADROOM + (packets == 1 ? bytes : 0), gfp);
	struct page *page;

	if (!skb)
		return -ENOMEM;
	skb_reserve(skb, HEADROOM);

	if (packets == 1) {
		tx->data = skb_put(skb, bytes);
	} else {
		page = get_pages(order, gfp);
		if (!page)
			goto err_page;
		skb_add_rx_frag(skb, 0, page, PAGES_OFFSET, bytes, PAGE_SIZE << order);
		tx->data = page_address(page) + PAGES_OFFSET;
	}
	tx->skb = skb;
	tx->bytes = bytes;
	return 0;

err_page:
	kfree_skb(skb);
	return -ENOMEM;
}

/**
 * soro_xmit_free() - give back a buffer that is not going to be sent
 * @tx: from soro_xmit_alloc()
 *
 * Context: any but hard interrupt.
 */
void soro_xmit_free(struct soro_tx *tx)
{
	kfree_skb(tx->skb);
	tx->skb = NULL;
}

static void push_udp(struct sk_buff *skb, const struct soro_flow *flow)
{
	struct udphdr *uh = skb_push(skb, UDP_BYTES);

	skb_reset_transport_header(skb);
	uh->source = htons(flow->sport);
	uh->dest = htons(SORO_LINK_PORT);
	uh->len = htons(skb->len);
	/* As hardware does; the ICRC is the check (for IPv6: RFC 6935). */
	uh->check = 0;
}

static void push_ip4(struct sk_buff *skb, const struct soro_flow *flow)
{
	struct iphdr *iph = skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = flow->tos;
	iph->tot_len = htons(skb->len);
	iph->id = htons(flow->ip_id);
	iph->frag_off = htons(IP_DF);
	iph->ttl = flow->ttl;
	iph->protocol = IPPROTO_UDP;
	iph->check = 0;
	iph->saddr = flow->saddr.s6_addr32[3];
	iph->daddr = flow->daddr.s6_addr32[3];
	skb->protocol = htons(ETH_P_IP);
}

static void push_ip6(struct sk_buff *skb, const struct soro_flow *flow)
{
	u16 payload_len = skb->len;
	struct ipv6hdr *ip6h = skb_push(skb, sizeof(*ip6h));

	skb_reset_network_header(skb);
	ip6_flow_hdr(ip6h, flow->tos, htonl(flow->flow_label));
	ip6h->payload_len = htons(payload_len);
	ip6h->nexthdr = IPPROTO_UDP;
	ip6h->hop_limit = flow->ttl;
	ip6h->saddr = flow->saddr;
	ip6h->daddr = flow->daddr;
	skb->protocol = htons(ETH_P_IPV6);
}

/* State after IP and UDP of a packet of @len bytes, BTH to ICRC, with identification 0. */
static u32 start_icrc(const struct sk_buff *skb, const struct soro_flow *flow, u32 len)
{
	u16 udp_len = UDP_BYTES + len;

	if (flow->v6)
		return soro_icrc_start6(&flow->saddr, &flow->daddr, udp_len, flow->sport,
					SORO_LINK_PORT, udp_len);
	return soro_icrc_start4(ip_hdr(skb), sizeof(struct iphdr) + udp_len, 0, flow->sport,
				SORO_LINK_PORT, udp_len);
}

/* Each packet of the train gets its ICRC. Most begin with the same bytes of a BTH. */
static void seal(const struct sk_buff *skb, struct soro_flow *flow, u8 *data, u32 bytes,
		 u32 seg_bytes)
{
	struct soro_icrc_known *known;
	u16 ip_id = flow->ip_id;
	u32 len, crc;

	for (; bytes; bytes -= len, data += len, ip_id++) {
		len = min(seg_bytes, bytes);
		known = soro_icrc_known(&flow->sent, data);
		if (unlikely(!soro_icrc_is_known(known, data, len)))
			soro_icrc_know(known, data, len,
				       soro_icrc_head(start_icrc(skb, flow, len), data));
		crc = flow->v6 ? known->crc : soro_icrc_with_id(known->crc, ip_id);
		crc = soro_icrc_update(crc, data + SORO_ICRC_HEAD_BYTES,
				       len - SORO_ICRC_HEAD_BYTES - SORO_ICRC_BYTES);
		put_unaligned(soro_icrc_final(crc), (__le32 *)(data + len - SORO_ICRC_BYTES));
	}
}

/*
 * UDP GSO insists on CHECKSUM_PARTIAL, with the sum of the pseudo header of the
 * whole; the segments get real checksums.
 */
static void set_gso(struct sk_buff *skb, const struct soro_flow *flow, u32 packets, u32 seg_bytes)
{
	u32 udp_len = skb->len - skb_transport_offset(skb);
	struct udphdr *uh = udp_hdr(skb);

	if (flow->v6)
		uh->check = ~udp_v6_check(udp_len, &flow->saddr, &flow->daddr, 0);
	else
		uh->check = ~udp_v4_check(udp_len, ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);

	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	skb_shinfo(skb)->gso_size = seg_bytes;
	skb_shinfo(skb)->gso_segs = packets;
}

/**
 * soro_xmit_finish() - add what is around the packets: IP, UDP, ICRCs, geometry
 * @tx: all bytes are written but the ICRCs
 * @flow: a flow with a route
 * @packets: packets in @tx
 * @seg_bytes: length of each packet but the last, which may be shorter, never
 *	longer; ignored for one packet
 *
 * Uses up @packets identifications of the flow.
 *
 * Context: under RCU, BH off; caller owns the flow, soro_xmit_route() was
 * successful in this section.
 * Return: 0, or -EINVAL when the numbers contradict each other: a bug of the
 * caller; the buffer is still the caller's.
 */
int soro_xmit_finish(struct soro_tx *tx, struct soro_flow *flow, u32 packets, u32 seg_bytes)
{
	struct sk_buff *skb = tx->skb;

	if (packets == 1)
		seg_bytes = tx->bytes;
	if (WARN_ON_ONCE(!packets || seg_bytes < SORO_BTH_BYTES + SORO_ICRC_BYTES ||
			 seg_bytes > SORO_PACKET_MAX || !flow->dst ||
			 DIV_ROUND_UP(tx->bytes, seg_bytes) != packets ||
			 tx->bytes - (packets - 1) * seg_bytes < SORO_BTH_BYTES + SORO_ICRC_BYTES))
		return -EINVAL;

	push_udp(skb, flow);
	if (flow->v6)
		push_ip6(skb, flow);
	else
		push_ip4(skb, flow);
	seal(skb, flow, tx->data, tx->bytes, seg_bytes);
	if (packets > 1)
		set_gso(skb, flow, packets, seg_bytes);
	flow->ip_id += packets;

	skb->priority = rt_tos2priority(flow->tos);
	skb_dst_set(skb, dst_clone(flow->dst));
	return 0;
}

/**
 * soro_xmit_send() - hand a finished train to IP
 * @at: the link's attachment
 * @skb: from a struct soro_tx after soro_xmit_finish(); consumed
 *
 * Whatever comes back, the train counts as sent (design decision 6).
 *
 * Context: BH off, in the RCU section of soro_xmit_finish(); no lock held.
 * Return: as ip_local_out(): 0, a NET_XMIT_* code or a negative errno; NET_XMIT_DROP and
 * NET_XMIT_CN advise to slow down.
 */
int soro_xmit_send(const struct soro_attach *at, struct sk_buff *skb)
{
	skb->dev = skb_dst(skb)->dev;
	if (skb->protocol == htons(ETH_P_IPV6))
		return ip6_local_out(at->net, skb->sk, skb);
	return ip_local_out(at->net, skb->sk, skb);
}

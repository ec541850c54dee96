// SPDX-License-Identifier: GPL-2.0
/*
 * The packets of a received train, one by one.
 *
 * Owns: where bytes are in an skb, and the check of the ICRC against what each
 * packet looked like on the wire. Must not know: QPs, sockets, who counts.
 *
 * Nothing is linearised: a train that came whole is one fragment, one that GRO
 * put together is up to 17 fragments and a list of skbs. Only a packet that is in
 * pieces itself is copied, to be looked at.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/minmax.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include "../wire/icrc.h"
#include "receive.h"

/* The byte at @offset from skb->data, and how many are in one piece from there on; NULL: beyond. */
static const u8 *find(const struct sk_buff *skb, u32 offset, u32 *bytes)
{
	const struct sk_buff *next;
	const skb_frag_t *frag;
	u8 *address;
	int i;

again:
	if (offset < skb_headlen(skb)) {
		*bytes = skb_headlen(skb) - offset;
		return skb->data + offset;
	}
	offset -= skb_headlen(skb);

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		frag = &skb_shinfo(skb)->frags[i];
		if (offset < skb_frag_size(frag)) {
			address = skb_frag_address(frag);
			*bytes = skb_frag_size(frag) - offset;
			return address ? address + offset : NULL;
		}
		offset -= skb_frag_size(frag);
	}

	skb_walk_frags(skb, next) {
		if (offset < next->len) {
			skb = next;
			goto again;
		}
		offset -= next->len;
	}
	return NULL;
}

/* What, besides addresses and BTH, the ICRC of a packet of @len bytes depends on. */
static u64 rest_of_head(const struct sk_buff *skb, u32 len)
{
	u64 rest = (u64)soro_rx(skb)->sport << 32 | len;

	return soro_rx(skb)->v6 ? rest : rest | (u32)ntohs(ip_hdr(skb)->frag_off) << 16;
}

static u32 compute_head(const struct sk_buff *skb, const u8 *data, u32 len)
{
	u16 udp_len = sizeof(struct udphdr) + len;
	u16 sport = soro_rx(skb)->sport;
	u32 crc;

	if (soro_rx(skb)->v6)
		crc = soro_icrc_start6(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, udp_len, sport,
				       SORO_LINK_PORT, udp_len);
	else
		crc = soro_icrc_start4(ip_hdr(skb), sizeof(struct iphdr) + udp_len, 0, sport,
				       SORO_LINK_PORT, udp_len);
	return soro_icrc_head(crc, data);
}

/* ICRC state behind the head of a packet of @len bytes, BTH to ICRC, with identification 0. */
static u32 head(struct soro_receiver *r, const u8 *data, u32 len)
{
	struct soro_icrc_known *known = soro_icrc_known(r->heads, data);
	u64 rest = rest_of_head(r->skb, len);

	if (unlikely(!soro_icrc_is_known(known, data, rest)))
		soro_icrc_know(known, data, rest, compute_head(r->skb, data, len));
	return known->crc;
}

static bool matches(struct soro_receiver *r, const u8 *data, u32 len, u16 ip_id)
{
	u32 crc = head(r, data, len);

	if (!soro_rx(r->skb)->v6)
		crc = soro_icrc_with_id(crc, ip_id);
	crc = soro_icrc_update(crc, data + SORO_ICRC_HEAD_BYTES,
			       len - SORO_ICRC_HEAD_BYTES - SORO_ICRC_BYTES);
	data += len - SORO_ICRC_BYTES;
	return soro_icrc_final(crc) == get_unaligned((const __le32 *)data);
}

/*
 * GRO merges packets whose IPv4 identification counts up, as ours does, and those of
 * senders that repeat it; it does not say which.
 */
static bool icrc_ok(struct soro_receiver *r, u32 i, const u8 *data, u32 len)
{
	struct soro_rx *rx = soro_rx(r->skb);

	if (matches(r, data, len, rx->fixed_id ? rx->ip_id : rx->ip_id + i))
		return true;
	if (rx->v6 || rx->fixed_id || !i || !matches(r, data, len, rx->ip_id))
		return false;
	rx->fixed_id = true;
	return true;
}

/**
 * soro_receive_begin() - begin to take a train apart
 * @r: result
 * @skb: the train
 * @check_icrc: drop what does not match its ICRC
 * @room: %SORO_PACKET_MAX bytes for a packet that is in pieces
 * @heads: of trains with the same addresses
 *
 * Context: any, as long as the caller owns @skb and @heads.
 */
void soro_receive_begin(struct soro_receiver *r, struct sk_buff *skb, bool check_icrc, u8 *room,
			struct soro_icrc_heads *heads)
{
	r->skb = skb;
	r->room = room;
	r->heads = heads;
	r->before = NULL;
	r->check_icrc = check_icrc;
}

static enum soro_drop parse(struct soro_receiver *r, const u8 *data, u32 len, struct soro_pkt *pkt)
{
	bool alike = pkt->data && len == soro_rx(r->skb)->seg_bytes;
	enum soro_drop why;

	if (alike && r->before && soro_packet_parse_next(pkt, r->before, data))
		return SORO_DROP_NONE;
	why = soro_packet_parse(pkt, data, len, len);
	if (!why && alike)
		r->before = pkt;
	return why;
}

/**
 * soro_receive_packet() - take one packet out of a train
 * @r: after soro_receive_begin()
 * @i: which packet, less than soro_rx(skb)->packets
 * @pkt: result, as soro_packet_parse() leaves it, and kept until the last one was taken. The
 *	packet begins @pkt->offset bytes after skb->data, its payload @pkt->hdr_len bytes later.
 *
 * Context: any, as long as the caller owns the train.
 * Return: SORO_DROP_NONE, or why this packet has to be dropped.
 */
enum soro_drop soro_receive_packet(struct soro_receiver *r, u32 i, struct soro_pkt *pkt)
{
	const struct soro_rx *rx = soro_rx(r->skb);
	u32 offset = i * rx->seg_bytes;
	u32 bytes = 0;
	enum soro_drop why;
	const u8 *data;
	u32 len;

	if (WARN_ON_ONCE(i >= rx->packets))
		return SORO_DROP_SHORT;
	len = min_t(u32, rx->seg_bytes, rx->bytes - offset);

	data = find(r->skb, offset, &bytes);
	pkt->offset = offset;
	pkt->data = bytes >= len ? data : NULL;
	if (unlikely(!pkt->data)) {
		if (skb_copy_bits(r->skb, offset, r->room, len))
			return SORO_DROP_SHORT;
		data = r->room;
	}
	why = parse(r, data, len, pkt);
	if (!why && r->check_icrc && !icrc_ok(r, i, data, len))
		return SORO_DROP_ICRC;
	return why;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The packets of a received train, one by one.
 *
 * Owns: where bytes are in an skb, and the check of the ICRC against what each
 * packet looked like on the wire. Must not know: QPs, sockets, who counts.
 *
 * Nothing is linearised: a train that came whole is one fragment, one that GRO
 * put together is up to 17 fragments and a list of skbs.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/minmax.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include "../wire/icrc.h"
#include "receive.h"

/**
 * soro_receive_span() - find bytes of a train
 * @skb: the train
 * @offset: from skb->data
 * @bytes: result: bytes in one piece from there on, not bounded by any packet
 *
 * Context: any, as long as the caller owns @skb.
 * Return: the byte at @offset, NULL when it is beyond the end.
 */
const u8 *soro_receive_span(const struct sk_buff *skb, u32 offset, u32 *bytes)
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

/* @len bytes of a train where they stand, if they are in one piece, else copied to @buf. */
static const u8 *peek(const struct sk_buff *skb, u32 offset, u32 len, u8 *buf)
{
	u32 bytes = 0;
	const u8 *data = soro_receive_span(skb, offset, &bytes);

	return bytes >= len ? data : skb_header_pointer(skb, offset, len, buf);
}

static bool update(u32 *crc, const struct sk_buff *skb, u32 offset, u32 len)
{
	const u8 *data;
	u32 bytes;

	while (len) {
		data = soro_receive_span(skb, offset, &bytes);
		if (!data)
			return false;
		bytes = min(bytes, len);
		*crc = soro_icrc_update(*crc, data, bytes);
		offset += bytes;
		len -= bytes;
	}
	return true;
}

/* State after IP and UDP of a packet of @len bytes, BTH to ICRC, with identification 0. */
static u32 start(const struct sk_buff *skb, u32 len)
{
	struct soro_rx *rx = soro_rx(skb);
	u16 udp_len = sizeof(struct udphdr) + len;

	if (likely(rx->start_bytes == len))
		return rx->start;
	if (rx->v6)
		rx->start = soro_icrc_start6(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr,
					     udp_len, rx->sport, SORO_LINK_PORT, udp_len);
	else
		rx->start = soro_icrc_start4(ip_hdr(skb), sizeof(struct iphdr) + udp_len, 0,
					     rx->sport, SORO_LINK_PORT, udp_len);
	rx->start_bytes = len;
	return rx->start;
}

/* Add the first bytes of a packet, the BTH at least; returns how many, 0 for none. */
static u32 begin(u32 *crc, const struct sk_buff *skb, u32 offset, u32 covered)
{
	u8 buf[SORO_BTH_BYTES];
	const u8 *hdr;
	u32 bytes = 0;

	hdr = soro_receive_span(skb, offset, &bytes);
	bytes = min(bytes, covered);
	if (!hdr || bytes < SORO_BTH_BYTES) {
		bytes = SORO_BTH_BYTES;
		hdr = skb_header_pointer(skb, offset, bytes, buf);
		if (!hdr)
			return 0;
	}
	*crc = soro_icrc_bth(*crc, hdr, bytes);
	return bytes;
}

static bool matches(const struct sk_buff *skb, u32 offset, u32 len, u16 ip_id)
{
	u32 covered = len - SORO_ICRC_BYTES;
	u8 last_buf[SORO_ICRC_BYTES];
	const u8 *last;
	__le32 icrc;
	u32 crc, n;

	last = peek(skb, offset + covered, SORO_ICRC_BYTES, last_buf);
	if (!last)
		return false;

	crc = start(skb, len);
	if (!soro_rx(skb)->v6)
		crc = soro_icrc_with_id(crc, ip_id);
	n = begin(&crc, skb, offset, covered);
	if (!n || !update(&crc, skb, offset + n, covered - n))
		return false;
	icrc = soro_icrc_final(crc);
	return !memcmp(&icrc, last, sizeof(icrc));
}

/*
 * GRO merges packets whose IPv4 identification counts up, as ours does, and those of
 * senders that repeat it; it does not say which.
 */
static bool icrc_ok(const struct sk_buff *skb, u32 i, u32 offset, u32 len)
{
	struct soro_rx *rx = soro_rx(skb);

	if (matches(skb, offset, len, rx->fixed_id ? rx->ip_id : rx->ip_id + i))
		return true;
	if (rx->v6 || rx->fixed_id || !i || !matches(skb, offset, len, rx->ip_id))
		return false;
	rx->fixed_id = true;
	return true;
}

/**
 * soro_receive_packet() - take one packet out of a train
 * @skb: the train
 * @i: which packet, less than soro_rx(@skb)->packets
 * @check_icrc: see soro_receive_needs_icrc()
 * @pkt: result, as soro_packet_parse() leaves it. The packet begins @pkt->offset
 *	bytes after skb->data, its payload @pkt->hdr_len bytes later.
 *
 * Context: any, as long as the caller owns @skb.
 * Return: SORO_DROP_NONE, or why this packet has to be dropped.
 */
enum soro_drop soro_receive_packet(struct sk_buff *skb, u32 i, bool check_icrc,
				   struct soro_pkt *pkt)
{
	const struct soro_rx *rx = soro_rx(skb);
	u32 offset = i * rx->seg_bytes;
	u8 buf[SORO_HDR_MAX];
	enum soro_drop why;
	u32 len, avail;
	const u8 *hdr;

	if (WARN_ON_ONCE(i >= rx->packets))
		return SORO_DROP_SHORT;
	len = min_t(u32, rx->seg_bytes, rx->bytes - offset);
	avail = min_t(u32, len, SORO_HDR_MAX);
	pkt->offset = offset;

	hdr = peek(skb, offset, avail, buf);
	if (!hdr)
		return SORO_DROP_SHORT;
	why = soro_packet_parse(pkt, hdr, avail, len);
	if (why)
		return why;
	if (check_icrc && !icrc_ok(skb, i, offset, len))
		return SORO_DROP_ICRC;
	return SORO_DROP_NONE;
}

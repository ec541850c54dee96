// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: the ICRC against a reference that works bit by bit on the packet
 * as it stands on the wire.
 *
 * Input: choices, addresses and ports, then BTH, headers and payload.
 */
#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "input.h"
#include "wire/icrc.h"
#include "wire/packet.h"

#define LRH_BYTES	8
#define IPV4_BYTES	20
#define IPV6_BYTES	40
#define UDP_BYTES	8
#define BODY_MAX	(SORO_HDR_MAX + 256)
#define WIRE_MAX	(LRH_BYTES + IPV6_BYTES + UDP_BYTES + BODY_MAX)

/*
 * CRC-32 as the specification has it: most significant coefficient first, the
 * bits of a byte least significant first, all ones at the start, inverted at the
 * end; the coefficients go out in the order of the bits on the link.
 */
static u32 slow_crc(const u8 *p, size_t len)
{
	u32 reg = 0xffffffff, out = 0;
	int bit;

	for (; len; len--, p++) {
		for (bit = 0; bit < 8; bit++) {
			bool feed = (reg >> 31) ^ (*p >> bit & 1);

			reg = reg << 1 ^ (feed ? 0x04c11db7 : 0);
		}
	}
	for (bit = 0; bit < 32; bit++)
		out |= (reg >> (31 - bit) & 1) << bit;
	return ~out;
}

struct packet {
	u8 wire[WIRE_MAX];	/* LRH of ones, IP, UDP, body */
	u8 *ip;
	u8 *udp;
	u8 *body;
	u32 ip_bytes;
	u32 body_bytes;
	u16 len;		/* as the IP header says */
	u16 id;
	u16 sport;
	u16 dport;
	u16 udp_len;
};

static void make_packet(struct input *in, struct packet *pkt, bool ipv6)
{
	u8 *ip = pkt->wire + LRH_BYTES;

	memset(pkt->wire, 0xff, LRH_BYTES);
	pkt->ip = ip;
	pkt->ip_bytes = ipv6 ? IPV6_BYTES : IPV4_BYTES;
	pkt->udp = ip + pkt->ip_bytes;
	pkt->body = pkt->udp + UDP_BYTES;
	pkt->len = input_u16(in);
	pkt->id = input_u16(in);
	pkt->sport = input_u16(in);
	pkt->dport = input_u16(in);
	pkt->udp_len = input_u16(in);
	input_fill(in, ip, pkt->ip_bytes);
	if (ipv6) {
		ip[0] = (ip[0] & 0x0f) | 0x60;
		put_unaligned_be16(pkt->len, ip + 4);
		ip[6] = 17;
	} else {
		put_unaligned_be16(pkt->len, ip + 2);
		put_unaligned_be16(pkt->id, ip + 4);
	}
	put_unaligned_be16(pkt->sport, pkt->udp);
	put_unaligned_be16(pkt->dport, pkt->udp + 2);
	put_unaligned_be16(pkt->udp_len, pkt->udp + 4);
	put_unaligned_be16(input_u16(in), pkt->udp + 6);
	pkt->body_bytes = min_t(size_t, max_t(size_t, in->left, SORO_BTH_BYTES), BODY_MAX);
	input_fill(in, pkt->body, pkt->body_bytes);
}

/* What routers and receivers may change counts as ones (IBA A17.3.3). */
static u32 reference(const struct packet *pkt, bool ipv6)
{
	size_t bytes = LRH_BYTES + pkt->ip_bytes + UDP_BYTES + pkt->body_bytes;
	u8 masked[WIRE_MAX];
	u8 *ip = masked + LRH_BYTES;
	u8 *udp = ip + pkt->ip_bytes;

	memcpy(masked, pkt->wire, bytes);
	if (ipv6) {
		ip[0] |= 0x0f;
		memset(ip + 1, 0xff, 3);
		ip[7] = 0xff;
	} else {
		ip[1] = 0xff;
		ip[8] = 0xff;
		memset(ip + 10, 0xff, 2);
	}
	memset(udp + 6, 0xff, 2);
	udp[UDP_BYTES + 4] = 0xff;
	return slow_crc(masked, bytes);
}

static u32 ours(const struct packet *pkt, bool ipv6, u8 cuts)
{
	bool with_id = !ipv6 && !(cuts & 0x40);
	u8 ip[IPV4_BYTES];
	u32 at, n, crc;

	/* Lengths and IP ID are the arguments', whatever stands in the header. */
	memcpy(ip, pkt->ip, sizeof(ip));
	if (cuts & 0x80)
		memset(ip + 2, 0x77, 4);
	if (ipv6)
		crc = soro_icrc_start6(pkt->ip + 8, pkt->ip + 24, pkt->len, pkt->sport, pkt->dport,
				       pkt->udp_len);
	else
		crc = soro_icrc_start4(ip, pkt->len, with_id ? 0 : pkt->id, pkt->sport, pkt->dport,
				       pkt->udp_len);
	crc = soro_icrc_head(crc, pkt->body);
	if (with_id)
		crc = soro_icrc_with_id(crc, pkt->id);
	/* all in one call must be the same as what is cut anywhere */
	for (at = SORO_ICRC_HEAD_BYTES; at < pkt->body_bytes; at += n) {
		n = pkt->body_bytes - at;
		if (cuts != 0x7f)
			n = min(1U + cuts * 7U % 61U, n);
		crc = soro_icrc_update(crc, pkt->body + at, n);
	}
	return le32_to_cpu(soro_icrc_final(crc));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .at = data, .left = size };
	u8 choice = input_u8(&in), cuts = input_u8(&in);
	bool ipv6 = choice & 1;
	struct packet pkt;

	make_packet(&in, &pkt, ipv6);
	must(ours(&pkt, ipv6, cuts) == reference(&pkt, ipv6), "ICRC");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The invariant CRC of RoCEv2.
 *
 * Owns: which bytes of IP, UDP and BTH count and which are taken as ones,
 * because routers and receivers may change them (IBA A17.3.3). Must not know:
 * skbs.
 *
 * The headers are given as the packet will carry them on the wire: lengths and
 * IP ID are arguments, so that every segment of a super-packet can be summed
 * before it exists.
 */
#include <linux/string.h>
#include <linux/unaligned.h>
#include "icrc.h"
#include "packet.h"
#include "soro_crc32.h"

/*
 * Eight bytes of ones stand where the LRH of InfiniBand would be. With the
 * preset of all ones this is crc32_le(~0, {0xff x 8}, 8).
 */
#define START		0xdebb20e3U

#define IPV4_BYTES	20
#define IPV6_BYTES	40
#define UDP_BYTES	8
#define BTH_RESV8A	4	/* offset of the byte with FECN and BECN */
#define BTH_MASKED	8	/* bytes of the BTH that are summed apart, because of that byte */

/*
 * What each digit of the IPv4 identification adds to the state behind the UDP header
 * (22 bytes later): a CRC is linear, so the packets of a train need no sum of their own
 * over headers that differ in nothing else.
 */
static const u32 id_digit[4][16] = {
	{ 0x00000000, 0x9b73ead4, 0xed96d3e9, 0x76e5393d,
	  0x005ca193, 0x9b2f4b47, 0xedca727a, 0x76b998ae,
	  0x00b94326, 0x9bcaa9f2, 0xed2f90cf, 0x765c7a1b,
	  0x00e5e2b5, 0x9b960861, 0xed73315c, 0x7600db88 },
	{ 0x00000000, 0x0172864c, 0x02e50c98, 0x03978ad4,
	  0x05ca1930, 0x04b89f7c, 0x072f15a8, 0x065d93e4,
	  0x0b943260, 0x0ae6b42c, 0x09713ef8, 0x0803b8b4,
	  0x0e5e2b50, 0x0f2cad1c, 0x0cbb27c8, 0x0dc9a184 },
	{ 0x00000000, 0x81256527, 0xd93bcc0f, 0x581ea928,
	  0x69069e5f, 0xe823fb78, 0xb03d5250, 0x31183777,
	  0xd20d3cbe, 0x53285999, 0x0b36f0b1, 0x8a139596,
	  0xbb0ba2e1, 0x3a2ec7c6, 0x62306eee, 0xe3150bc9 },
	{ 0x00000000, 0x7f6b7f3d, 0xfed6fe7a, 0x81bd8147,
	  0x26dcfab5, 0x59b78588, 0xd80a04cf, 0xa7617bf2,
	  0x4db9f56a, 0x32d28a57, 0xb36f0b10, 0xcc04742d,
	  0x6b650fdf, 0x140e70e2, 0x95b3f1a5, 0xead88e98 },
};

static void put_udp(u8 *p, u16 sport, u16 dport, u16 udp_len)
{
	put_unaligned_be16(sport, p);
	put_unaligned_be16(dport, p + 2);
	put_unaligned_be16(udp_len, p + 4);
	put_unaligned_be16(0xffff, p + 6);	/* checksum */
}

/**
 * soro_icrc_start4() - begin an ICRC with IPv4 and UDP header
 * @iph: IPv4 header of 20 bytes; read are version, fragment word, protocol and
 *	addresses (options cannot be carried by RoCEv2 and are not summed)
 * @tot_len: total length of the packet
 * @ip_id: identification of the packet
 * @sport: UDP source port
 * @dport: UDP destination port
 * @udp_len: UDP length
 *
 * The numbers are in host order. Masked are ToS, TTL and both checksums.
 *
 * Return: CRC state.
 */
u32 soro_icrc_start4(const void *iph, u16 tot_len, u16 ip_id, u16 sport, u16 dport, u16 udp_len)
{
	u8 hdr[IPV4_BYTES + UDP_BYTES];

	memcpy(hdr, iph, IPV4_BYTES);
	hdr[1] = 0xff;				/* ToS */
	put_unaligned_be16(tot_len, hdr + 2);
	put_unaligned_be16(ip_id, hdr + 4);
	hdr[8] = 0xff;				/* TTL */
	put_unaligned_be16(0xffff, hdr + 10);	/* checksum */
	put_udp(hdr + IPV4_BYTES, sport, dport, udp_len);
	return soro_crc32(START, hdr, sizeof(hdr));
}

/**
 * soro_icrc_with_id() - the start of a packet that differs in its identification
 * @crc: soro_icrc_start4() for identification 0
 * @ip_id: identification of the packet
 *
 * Return: CRC state, as soro_icrc_start4() would return it for @ip_id.
 */
u32 soro_icrc_with_id(u32 crc, u16 ip_id)
{
	return crc ^ id_digit[0][ip_id & 0xf] ^ id_digit[1][ip_id >> 4 & 0xf] ^
	       id_digit[2][ip_id >> 8 & 0xf] ^ id_digit[3][ip_id >> 12];
}

/**
 * soro_icrc_start6() - begin an ICRC with IPv6 and UDP header
 * @saddr: source address, 16 bytes
 * @daddr: destination address, 16 bytes
 * @payload_len: IPv6 payload length
 * @sport: UDP source port
 * @dport: UDP destination port
 * @udp_len: UDP length
 *
 * The numbers are in host order. Masked are traffic class, flow label, hop
 * limit and UDP checksum. There are no extension headers in RoCEv2.
 *
 * Return: CRC state.
 */
u32 soro_icrc_start6(const void *saddr, const void *daddr, u16 payload_len,
		     u16 sport, u16 dport, u16 udp_len)
{
	u8 hdr[IPV6_BYTES + UDP_BYTES];

	put_unaligned_be32(0x6fffffff, hdr);	/* version, traffic class, flow label */
	put_unaligned_be16(payload_len, hdr + 4);
	hdr[6] = 17;				/* next header: UDP */
	hdr[7] = 0xff;				/* hop limit */
	memcpy(hdr + 8, saddr, 16);
	memcpy(hdr + 24, daddr, 16);
	put_udp(hdr + IPV6_BYTES, sport, dport, udp_len);
	return soro_crc32(START, hdr, sizeof(hdr));
}

/**
 * soro_icrc_bth() - add BTH and what is in one piece with it
 * @crc: state after one of the starts
 * @hdr: from the BTH on
 * @len: at least %SORO_BTH_BYTES; what follows goes to soro_icrc_update()
 *
 * Masked is the byte with FECN and BECN.
 *
 * Return: CRC state.
 */
u32 soro_icrc_bth(u32 crc, const u8 *hdr, unsigned int len)
{
	u8 copy[BTH_MASKED];

	memcpy(copy, hdr, BTH_MASKED);
	copy[BTH_RESV8A] = 0xff;
	crc = soro_crc32(crc, copy, BTH_MASKED);
	return soro_crc32(crc, hdr + BTH_MASKED, len - BTH_MASKED);
}

/**
 * soro_icrc_update() - add payload and pad
 * @crc: state
 * @data: bytes to add
 * @len: how many
 *
 * Return: CRC state.
 */
u32 soro_icrc_update(u32 crc, const void *data, size_t len)
{
	return soro_crc32(crc, data, len);
}

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
#include <linux/minmax.h>
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
 * soro_icrc_bth() - add BTH and extension headers
 * @crc: state after one of the starts
 * @hdr: from the BTH on
 * @len: %SORO_BTH_BYTES to %SORO_HDR_MAX bytes; what follows goes to soro_icrc_update()
 *
 * Masked is the byte with FECN and BECN.
 *
 * Return: CRC state.
 */
u32 soro_icrc_bth(u32 crc, const u8 *hdr, unsigned int len)
{
	u8 copy[SORO_HDR_MAX];
	unsigned int n = min_t(unsigned int, len, sizeof(copy));

	memcpy(copy, hdr, n);
	copy[BTH_RESV8A] = 0xff;
	crc = soro_crc32(crc, copy, n);
	return len > n ? soro_crc32(crc, hdr + n, len - n) : crc;
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

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

/*
 * What each digit of the IPv4 identification adds to the state behind the first bytes of the
 * BTH (30 bytes later): a CRC is linear, so the packets of a train need no sum of their own
 * over what is the same in all of them.
 */
static const u32 id_digit[4][16] = {
	{ 0x00000000, 0x0ee7e8d1, 0x1dcfd1a2, 0x13283973,
	  0x3b9fa344, 0x35784b95, 0x265072e6, 0x28b79a37,
	  0x773f4688, 0x79d8ae59, 0x6af0972a, 0x64177ffb,
	  0x4ca0e5cc, 0x42470d1d, 0x516f346e, 0x5f88dcbf },
	{ 0x00000000, 0xee7e8d10, 0x078c1c61, 0xe9f29171,
	  0x0f1838c2, 0xe166b5d2, 0x089424a3, 0xe6eaa9b3,
	  0x1e307184, 0xf04efc94, 0x19bc6de5, 0xf7c2e0f5,
	  0x11284946, 0xff56c456, 0x16a45527, 0xf8dad837 },
	{ 0x00000000, 0xf1da05aa, 0x38c50d15, 0xc91f08bf,
	  0x718a1a2a, 0x80501f80, 0x494f173f, 0xb8951295,
	  0xe3143454, 0x12ce31fe, 0xdbd13941, 0x2a0b3ceb,
	  0x929e2e7e, 0x63442bd4, 0xaa5b236b, 0x5b8126c1 },
	{ 0x00000000, 0x1d596ee9, 0x3ab2ddd2, 0x27ebb33b,
	  0x7565bba4, 0x683cd54d, 0x4fd76676, 0x528e089f,
	  0xeacb7748, 0xf79219a1, 0xd079aa9a, 0xcd20c473,
	  0x9faeccec, 0x82f7a205, 0xa51c113e, 0xb8457fd7 },
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
 * soro_icrc_head() - add the first bytes of the BTH
 * @crc: state after one of the starts
 * @bth: %SORO_ICRC_HEAD_BYTES of the BTH; the rest of the packet goes to soro_icrc_update()
 *
 * Masked is the byte with FECN and BECN.
 *
 * Return: CRC state.
 */
u32 soro_icrc_head(u32 crc, const u8 *bth)
{
	u8 copy[SORO_ICRC_HEAD_BYTES];

	memcpy(copy, bth, sizeof(copy));
	copy[BTH_RESV8A] = 0xff;
	return soro_crc32(crc, copy, sizeof(copy));
}

/**
 * soro_icrc_with_id() - the head of a packet that differs in its identification
 * @crc: soro_icrc_head() of a packet with identification 0
 * @ip_id: identification of the packet
 *
 * Return: CRC state, as if soro_icrc_start4() had been given @ip_id.
 */
u32 soro_icrc_with_id(u32 crc, u16 ip_id)
{
	return crc ^ id_digit[0][ip_id & 0xf] ^ id_digit[1][ip_id >> 4 & 0xf] ^
	       id_digit[2][ip_id >> 8 & 0xf] ^ id_digit[3][ip_id >> 12];
}

/**
 * soro_icrc_update() - add what follows the head, in as many pieces as one likes
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

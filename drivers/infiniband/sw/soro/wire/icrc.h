/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The invariant CRC of RoCEv2 (IBA A17.3.3, 7.8.1).
 *
 * Owns: which bytes count and which are masked. Must not know: skbs, and how
 * a CRC-32 is computed (compat/soro_crc32.h).
 *
 * A CRC is built in steps: one of the two starts, then soro_icrc_head(), then
 * soro_icrc_update() up to the end of the pad, then soro_icrc_final(). All values
 * between are opaque. The packets of a train share a head, see soro_icrc_with_id().
 */
#ifndef SORO_WIRE_ICRC_H
#define SORO_WIRE_ICRC_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#define SORO_ICRC_HEAD_BYTES	8	/* of the BTH, which has 12 */

/**
 * struct soro_icrc_heads - heads of packets that went the same way, to be used again
 * @of: what the head was made of, and what it is with identification 0, by opcode:
 *	FIRST, MIDDLE and LAST of one operation do not displace each other
 *
 * Addresses and destination port must be the same for all; zeroed at first.
 */
struct soro_icrc_heads {
	struct soro_icrc_known {
		u64 bth;
		u64 rest;
		u32 crc;
	} of[4];
};

/**
 * soro_icrc_known() - the place of a head
 * @heads: where to look
 * @bth: %SORO_ICRC_HEAD_BYTES of the BTH
 */
static inline struct soro_icrc_known *soro_icrc_known(struct soro_icrc_heads *heads,
						      const u8 *bth)
{
	return &heads->of[bth[0] % ARRAY_SIZE(heads->of)];
}

/**
 * soro_icrc_is_known() - whether a head was computed before
 * @known: its place
 * @bth: %SORO_ICRC_HEAD_BYTES of the BTH
 * @rest: whatever else differs from packet to packet; not 0
 */
static inline bool soro_icrc_is_known(const struct soro_icrc_known *known, const u8 *bth, u64 rest)
{
	return known->rest == rest && !memcmp(&known->bth, bth, SORO_ICRC_HEAD_BYTES);
}

/**
 * soro_icrc_know() - keep a head
 * @known: its place
 * @bth: %SORO_ICRC_HEAD_BYTES of the BTH
 * @rest: whatever else differs from packet to packet; not 0
 * @crc: soro_icrc_head()
 */
static inline void soro_icrc_know(struct soro_icrc_known *known, const u8 *bth, u64 rest, u32 crc)
{
	memcpy(&known->bth, bth, SORO_ICRC_HEAD_BYTES);
	known->rest = rest;
	known->crc = crc;
}

u32 soro_icrc_start4(const void *iph, u16 tot_len, u16 ip_id, u16 sport, u16 dport, u16 udp_len);
u32 soro_icrc_start6(const void *saddr, const void *daddr, u16 payload_len,
		     u16 sport, u16 dport, u16 udp_len);
u32 soro_icrc_head(u32 crc, const u8 *bth);
u32 soro_icrc_with_id(u32 crc, u16 ip_id);
u32 soro_icrc_update(u32 crc, const void *data, size_t len);

/**
 * soro_icrc_final() - the ICRC of what was added
 * @crc: state
 *
 * Return: the value as it stands in the last four bytes of the packet. The
 * CRC of the specification goes out with its coefficients in the order of the
 * bits on the link, which for the reflected form is little endian.
 */
static inline __le32 soro_icrc_final(u32 crc)
{
	return cpu_to_le32(~crc);
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: packets as bytes.
 */
#include <stdlib.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "frame.h"
#include "wire/icrc.h"

#define DPORT		4791
#define IP_UDP_BYTES	28

static u32 start_icrc(const struct frame *frame, u8 from)
{
	u8 ip[20] = { 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 1 };

	ip[15] += from;
	ip[19] += !from;
	return soro_icrc_start4(ip, frame->len + IP_UDP_BYTES, frame->ip_id, 0xc000 + from, DPORT,
				frame->len + 8);
}

static __le32 icrc_of(const struct frame *frame, u8 from)
{
	u32 crc = soro_icrc_head(start_icrc(frame, from), frame->bytes);

	crc = soro_icrc_update(crc, frame->bytes + SORO_ICRC_HEAD_BYTES,
			       frame->len - SORO_ICRC_HEAD_BYTES - SORO_ICRC_BYTES);
	return soro_icrc_final(crc);
}

static struct frame *alloc(u32 len)
{
	struct frame *frame = calloc(1, sizeof(*frame) + len);

	if (!frame)
		abort();
	frame->len = len;
	return frame;
}

/**
 * frame_build() - make a packet
 * @pkt: headers; payload_len bytes follow
 * @payload: payload
 * @from: sending side, 0 or 1
 * @ip_id: IP identification
 */
struct frame *frame_build(const struct soro_pkt *pkt, const u8 *payload, u8 from, u16 ip_id)
{
	const struct soro_opcode_row *row = soro_opcode_row(pkt->opcode);
	struct frame *frame;
	u32 hdr_len;
	__le32 icrc;

	if (!row)
		abort();
	frame = alloc(soro_packet_bytes(row, pkt->payload_len));
	frame->ip_id = ip_id;
	hdr_len = soro_packet_build(frame->bytes, pkt);
	memcpy(frame->bytes + hdr_len, payload, pkt->payload_len);
	icrc = icrc_of(frame, from);
	memcpy(frame->bytes + frame->len - SORO_ICRC_BYTES, &icrc, sizeof(icrc));
	return frame;
}

struct frame *frame_copy(const struct frame *frame)
{
	struct frame *copy = alloc(frame->len);

	memcpy(copy, frame, sizeof(*frame) + frame->len);
	return copy;
}

/**
 * frame_parse() - take a packet apart as a receiver does
 * @frame: packet
 * @from: sending side
 * @pkt: filled
 *
 * Return: false if it must be dropped: malformed or wrong ICRC.
 */
bool frame_parse(const struct frame *frame, u8 from, struct soro_pkt *pkt)
{
	__le32 icrc;

	memset(pkt, 0, sizeof(*pkt));
	if (soro_packet_parse(pkt, frame->bytes, frame->len, frame->len))
		return false;
	icrc = icrc_of(frame, from);
	return !memcmp(frame->bytes + frame->len - SORO_ICRC_BYTES, &icrc, sizeof(icrc));
}

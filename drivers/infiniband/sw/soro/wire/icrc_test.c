// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the ICRC. The expected values of IPv4 were computed by scapy's
 * RoCE layer, those of IPv6 by zlib over a hand-made pseudo packet.
 */
#include <kunit/test.h>
#include "icrc.h"
#include "packet.h"
#include "soro_crc32.h"

#define SPORT		0xc123
#define DPORT		4791
#define IP_ID		0xfffe

/* DF, TTL 33, ToS 2, a checksum that is to be ignored */
static const u8 ipv4[20] = {
	0x45, 0x02, 0xaa, 0xaa, 0xbb, 0xbb, 0x40, 0x00, 33, 17, 0x12, 0x34,
	192, 0, 2, 1, 198, 51, 100, 7
};

static const struct vector {
	unsigned int payload_len;
	u32 icrc4;
	u32 icrc6;
} vectors[] = {
	{ 0, 0x6c3c9a76, 0x7c77fd94 },
	{ 1, 0xfe2ca039, 0xde8c8912 },
	{ 2, 0xb7d9baa0, 0x9779938b },
	{ 3, 0x28a73861, 0x0807114a },
	{ 4, 0x7fa93f78, 0x5f091653 },
	{ 5, 0xc282578a, 0x98990613 },
	{ 64, 0x7d8f2d7e, 0xa54b54ce },
	{ 255, 0x750b2514, 0xdbb9d0f9 },
	{ 256, 0x23b6612b, 0x8d0494c6 },
	{ 1023, 0x77b8e677, 0x190bd4bc },
	{ 1024, 0xa985ad3b, 0xc7369ff0 },
	{ 4095, 0xd70f4975, 0x0c6aa539 },
	{ 4096, 0x97f8d4cd, 0x4c9d3881 },
};

struct packet {
	u8 hdr[SORO_HDR_MAX];
	u8 payload[SORO_PAYLOAD_MAX];
	unsigned int hdr_len;
	unsigned int payload_len;	/* with pad */
	unsigned int udp_len;
};

static struct packet *make(struct kunit *test, unsigned int payload_len, u8 flags)
{
	struct packet *packet = kunit_kzalloc(test, sizeof(*packet), GFP_KERNEL);
	struct soro_pkt pkt = {
		.opcode = soro_opcode_make(SORO_RC, SORO_SEND, SORO_ONLY, 0),
		.flags = SORO_PKT_SE | SORO_PKT_MIG | SORO_PKT_ACKREQ | flags,
		.pkey = 0xffff,
		.qpn = 0x123456,
		.psn = 0xabcdef,
		.payload_len = payload_len,
	};
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, packet);
	packet->hdr_len = soro_packet_build(packet->hdr, &pkt);
	for (i = 0; i < payload_len; i++)
		packet->payload[i] = 7 * i + 3;
	packet->payload_len = payload_len + soro_packet_pad(payload_len);
	packet->udp_len = 8 + packet->hdr_len + packet->payload_len + SORO_ICRC_BYTES;
	return packet;
}

static u32 finish(u32 crc, const struct packet *packet)
{
	crc = soro_icrc_head(crc, packet->hdr);
	crc = soro_icrc_update(crc, packet->hdr + SORO_ICRC_HEAD_BYTES,
			       packet->hdr_len - SORO_ICRC_HEAD_BYTES);
	crc = soro_icrc_update(crc, packet->payload, packet->payload_len);
	return le32_to_cpu(soro_icrc_final(crc));
}

static u32 icrc4(const struct packet *packet)
{
	return finish(soro_icrc_start4(ipv4, 20 + packet->udp_len, IP_ID, SPORT, DPORT,
				       packet->udp_len), packet);
}

static u32 icrc6(const struct packet *packet)
{
	u8 saddr[16], daddr[16];
	unsigned int i;

	for (i = 0; i < 16; i++) {
		saddr[i] = 0x20 + i;
		daddr[i] = 0x40 + i;
	}
	return finish(soro_icrc_start6(saddr, daddr, packet->udp_len, SPORT, DPORT,
				       packet->udp_len), packet);
}

static void vectors_match(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct packet *packet = make(test, vectors[i].payload_len, 0);

		KUNIT_EXPECT_EQ_MSG(test, icrc4(packet), vectors[i].icrc4, "IPv4, %u bytes",
				    vectors[i].payload_len);
		KUNIT_EXPECT_EQ_MSG(test, icrc6(packet), vectors[i].icrc6, "IPv6, %u bytes",
				    vectors[i].payload_len);
	}
}

static void congestion_bits_are_masked(struct kunit *test)
{
	struct packet *plain = make(test, 5, 0);
	struct packet *marked = make(test, 5, SORO_PKT_FECN | SORO_PKT_BECN);

	KUNIT_EXPECT_NE(test, plain->hdr[4], marked->hdr[4]);
	KUNIT_EXPECT_EQ(test, icrc4(plain), icrc4(marked));
	KUNIT_EXPECT_EQ(test, icrc6(plain), icrc6(marked));
}

/* Everything else counts: flip each bit of headers and payload. */
static void every_bit_counts(struct kunit *test)
{
	struct packet *packet = make(test, 5, 0);
	u32 good = icrc4(packet);
	unsigned int bit;

	for (bit = 0; bit < 8 * packet->hdr_len; bit++) {
		packet->hdr[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_EQ_MSG(test, icrc4(packet) == good, bit / 8 == 4, "header bit %u",
				    bit);
		packet->hdr[bit / 8] ^= 1 << bit % 8;
	}
	for (bit = 0; bit < 8 * packet->payload_len; bit++) {
		packet->payload[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_NE_MSG(test, icrc4(packet), good, "payload bit %u", bit);
		packet->payload[bit / 8] ^= 1 << bit % 8;
	}
}

static void ip_bits_count_or_not(struct kunit *test)
{
	/* ToS, TTL and checksum are masked; length and ID come as arguments. */
	static const bool ignored[20] = { [1] = 1, [2] = 1, [3] = 1, [4] = 1, [5] = 1,
					  [8] = 1, [10] = 1, [11] = 1 };
	u32 good = soro_icrc_start4(ipv4, 100, 1, 2, 3, 80);
	unsigned int i;

	for (i = 0; i < sizeof(ipv4); i++) {
		u8 iph[20];

		memcpy(iph, ipv4, sizeof(iph));
		iph[i] ^= 0x80;
		KUNIT_EXPECT_EQ_MSG(test, soro_icrc_start4(iph, 100, 1, 2, 3, 80) == good,
				    ignored[i], "byte %u", i);
	}
	KUNIT_EXPECT_NE(test, soro_icrc_start4(ipv4, 101, 1, 2, 3, 80), good);
	KUNIT_EXPECT_NE(test, soro_icrc_start4(ipv4, 100, 2, 2, 3, 80), good);
	KUNIT_EXPECT_NE(test, soro_icrc_start4(ipv4, 100, 1, 3, 3, 80), good);
	KUNIT_EXPECT_NE(test, soro_icrc_start4(ipv4, 100, 1, 2, 4, 80), good);
	KUNIT_EXPECT_NE(test, soro_icrc_start4(ipv4, 100, 1, 2, 3, 81), good);
}

/* However the bytes are cut, long or short: the same CRC. */
static void pieces_add_up(struct kunit *test)
{
	static const unsigned int cuts[] = { 0, 1, 7, 16, 79, 159, 160, 161, 1000, 4095, 4096 };
	struct packet *packet = make(test, 4096, 0);
	u32 whole = soro_icrc_update(0x12345678, packet->payload, 4096);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		u32 crc = soro_icrc_update(0x12345678, packet->payload, cuts[i]);

		crc = soro_icrc_update(crc, packet->payload + cuts[i], 4096 - cuts[i]);
		KUNIT_EXPECT_EQ_MSG(test, crc, whole, "cut at %u", cuts[i]);
	}
}

static void identification_is_added(struct kunit *test)
{
	static const u8 bth[SORO_ICRC_HEAD_BYTES] = { 1, 0x40, 0xff, 0xff, 0, 0, 0, 0x11 };
	u32 head = soro_icrc_head(soro_icrc_start4(ipv4, 100, 0, 2, 3, 80), bth);
	u32 id, start;

	for (id = 0; id < 0x10000; id++) {
		start = soro_icrc_start4(ipv4, 100, id, 2, 3, 80);
		KUNIT_ASSERT_EQ(test, soro_icrc_with_id(head, id), soro_icrc_head(start, bth));
	}
}

static int find_fast_crc(struct kunit_suite *suite)
{
	soro_crc32_init();
	return 0;
}

static void forget_fast_crc(struct kunit_suite *suite)
{
	soro_crc32_exit();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(vectors_match),
	KUNIT_CASE(congestion_bits_are_masked),
	KUNIT_CASE(identification_is_added),
	KUNIT_CASE(every_bit_counts),
	KUNIT_CASE(ip_bits_count_or_not),
	KUNIT_CASE(pieces_add_up),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_icrc",
	.suite_init = find_fast_crc,
	.suite_exit = forget_fast_crc,
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * RoCEv2 frames as they pass a netdev: seen, told apart, sent again.
 *
 * Owns: one packet socket. Knows no verbs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "path.h"

#define ROCE_PORT	4791
#define UDP_BYTES	8
#define WRITE_ONLY	0x0a	/* BTH opcode of a request in one packet */
#define FRAME_MAX	2048	/* of what can be sent again */
#define BUFFER_BYTES	(32 << 20)
#define KINDS_MAX	512
#define TAG_BYTES	4

/* All that tells frames apart. */
struct kind {
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	int vid, pcp;		/* -1 without a tag */
	int version;
	uint16_t sport;
	uint8_t tos, ttl;
	uint32_t label, dqpn;
	unsigned long count;
};

static struct kind kinds[KINDS_MAX];
static int kind_count;
static unsigned long lost;
static int fd = -1;
static int ifindex;

static uint8_t request[FRAME_MAX];	/* without a tag */
static size_t request_bytes;

static uint16_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static bool fail(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	return false;
}

bool watch_open(const char *netdev)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};
	int bytes = BUFFER_BYTES, on = 1;

	ifindex = if_nametoindex(netdev);
	if (!ifindex)
		return fail(netdev);
	addr.sll_ifindex = ifindex;
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fail("packet socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fail(netdev);
	return true;
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->vid == b->vid && a->pcp == b->pcp && a->version == b->version &&
	       a->sport == b->sport && a->tos == b->tos && a->ttl == b->ttl &&
	       a->label == b->label && a->dqpn == b->dqpn && !strcmp(a->src, b->src) &&
	       !strcmp(a->dst, b->dst);
}

static void count(const struct kind *kind)
{
	int i;

	for (i = 0; i < kind_count && !same_kind(&kinds[i], kind); i++)
		;
	if (i == KINDS_MAX) {
		lost++;
		return;
	}
	if (i == kind_count) {
		kinds[i] = *kind;
		kind_count++;
	}
	kinds[i].count++;
}

/* The tag that the kernel took out of the frame. */
static void read_tag(struct msghdr *msg, struct kind *kind)
{
	const struct tpacket_auxdata *aux;
	struct cmsghdr *cmsg;

	kind->vid = -1;
	kind->pcp = -1;
	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_PACKET || cmsg->cmsg_type != PACKET_AUXDATA)
			continue;
		aux = (const struct tpacket_auxdata *)CMSG_DATA(cmsg);
		if (!(aux->tp_status & TP_STATUS_VLAN_VALID))
			continue;
		kind->vid = aux->tp_vlan_tci & 0xfff;
		kind->pcp = aux->tp_vlan_tci >> 13;
	}
}

/* A tag that is still in the frame; the frame is then without. */
static size_t pull_tag(uint8_t *frame, size_t bytes, struct kind *kind)
{
	if (get16(frame + 12) != ETH_P_8021Q)
		return bytes;
	kind->vid = get16(frame + 14) & 0xfff;
	kind->pcp = frame[14] >> 5;
	memmove(frame + 12, frame + 12 + TAG_BYTES, bytes - 12 - TAG_BYTES);
	return bytes - TAG_BYTES;
}

/* Returns where UDP begins, 0 for what is no UDP over IP. */
static size_t read_ip(const uint8_t *ip, struct kind *kind)
{
	if (ip[0] >> 4 == 4) {
		kind->version = 4;
		kind->tos = ip[1];
		kind->ttl = ip[8];
		inet_ntop(AF_INET, ip + 12, kind->src, sizeof(kind->src));
		inet_ntop(AF_INET, ip + 16, kind->dst, sizeof(kind->dst));
		return ip[9] == IPPROTO_UDP ? (ip[0] & 15) * 4 : 0;
	}
	kind->version = 6;
	kind->tos = get16(ip) >> 4;
	kind->label = (ip[1] & 15) << 16 | get16(ip + 2);
	kind->ttl = ip[7];
	inet_ntop(AF_INET6, ip + 8, kind->src, sizeof(kind->src));
	inet_ntop(AF_INET6, ip + 24, kind->dst, sizeof(kind->dst));
	return ip[6] == IPPROTO_UDP ? 40 : 0;
}

static void look_at(uint8_t *frame, size_t bytes, struct kind *kind, bool whole, bool ours)
{
	const uint8_t *udp, *bth;
	uint16_t proto;
	size_t offset;

	bytes = pull_tag(frame, bytes, kind);
	proto = get16(frame + 12);
	if (proto != ETH_P_IP && proto != ETH_P_IPV6)
		return;
	offset = read_ip(frame + ETH_HLEN, kind);
	if (!offset || bytes < ETH_HLEN + offset + UDP_BYTES + 12)
		return;
	udp = frame + ETH_HLEN + offset;
	bth = udp + UDP_BYTES;
	if (get16(udp + 2) != ROCE_PORT)
		return;
	kind->sport = get16(udp);
	kind->dqpn = bth[5] << 16 | get16(bth + 6);
	count(kind);
	if (ours && whole && bth[0] == WRITE_ONLY) {
		memcpy(request, frame, bytes);
		request_bytes = bytes;
	}
}

void watch_collect(void)
{
	uint8_t frame[FRAME_MAX], control[256];
	struct sockaddr_ll from;
	ssize_t bytes;

	if (fd < 0)
		return;
	for (;;) {
		struct kind kind = { 0 };
		struct iovec iov = { frame, sizeof(frame) };
		struct msghdr msg = {
			.msg_name = &from,
			.msg_namelen = sizeof(from),
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};

		bytes = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_TRUNC);
		if (bytes < 0)
			return;
		read_tag(&msg, &kind);
		if (bytes > ETH_HLEN + 40)
			look_at(frame, bytes < FRAME_MAX ? bytes : FRAME_MAX, &kind,
				bytes < FRAME_MAX, from.sll_pkttype == PACKET_OUTGOING);
	}
}

void watch_print(void)
{
	struct tpacket_stats stats = { 0 };
	socklen_t len = sizeof(stats);
	const struct kind *k;

	if (fd < 0)
		return;
	watch_collect();
	if (!getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		lost += stats.tp_drops;
	for (k = kinds; k < kinds + kind_count; k++)
		printf("frame vid=%d pcp=%d ip=%d src=%s dst=%s sport=%u tos=%u ttl=%u label=%u dqpn=%u count=%lu\n",
		       k->vid, k->pcp, k->version, k->src, k->dst, k->sport, k->tos, k->ttl,
		       k->label, k->dqpn, k->count);
	printf("missed %lu\n", lost);
}

static uint16_t ip_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < (ip[0] & 15) * 4; i += 2)
		sum += get16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* The ICRC stays that of the old addresses. */
static bool readdress(uint8_t *ip, const char *src, const char *dst)
{
	if (inet_pton(AF_INET, src, ip + 12) != 1 || inet_pton(AF_INET, dst, ip + 16) != 1)
		return fail("address");
	put16(ip + 10, 0);
	put16(ip + 10, ip_checksum(ip));
	return true;
}

bool watch_resend(const char *spec)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = ifindex,
		.sll_halen = ETH_ALEN,
	};
	char src[INET_ADDRSTRLEN], dst[INET_ADDRSTRLEN];
	uint8_t frame[FRAME_MAX + TAG_BYTES];
	size_t bytes = request_bytes, tag = 0;
	int vid, fields;

	fields = sscanf(spec, "%d,%15[0-9.],%15[0-9.]", &vid, src, dst);
	if (!bytes || fields < 1) {
		printf("# no request to send again\n");
		return false;
	}
	if (vid) {
		put16(frame + 12, ETH_P_8021Q);
		put16(frame + 14, vid);
		tag = TAG_BYTES;
	}
	memcpy(frame, request, 12);
	memcpy(frame + 12 + tag, request + 12, bytes - 12);
	if (fields == 3 && !readdress(frame + ETH_HLEN + tag, src, dst))
		return false;
	to.sll_protocol = htons(get16(frame + 12));
	memcpy(to.sll_addr, frame, ETH_ALEN);
	if (sendto(fd, frame, bytes + tag, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return fail("send");
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * soro_path: RC connections between two addresses, with the attributes of a path
 * that the caller wants, data checked; and what their frames looked like.
 *
 *	soro_path -d DEV -a ADDRESS [-D DEV] [-A ADDRESS] [options]
 *
 * Both ends are in this process. It prints facts, one a line, and judges only the
 * data; the last line is "data ok" and the exit status 0 when all of them arrived.
 * Exit status 3: the state cannot be changed to RTR ("refused ERRNO"); 4: a
 * completion in error ("failed OPERATION STATUS"); 1: anything else.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "path.h"

#define QPS_MAX		128
#define SPECS_MAX	8
#define COUNTERS_MAX	128
#define NAME_LEN	64
#define GID_WAIT_MSEC	20000
#define POLLS		1000		/* before it sleeps between them */
#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ)

enum { EXIT_REFUSED = 3, EXIT_FAILED = 4 };

static struct {
	const char *dev[2], *addr[2];
	const char *watch, *wait_file;
	const char *specs[SPECS_MAX];
	unsigned int spec_count;
	unsigned int qps, mtu, tclass, label, hops, bytes, rounds, timeout, wait_msec;
} args = {
	.qps = 1, .mtu = 1024, .hops = 64, .bytes = 10000, .rounds = 2, .timeout = 18,
	.wait_msec = 60000,
};

/* One side: a device, an address of it, memory, a QP of each connection. */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	union ibv_gid gid;
	int index;
	uint8_t *buf;			/* for each QP: bytes to send, bytes that came */
	struct ibv_qp *qp[QPS_MAX];
};

static struct end ends[2];

static void leave(int status)
{
	fflush(stdout);
	exit(status);
}

static void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	leave(EXIT_FAILURE);
}

static long msec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nap(void)
{
	struct timespec t = { .tv_nsec = 20000000 };

	watch_collect();
	nanosleep(&t, NULL);
}

/* ---- devices and addresses ---- */

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i] && !ctx; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	}
	if (!ctx)
		die(name);
	return ctx;
}

static void parse_address(const char *text, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (inet_pton(AF_INET6, text, gid->raw) == 1)
		return;
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	if (inet_pton(AF_INET, text, gid->raw + 12) != 1)
		die(text);
}

static void print_port(struct ibv_context *ctx)
{
	struct ibv_port_attr port;

	errno = ibv_query_port(ctx, 1, &port);
	if (errno)
		die("port");
	printf("port active_mtu=%u\n", 128U << port.active_mtu);
}

/* Index of an address as a RoCEv2 GID; the core fills its table a while after the address. */
static int find_gid(struct ibv_context *ctx, const union ibv_gid *gid)
{
	struct ibv_gid_entry table[256];
	ssize_t i, n = ibv_query_gid_table(ctx, table, 256, 0);

	for (i = 0; i < n; i++) {
		if (table[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(table[i].gid.raw, gid->raw, sizeof(gid->raw)))
			return table[i].gid_index;
	}
	return -1;
}

static void open_end(struct end *end, const char *dev, const char *addr)
{
	size_t bytes = 2UL * args.bytes * args.qps;
	long until = msec() + GID_WAIT_MSEC;

	end->ctx = open_device(dev);
	parse_address(addr, &end->gid);
	while ((end->index = find_gid(end->ctx, &end->gid)) < 0) {
		if (msec() > until) {
			errno = EADDRNOTAVAIL;
			die(addr);
		}
		nap();
	}
	end->pd = ibv_alloc_pd(end->ctx);
	end->cq = ibv_create_cq(end->ctx, 16, NULL, NULL, 0);
	end->buf = calloc(1, bytes);
	if (!end->pd || !end->cq || !end->buf)
		die("objects");
	end->mr = ibv_reg_mr(end->pd, end->buf, bytes, RIGHTS);
	if (!end->mr)
		die("memory region");
}

/* ---- connections ---- */

static struct ibv_qp *create_qp(struct end *end)
{
	struct ibv_qp_init_attr init = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = RIGHTS,
	};
	struct ibv_qp *qp = ibv_create_qp(end->pd, &init);

	if (!qp)
		die("QP");
	errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS);
	if (errno)
		die("INIT");
	return qp;
}

static enum ibv_mtu mtu_code(unsigned int bytes)
{
	enum ibv_mtu code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && 128U << code < bytes)
		code++;
	return code;
}

static void to_rtr(struct ibv_qp *qp, const struct end *end, const struct end *peer, uint32_t dqpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu_code(args.mtu),
		.dest_qp_num = dqpn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = {
				.dgid = peer->gid,
				.sgid_index = end->index,
				.traffic_class = args.tclass,
				.flow_label = args.label,
				.hop_limit = args.hops,
			},
		},
	};
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER);

	if (!err)
		return;
	printf("refused %s\n", strerrorname_np(err));
	leave(EXIT_REFUSED);
}

static void to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = args.timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};

	errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	if (errno)
		die("RTS");
}

static void connect_ends(unsigned int i)
{
	struct ibv_qp *a = create_qp(&ends[0]), *b = create_qp(&ends[1]);

	to_rtr(a, &ends[0], &ends[1], b->qp_num);
	to_rtr(b, &ends[1], &ends[0], a->qp_num);
	to_rts(a);
	to_rts(b);
	ends[0].qp[i] = a;
	ends[1].qp[i] = b;
	printf("qp %u %u\n", a->qp_num, b->qp_num);
}

/* What the kernel says that it uses. */
static void print_path(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	errno = ibv_query_qp(ends[0].qp[0], &attr, IBV_QP_AV | IBV_QP_PATH_MTU, &init);
	if (errno)
		die("query");
	printf("path mtu=%u tclass=%u label=%u hops=%u\n", 128U << attr.path_mtu,
	       attr.ah_attr.grh.traffic_class, attr.ah_attr.grh.flow_label,
	       attr.ah_attr.grh.hop_limit);
}

/* ---- data ---- */

static uint8_t *out_of(const struct end *end, unsigned int i)
{
	return end->buf + 2UL * args.bytes * i;
}

static uint8_t *in_of(const struct end *end, unsigned int i)
{
	return out_of(end, i) + args.bytes;
}

static void fill(uint8_t *p, uint32_t seed)
{
	uint32_t x = seed * 2654435761U + 1;
	unsigned int i;

	for (i = 0; i < args.bytes; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = x >> 24;
	}
}

static void wait_for(struct end *end, const char *what)
{
	long until = msec() + args.wait_msec;
	unsigned int polls = 0;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(end->cq, 1, &wc))) {
		if (msec() > until) {
			printf("failed %s nothing came\n", what);
			leave(EXIT_FAILED);
		}
		if (polls++ < POLLS)
			sched_yield();
		else
			nap();
	}
	if (n < 0)
		die("poll");
	if (wc.status == IBV_WC_SUCCESS)
		return;
	printf("failed %s %s\n", what, ibv_wc_status_str(wc.status));
	watch_print();
	leave(EXIT_FAILED);
}

static void post_send(struct end *end, unsigned int i, const struct end *peer,
		      enum ibv_wr_opcode opcode, uint8_t *local, uint8_t *remote)
{
	struct ibv_sge sge = { (uintptr_t)local, args.bytes, end->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)remote, peer->mr->rkey },
	};

	errno = ibv_post_send(end->qp[i], &wr, &bad);
	if (errno)
		die("post");
}

static void post_recv(struct end *end, unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)in_of(end, i), args.bytes, end->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	errno = ibv_post_recv(end->qp[i], &wr, &bad);
	if (errno)
		die("post");
}

static void compare(const char *what, const uint8_t *sent, const uint8_t *came)
{
	unsigned int i;

	for (i = 0; i < args.bytes; i++) {
		if (sent[i] == came[i])
			continue;
		printf("# %s: byte %u is %02x, not %02x\n", what, i, came[i], sent[i]);
		leave(EXIT_FAILURE);
	}
}

static void move(struct end *end, struct end *peer, unsigned int i, uint32_t seed)
{
	uint8_t *out = out_of(end, i), *in = in_of(peer, i);

	fill(out, seed);
	memset(in, 0, args.bytes);
	post_send(end, i, peer, IBV_WR_RDMA_WRITE, out, in);
	wait_for(end, "WRITE");
	compare("WRITE", out, in);

	fill(out, seed + 1);
	memset(in, 0, args.bytes);
	post_recv(peer, i);
	post_send(end, i, peer, IBV_WR_SEND, out, NULL);
	wait_for(end, "SEND");
	wait_for(peer, "receive");
	compare("SEND", out, in);

	out = out_of(peer, i);
	in = in_of(end, i);
	fill(out, seed + 2);
	memset(in, 0, args.bytes);
	post_send(end, i, peer, IBV_WR_RDMA_READ, in, out);
	wait_for(end, "READ");
	compare("READ", out, in);
	watch_collect();
}

static void run(void)
{
	unsigned int round, i, seed = 0;

	for (round = 0; round < args.rounds; round++) {
		for (i = 0; i < args.qps; i++) {
			move(&ends[0], &ends[1], i, seed++);
			move(&ends[1], &ends[0], i, seed++);
		}
	}
}

/* ---- frames that are sent again ---- */

struct counter {
	char name[NAME_LEN];
	unsigned long long value;
};

static int read_counters(struct counter *list)
{
	char path[512];
	struct dirent *entry;
	DIR *dir;
	FILE *file;
	int n = 0;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters", args.dev[1]);
	dir = opendir(path);
	if (!dir)
		die(path);
	while ((entry = readdir(dir)) && n < COUNTERS_MAX) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "lifespan"))
			continue;
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
			 args.dev[1], entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		snprintf(list[n].name, NAME_LEN, "%.63s", entry->d_name);
		if (fscanf(file, "%llu", &list[n].value) == 1)
			n++;
		fclose(file);
	}
	closedir(dir);
	return n;
}

/* Which counters of the second device does the frame move? */
static void resend(const char *spec)
{
	static struct counter before[COUNTERS_MAX], after[COUNTERS_MAX];
	int n = read_counters(before), i, moved = 0;
	long until = msec() + 1500;

	if (!watch_resend(spec))
		leave(EXIT_FAILURE);
	do {
		nap();
		if (read_counters(after) != n)
			die("counters");
		for (i = 0; i < n; i++)
			moved |= after[i].value != before[i].value;
	} while (!moved && msec() < until);
	/* what belongs together has been counted together soon after */
	nap();
	read_counters(after);
	printf("resent %s:", spec);
	for (i = 0; i < n; i++) {
		if (after[i].value != before[i].value)
			printf(" %s", after[i].name);
	}
	printf("%s\n", moved ? "" : " nothing");
}

/* ---- main ---- */

static void usage(void)
{
	printf("usage: soro_path -d DEV -a ADDRESS [options]\n"
	       "  -D DEV -A ADDRESS  the other end, else the same device and address\n"
	       "  -q N       connections\n"
	       "  -m BYTES   path MTU\n"
	       "  -t N -f N -l N  traffic class, flow label, hop limit\n"
	       "  -s BYTES   length of a message\n"
	       "  -n N       rounds of WRITE, SEND and READ, both ways\n"
	       "  -T N       timeout of a QP, as its code\n"
	       "  -w FILE    once connected, wait for the file before data are sent\n"
	       "  -c NETDEV  print what frames of RoCEv2 pass it, and how many\n"
	       "  -r VID[,SADDR,DADDR]  with -c, at the end: send the last request in one\n"
	       "             packet again with that VLAN tag (0: none) and those addresses, and\n"
	       "             name the counters of the second device that it moves; repeatable\n");
	leave(EXIT_FAILURE);
}

static const struct {
	int letter;
	const char **text;
} texts[] = {
	{ 'd', &args.dev[0] },
	{ 'D', &args.dev[1] },
	{ 'a', &args.addr[0] },
	{ 'A', &args.addr[1] },
	{ 'w', &args.wait_file },
	{ 'c', &args.watch },
};

static const struct {
	int letter;
	unsigned int *value, most;
} numbers[] = {
	{ 'q', &args.qps, QPS_MAX },
	{ 'm', &args.mtu, 4096 },
	{ 't', &args.tclass, 255 },
	{ 'f', &args.label, 0xfffff },
	{ 'l', &args.hops, 255 },
	{ 's', &args.bytes, 1 << 20 },
	{ 'n', &args.rounds, 1000 },
	{ 'T', &args.timeout, 31 },
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static bool take_option(int letter)
{
	unsigned int i;
	char *end;

	for (i = 0; i < COUNT(texts); i++) {
		if (texts[i].letter != letter)
			continue;
		*texts[i].text = optarg;
		return true;
	}
	for (i = 0; i < COUNT(numbers); i++) {
		if (numbers[i].letter != letter)
			continue;
		*numbers[i].value = strtoul(optarg, &end, 0);
		return !*end && *numbers[i].value <= numbers[i].most;
	}
	if (letter != 'r' || args.spec_count == SPECS_MAX)
		return false;
	args.specs[args.spec_count++] = optarg;
	return true;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:D:a:A:q:m:t:f:l:s:n:T:w:c:r:")) != -1) {
		if (!take_option(c))
			usage();
	}
	if (!args.dev[0] || !args.addr[0] || !args.qps || !args.bytes)
		usage();
	args.dev[1] = args.dev[1] ?: args.dev[0];
	args.addr[1] = args.addr[1] ?: args.addr[0];
}

int main(int argc, char **argv)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv);
	if (args.watch && !watch_open(args.watch))
		return EXIT_FAILURE;
	open_end(&ends[0], args.dev[0], args.addr[0]);
	open_end(&ends[1], args.dev[1], args.addr[1]);
	print_port(ends[0].ctx);
	for (i = 0; i < args.qps; i++)
		connect_ends(i);
	print_path();
	printf("connected\n");
	while (args.wait_file && access(args.wait_file, F_OK))
		nap();
	run();
	for (i = 0; i < args.spec_count; i++)
		resend(args.specs[i]);
	watch_print();
	printf("data ok\n");
	return 0;
}

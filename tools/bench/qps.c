// SPDX-License-Identifier: GPL-2.0
/*
 * qps DEVICE GID-INDEX PAIRS... - connected RC QPs, both ends of each pair in this process
 * and on one device: what memory they take while idle, and what a message on one of them
 * costs while the others stay idle. Connects up to each number of PAIRS in turn and prints
 *
 *	qps PAIRS memory BYTES		taken by one of the QPs added, its queues 64 deep
 *	qps PAIRS memory.KIND BYTES	which kind of it, as /proc/meminfo says
 *	qps PAIRS cost NS-PER-MESSAGE	2-byte SEND on the first pair, one at a time, polled
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#define DEPTH	64
#define MESSAGES_FEW	1000
#define MESSAGES_MANY	9000

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static union ibv_gid gid;
static int gid_index;
static char buffer[64];

static void die(const char *what)
{
	fprintf(stderr, "qps: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context)
		die(name);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 256, NULL, NULL, 0);
	if (!pd || !cq || ibv_query_gid(context, 1, gid_index, &gid))
		die("pd, cq, gid");
	mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		die("memory region");
}

static struct ibv_qp *create(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		die("queue pair");
	return qp;
}

static void connect_to(struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("to INIT");
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
		},
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("to RTR");
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("to RTS");
}

/* Lines of /proc/meminfo: memory that nobody uses, then where the other is. */
static const char * const kinds[] = {
	"MemFree", "Slab", "VmallocUsed", "Percpu", "AnonPages", "PageTables",
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static void read_memory(long long *bytes)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128], name[64];
	long long kib;
	size_t i;

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^:]: %lld kB", name, &kib) != 2)
			continue;
		for (i = 0; i < KINDS; i++)
			if (!strcmp(name, kinds[i]))
				bytes[i] = kib * 1024;
	}
	fclose(file);
}

static void show_memory(int pairs, const long long *before, const long long *after, int made)
{
	size_t i;

	printf("qps %d memory %lld\n", pairs, (before[0] - after[0]) / made);
	for (i = 1; i < KINDS; i++)
		printf("qps %d memory.%s %lld\n", pairs, kinds[i], (after[i] - before[i]) / made);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void complete(int wanted)
{
	struct ibv_wc wc;
	int n;

	while (wanted) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0 || (n && wc.status != IBV_WC_SUCCESS)) {
			fprintf(stderr, "qps: completion: %s\n",
				n < 0 ? "poll" : ibv_wc_status_str(wc.status));
			exit(1);
		}
		wanted -= n;
	}
}

static int64_t time_messages(struct ibv_qp *from, struct ibv_qp *to, int n)
{
	struct ibv_sge sge = { .addr = (uintptr_t)buffer, .length = 2, .lkey = mr->lkey };
	struct ibv_send_wr send = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad_send;
	struct ibv_recv_wr *bad_recv;
	int64_t start = now_ns();

	while (n--) {
		if (ibv_post_recv(to, &recv, &bad_recv) || ibv_post_send(from, &send, &bad_send))
			die("post");
		complete(2);
	}
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	struct ibv_qp **qps = NULL;
	int64_t few, many;
	int have = 0, i;

	if (argc < 4) {
		fprintf(stderr, "usage: qps DEVICE GID-INDEX PAIRS...\n");
		return 2;
	}
	gid_index = atoi(argv[2]);
	open_device(argv[1]);
	for (i = 3; i < argc; i++) {
		int want = atoi(argv[i]) * 2, made = 0;
		long long before[KINDS] = { 0 }, after[KINDS] = { 0 };

		qps = realloc(qps, want * sizeof(*qps));
		if (!qps)
			die("memory");
		read_memory(before);
		for (; have < want; have += 2, made += 2) {
			qps[have] = create();
			qps[have + 1] = create();
			connect_to(qps[have], qps[have + 1]->qp_num);
			connect_to(qps[have + 1], qps[have]->qp_num);
		}
		read_memory(after);
		if (made)
			show_memory(want / 2, before, after, made);
		time_messages(qps[0], qps[1], 20);
		few = time_messages(qps[0], qps[1], MESSAGES_FEW);
		many = time_messages(qps[0], qps[1], MESSAGES_MANY);
		printf("qps %d cost %lld\n", want / 2,
		       (long long)(many - few) / (MESSAGES_MANY - MESSAGES_FEW));
		fflush(stdout);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile process: threads write rubbish into every ring that the device
 * mapped, while others ring doorbells, arm CQs, change the QPs' states and
 * destroy and create them, and the SRQ that half of them take receives from.
 * Nothing may happen to the kernel.
 *
 * rings DEVICE GID_INDEX SECONDS SEED - prints TAP; the kernel log is the judge.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define QPS		6
#define DEPTH		32
#define BUFFER_BYTES	65536
#define RINGS_MAX	64
#define QKEY		0x11111111

/* The POST_SEND command of the write() interface, without work requests. */
struct doorbell {
	uint32_t command;
	uint16_t in_words;
	uint16_t out_words;
	uint64_t response;
	uint32_t qp_handle;
	uint32_t wr_count;
	uint32_t sge_count;
	uint32_t wqe_size;
};

struct region {
	uint32_t *words;
	size_t count;
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static struct ibv_srq *srq;		/* of every second QP */
static struct ibv_qp *qps[QPS];
static struct ibv_ah_attr address;	/* of the device itself */
static struct ibv_ah *ah;		/* one that a number in a request may name */
static int gid_index;
static char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));
static pthread_rwlock_t qps_lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int stop;
static unsigned long rung, changed, scribbled;

static uint32_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Values that are worth trying: small, huge, valid keys and addresses, anything. */
static uint32_t nasty(uint64_t *state)
{
	switch (draw(state) % 8) {
	case 0:
		return draw(state) % 16;
	case 1:
		return draw(state) % 2 ? UINT32_MAX - draw(state) % 16 : QKEY;
	case 2:
		return mr->lkey;
	case 3:
		return (uintptr_t)buffer + draw(state) % BUFFER_BYTES;
	case 4:
		return 1U << draw(state) % 32;
	case 5:
		return draw(state) % DEPTH;
	case 6:
		return (uintptr_t)buffer >> 32;
	default:
		return draw(state);
	}
}

/* The rings are what the process has mapped of the device. */
static int find_rings(struct region *rings)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512];
	int n = 0;

	while (maps && n < RINGS_MAX && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "uverbs") || sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		rings[n].words = (uint32_t *)from;
		rings[n++].count = (to - from) / sizeof(uint32_t);
	}
	if (maps)
		fclose(maps);
	return n;
}

static void *scribble(void *arg)
{
	uint64_t state = (uintptr_t)arg;
	struct region rings[RINGS_MAX];
	int n, i, k;

	while (!stop) {
		pthread_rwlock_rdlock(&qps_lock);
		n = find_rings(rings);
		for (i = 0; i < n; i++) {
			/* producer and consumer index, then slots; an SRQ ends at an impossible one */
			rings[i].words[32] = draw(&state) % 64 ? draw(&state) % DEPTH : nasty(&state);
			rings[i].words[64] = nasty(&state);
			for (k = 0; k < 64; k++)
				rings[i].words[96 + draw(&state) % (rings[i].count - 96)] =
					nasty(&state);
			scribbled += 66;
		}
		pthread_rwlock_unlock(&qps_lock);
		usleep(100);
	}
	return NULL;
}

static void ring_bell(struct ibv_qp *qp)
{
	uint32_t response[4];
	struct doorbell bell = {
		.command = IB_USER_VERBS_CMD_POST_SEND,
		.in_words = sizeof(bell) / 4,
		.out_words = 1,
		.response = (uintptr_t)response,
		.qp_handle = qp->handle,
		.wqe_size = 128,
	};

	if (write(context->cmd_fd, &bell, sizeof(bell)) < 0 && errno == EFAULT)
		abort();
	rung++;
}

static void *ring(void *arg)
{
	uint64_t state = (uintptr_t)arg;

	while (!stop) {
		pthread_rwlock_rdlock(&qps_lock);
		ring_bell(qps[draw(&state) % QPS]);
		if (draw(&state) % 4 == 0)
			ibv_req_notify_cq(cq, draw(&state) % 2);
		pthread_rwlock_unlock(&qps_lock);
	}
	return NULL;
}

/* Each QP is connected with the next or the previous one. */
static const enum ibv_qp_type types[QPS] = {
	IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_UD,
};

static void create_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 4 } };

	srq = ibv_create_srq(pd, &init);
	if (!srq)
		abort();
}

static void create_qp(int i)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = i & 1 ? srq : NULL,
		.qp_type = types[i],
		.cap = { DEPTH, DEPTH, 4, 4, 128 },
	};

	qps[i] = ibv_create_qp(pd, &init);
	if (!qps[i])
		abort();
}

static int init_mask(enum ibv_qp_type type)
{
	return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
}

static int rtr_mask(enum ibv_qp_type type)
{
	int connected = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	switch (type) {
	case IBV_QPT_UD:
		return IBV_QP_STATE;
	case IBV_QPT_UC:
		return IBV_QP_STATE | connected;
	default:
		return IBV_QP_STATE | connected | IBV_QP_MAX_DEST_RD_ATOMIC |
		       IBV_QP_MIN_RNR_TIMER;
	}
}

static int rts_mask(enum ibv_qp_type type)
{
	int reliable = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;

	return IBV_QP_STATE | IBV_QP_SQ_PSN | (type == IBV_QPT_RC ? reliable : 0);
}

static void to_rts(struct ibv_qp *qp, const struct ibv_qp *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   (qp->qp_type == IBV_QPT_RC ? IBV_ACCESS_REMOTE_READ : 0),
	};

	ibv_modify_qp(qp, &attr, init_mask(qp->qp_type));
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp_num,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = address,
	};
	ibv_modify_qp(qp, &attr, rtr_mask(qp->qp_type));
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.timeout = 10,
		.retry_cnt = 2,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	ibv_modify_qp(qp, &attr, rts_mask(qp->qp_type));
}

static void recreate_srq(void)
{
	int i;

	for (i = 1; i < QPS; i += 2)
		ibv_destroy_qp(qps[i]);
	ibv_destroy_srq(srq);
	create_srq();
	for (i = 1; i < QPS; i += 2) {
		create_qp(i);
		to_rts(qps[i], qps[i ^ 1]);
	}
}

static void modify_srq(uint64_t *state)
{
	struct ibv_srq_attr attr = {
		.max_wr = draw(state) % (2 * DEPTH),
		.srq_limit = draw(state) % DEPTH,
	};

	ibv_modify_srq(srq, &attr, draw(state) % 4);
}

static void *change(void *arg)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_RESET, IBV_QPS_ERR, IBV_QPS_SQD };
	uint64_t state = (uintptr_t)arg;

	while (!stop) {
		int i = draw(&state) % QPS;
		struct ibv_qp_attr attr = { .qp_state = states[draw(&state) % 3] };

		pthread_rwlock_wrlock(&qps_lock);
		modify_srq(&state);
		if (draw(&state) % 16 == 0) {
			recreate_srq();
		} else if (draw(&state) % 4 == 0) {
			ibv_destroy_qp(qps[i]);
			create_qp(i);
		} else {
			ibv_modify_qp(qps[i], &attr, IBV_QP_STATE);
			attr.qp_state = IBV_QPS_RESET;
			ibv_modify_qp(qps[i], &attr, IBV_QP_STATE);
		}
		to_rts(qps[i], qps[i ^ 1]);
		to_rts(qps[i ^ 1], qps[i]);
		pthread_rwlock_unlock(&qps_lock);
		changed++;
		usleep(20000);
	}
	return NULL;
}

static int open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context || ibv_query_gid(context, 1, gid_index, &address.grh.dgid))
		return -1;
	address.is_global = 1;
	address.port_num = 1;
	address.grh.sgid_index = gid_index;
	address.grh.hop_limit = 64;
	pd = ibv_alloc_pd(context);
	channel = ibv_create_comp_channel(context);
	cq = ibv_create_cq(context, 4 * DEPTH, NULL, channel, 0);
	mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	ah = ibv_create_ah(pd, &address);
	return cq && mr && ah ? 0 : -1;
}

int main(int argc, char **argv)
{
	void *(*jobs[])(void *) = { scribble, ring, ring, change };
	pthread_t threads[4];
	unsigned long seed;
	int ok, i;

	if (argc != 5) {
		fprintf(stderr, "usage: rings DEVICE GID_INDEX SECONDS SEED\n");
		return 2;
	}
	gid_index = atoi(argv[2]);
	seed = strtoul(argv[4], NULL, 0);
	printf("TAP version 13\n1..2\n# seed %lu\n", seed);
	if (open_device(argv[1])) {
		printf("Bail out! no device %s\n", argv[1]);
		return 1;
	}
	create_srq();
	for (i = 0; i < QPS; i++)
		create_qp(i);
	for (i = 0; i < QPS; i++)
		to_rts(qps[i], qps[i ^ 1]);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, jobs[i], (void *)(seed * 4 + i + 1));
	sleep(atoi(argv[3]));
	stop = 1;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ok = rung && changed && scribbled;
	printf("%s 1 - doorbells, changes and rubbish (%lu, %lu, %lu)\n", ok ? "ok" : "not ok",
	       rung, changed, scribbled);
	for (i = 0; i < QPS; i++)
		ok &= !ibv_destroy_qp(qps[i]);
	ok &= !ibv_destroy_srq(srq) && !ibv_destroy_ah(ah) && !ibv_dereg_mr(mr) && !ibv_destroy_cq(cq);
	printf("%s 2 - everything can be destroyed\n", ok ? "ok" : "not ok");
	return !ok;
}

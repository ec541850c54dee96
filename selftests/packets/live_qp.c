// SPDX-License-Identifier: GPL-2.0
/*
 * libsoro_qp.so: the verbs that the scenarios need, as plain functions for qp.py.
 *
 * Owns: one opened device and its queue pairs. Knows no packet and no scenario.
 * Functions return 0 or a negative errno unless they say otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/soro-abi.h>

#define PORT_NUM	1
#define GIDS_MAX	64
#define SGE_MAX		4
#define NO_GID		(-ENOENT)

/* Mirrored by qp.py. */
struct live_opts {
	uint8_t dgid[16];
	uint32_t sgid_index, path_mtu, dest_qpn, rq_psn, sq_psn;
	uint32_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	uint32_t rd_atomic, dest_rd_atomic, access;
	uint32_t send_wr, recv_wr, sge, hop_limit, traffic_class;
	uint32_t type, qkey;	/* enum ibv_qp_type */
	uint32_t srq;		/* receives come from an SRQ of its own */
};

struct live_sge {
	uint64_t addr;
	uint32_t length, lkey;
};

struct live_send {
	uint64_t wr_id, remote_addr, compare_add, swap;
	uint32_t opcode, flags, rkey, imm, num_sge, remote_qkey;
	struct live_sge sge[SGE_MAX];
};

struct live_wc {
	uint64_t wr_id;
	uint32_t status, opcode, byte_len, flags, imm, src_qp;
};

struct live_qp {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;	/* NULL if the provider knows no ATOMIC WRITE */
	struct ibv_cq *scq, *rcq;
	struct ibv_comp_channel *chan;
	struct ibv_srq *srq;	/* or NULL */
	struct ibv_ah *ah;	/* of a UD QP: leads to the peer */
	struct live_opts opts;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd[2];	/* the second one is a stranger's */

/* ---- device ---- */

static int set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

int live_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i] && !ctx; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	}
	if (list)
		ibv_free_device_list(list);
	if (!ctx)
		return -ENODEV;
	for (i = 0; i < 2; i++) {
		pd[i] = ibv_alloc_pd(ctx);
		if (!pd[i])
			return -errno;
	}
	return set_nonblocking(ctx->async_fd);
}

/* Index of the RoCEv2 GID, NO_GID if there is none (yet). */
int live_gid_index(const uint8_t *gid)
{
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < GIDS_MAX; i++) {
		if (!ibv_query_gid_ex(ctx, PORT_NUM, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(entry.gid.raw, gid, sizeof(entry.gid.raw)))
			return i;
	}
	return NO_GID;
}

void *live_reg(int stranger, void *addr, size_t length, int access, uint32_t *key)
{
	struct ibv_mr *mr = ibv_reg_mr(pd[!!stranger], addr, length, access);

	if (mr)
		*key = mr->rkey;
	return mr;
}

int live_dereg(void *mr)
{
	return -ibv_dereg_mr(mr);
}

/* A memory window, not bound; NULL on failure. */
void *live_alloc_mw(int stranger, int type, uint32_t *key)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd[!!stranger], type);

	if (mw)
		*key = mw->rkey;
	return mw;
}

int live_dealloc_mw(void *mw)
{
	return -ibv_dealloc_mw(mw);
}

/*
 * Next asynchronous event of a QP, -EAGAIN if there is none. Events of others
 * are taken and forgotten.
 */
int live_event(const struct live_qp *live)
{
	struct ibv_async_event event;
	int type;

	while (!ibv_get_async_event(ctx, &event)) {
		type = event.event_type;
		if (type == IBV_EVENT_CQ_ERR ||
		    (type >= IBV_EVENT_DEVICE_FATAL && type != IBV_EVENT_QP_LAST_WQE_REACHED) ||
		    event.element.qp != live->qp)
			type = -EAGAIN;
		ibv_ack_async_event(&event);
		if (type >= 0)
			return type;
	}
	return -EAGAIN;
}

/* ---- queue pairs ---- */

static int is_datagram(const struct live_qp *live)
{
	return live->opts.type == IBV_QPT_UD;
}

static int to_init(struct live_qp *live)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT_NUM,
		.qp_access_flags = live->opts.access,
		.qkey = live->opts.qkey,
	};

	return ibv_modify_qp(live->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (is_datagram(live) ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static struct ibv_ah_attr address_of(const struct live_opts *opts)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = PORT_NUM,
		.grh = {
			.sgid_index = opts->sgid_index,
			.hop_limit = opts->hop_limit,
			.traffic_class = opts->traffic_class,
		},
	};

	memcpy(attr.grh.dgid.raw, opts->dgid, sizeof(opts->dgid));
	return attr;
}

static int to_rtr(struct live_qp *live)
{
	const struct live_opts *opts = &live->opts;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = opts->path_mtu,
		.dest_qp_num = opts->dest_qpn,
		.rq_psn = opts->rq_psn,
		.max_dest_rd_atomic = opts->dest_rd_atomic,
		.min_rnr_timer = opts->min_rnr_timer,
		.ah_attr = address_of(opts),
	};
	int mask = IBV_QP_STATE;

	if (!is_datagram(live))
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (opts->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(live->qp, &attr, mask);
}

static int to_rts(struct live_qp *live)
{
	const struct live_opts *opts = &live->opts;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = opts->timeout,
		.retry_cnt = opts->retry_cnt,
		.rnr_retry = opts->rnr_retry,
		.sq_psn = opts->sq_psn,
		.max_rd_atomic = opts->rd_atomic,
	};

	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (opts->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(live->qp, &attr, mask);
}

/* Change the state alone. */
int live_set_state(struct live_qp *live, int state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return -ibv_modify_qp(live->qp, &attr, IBV_QP_STATE);
}

/* One step: to INIT, RTR and RTS with the attributes of the options, else the state alone. */
int live_modify(struct live_qp *live, int state)
{
	switch (state) {
	case IBV_QPS_INIT:
		return -to_init(live);
	case IBV_QPS_RTR:
		return -to_rtr(live);
	case IBV_QPS_RTS:
		return -to_rts(live);
	default:
		return live_set_state(live, state);
	}
}

void live_destroy(struct live_qp *live)
{
	if (live->qp)
		ibv_destroy_qp(live->qp);
	if (live->srq)
		ibv_destroy_srq(live->srq);
	if (live->ah)
		ibv_destroy_ah(live->ah);
	if (live->scq)
		ibv_destroy_cq(live->scq);
	if (live->rcq)
		ibv_destroy_cq(live->rcq);
	if (live->chan)
		ibv_destroy_comp_channel(live->chan);
	free(live);
}

static struct ibv_qp *create_qp(struct live_qp *live)
{
	const struct live_opts *opts = &live->opts;
	struct ibv_qp_init_attr_ex init = {
		.send_cq = live->scq,
		.recv_cq = live->rcq,
		.srq = live->srq,
		.cap = {
			.max_send_wr = opts->send_wr,
			.max_recv_wr = opts->recv_wr,
			.max_send_sge = opts->sge,
			.max_recv_sge = opts->sge,
		},
		.qp_type = opts->type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd[0],
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_WRITE,
	};
	struct ibv_qp *qp = opts->type == IBV_QPT_RC ? ibv_create_qp_ex(ctx, &init) : NULL;

	if (qp) {
		live->qpx = ibv_qp_to_qp_ex(qp);
		return qp;
	}
	init.comp_mask = IBV_QP_INIT_ATTR_PD;
	return ibv_create_qp_ex(ctx, &init);
}

static int make_srq(struct live_qp *live)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = live->opts.recv_wr, .max_sge = live->opts.sge },
	};

	live->srq = ibv_create_srq(pd[0], &init);
	return live->srq ? 0 : -errno;
}

static int make_handle(struct live_qp *live)
{
	struct ibv_ah_attr attr = address_of(&live->opts);

	live->ah = ibv_create_ah(pd[0], &attr);
	return live->ah ? 0 : -errno;
}

/* In RESET; NULL on failure. */
struct live_qp *live_create(const struct live_opts *opts)
{
	struct live_qp *live = calloc(1, sizeof(*live));

	if (!live)
		return NULL;
	live->opts = *opts;
	live->chan = ibv_create_comp_channel(ctx);
	if (!live->chan || set_nonblocking(live->chan->fd))
		goto err;
	live->scq = ibv_create_cq(ctx, opts->send_wr + 1, NULL, NULL, 0);
	live->rcq = ibv_create_cq(ctx, opts->recv_wr + 1, NULL, live->chan, 0);
	if (!live->scq || !live->rcq || (opts->srq && make_srq(live)))
		goto err;
	live->qp = create_qp(live);
	if (live->qp && !(is_datagram(live) && make_handle(live)))
		return live;
err:
	live_destroy(live);
	return NULL;
}

/* Destroy the QP alone; live_destroy() is still to be called. */
int live_destroy_qp(struct live_qp *live)
{
	int err = -ibv_destroy_qp(live->qp);

	live->qp = NULL;
	return err;
}

uint32_t live_qpn(const struct live_qp *live)
{
	return live->qp->qp_num;
}

/* State of the QP, or a negative errno. */
int live_state(const struct live_qp *live)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err = ibv_query_qp(live->qp, &attr, IBV_QP_STATE, &init);

	return err ? -err : (int)attr.qp_state;
}

/* Join or leave a multicast group. */
int live_attach(const struct live_qp *live, const uint8_t *gid, int attach)
{
	union ibv_gid group;

	memcpy(group.raw, gid, sizeof(group.raw));
	return -(attach ? ibv_attach_mcast(live->qp, &group, 0) :
			  ibv_detach_mcast(live->qp, &group, 0));
}

/* ---- work ---- */

static void copy_sges(struct ibv_sge *to, const struct live_sge *from, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && i < SGE_MAX; i++) {
		to[i].addr = from[i].addr;
		to[i].length = from[i].length;
		to[i].lkey = from[i].lkey;
	}
}

int live_post_recv(struct live_qp *live, uint64_t wr_id, const struct live_sge *sge, int n)
{
	struct ibv_sge list[SGE_MAX];
	struct ibv_recv_wr *bad, wr = { .wr_id = wr_id, .sg_list = list, .num_sge = n };

	copy_sges(list, sge, n);
	return -(live->srq ? ibv_post_srq_recv(live->srq, &wr, &bad) :
			     ibv_post_recv(live->qp, &wr, &bad));
}

int live_post_send(struct live_qp *live, const struct live_send *send)
{
	struct ibv_sge list[SGE_MAX];
	struct ibv_send_wr *bad, wr = {
		.wr_id = send->wr_id,
		.sg_list = list,
		.num_sge = send->num_sge,
		.opcode = send->opcode,
		.send_flags = send->flags,
		.imm_data = htobe32(send->imm),
	};

	if (send->opcode == IBV_WR_SEND_WITH_INV || send->opcode == IBV_WR_LOCAL_INV)
		wr.invalidate_rkey = send->imm;

	copy_sges(list, send->sge, send->num_sge);
	if (is_datagram(live)) {
		wr.wr.ud.ah = live->ah;
		wr.wr.ud.remote_qpn = live->opts.dest_qpn;
		wr.wr.ud.remote_qkey = send->remote_qkey;
	} else if (send->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   send->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = send->remote_addr;
		wr.wr.atomic.rkey = send->rkey;
		wr.wr.atomic.compare_add = send->compare_add;
		wr.wr.atomic.swap = send->swap;
	} else {
		wr.wr.rdma.remote_addr = send->remote_addr;
		wr.wr.rdma.rkey = send->rkey;
	}
	return -ibv_post_send(live->qp, &wr, &bad);
}

/* Bind a window to a range of a region; *key is its key from then on. */
int live_bind(struct live_qp *live, uint64_t wr_id, struct ibv_mw *mw, struct ibv_mr *mr,
	      uint64_t addr, uint64_t length, uint32_t access, uint32_t *key)
{
	struct ibv_mw_bind_info info = {
		.mr = mr, .addr = addr, .length = length, .mw_access_flags = access,
	};
	struct ibv_mw_bind bind = {
		.wr_id = wr_id, .send_flags = IBV_SEND_SIGNALED, .bind_info = info,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
	};

	*key = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = *key;
	wr.bind_mw.bind_info = info;
	return mw->type == IBV_MW_TYPE_1 ? -ibv_bind_mw(live->qp, mw, &bind) :
					   -ibv_post_send(live->qp, &wr, &bad);
}

/* -EOPNOTSUPP if the provider knows no ATOMIC WRITE. */
int live_atomic_write(struct live_qp *live, uint64_t wr_id, uint64_t remote_addr, uint32_t rkey,
		      const void *value)
{
	if (!live->qpx || !live->qpx->wr_atomic_write)
		return -EOPNOTSUPP;
	ibv_wr_start(live->qpx);
	live->qpx->wr_id = wr_id;
	live->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(live->qpx, rkey, remote_addr, value);
	return -ibv_wr_complete(live->qpx);
}

/* The send request with this wr_id in a ring of @bytes, NULL if there is none. */
static struct soro_abi_send_wqe *find_in_ring(struct soro_abi_ring *ring, size_t bytes,
					      uint64_t wr_id)
{
	size_t slot_bytes, slots, i;

	if (bytes < sizeof(*ring) || ring->log2_elem_bytes > 16)
		return NULL;
	slot_bytes = 1UL << ring->log2_elem_bytes;
	slots = (size_t)ring->mask + 1;
	if (slot_bytes < sizeof(struct soro_abi_send_wqe) ||
	    slots > (bytes - sizeof(*ring)) / slot_bytes)
		return NULL;
	for (i = 0; i < slots; i++) {
		struct soro_abi_send_wqe *wqe = (void *)(ring->data + i * slot_bytes);

		if (wqe->wr.wr_id == wr_id)
			return wqe;
	}
	return NULL;
}

/* The same in all rings that this process has mapped. */
static struct soro_abi_send_wqe *find_posted(uint64_t wr_id)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct soro_abi_send_wqe *wqe = NULL;
	unsigned long from, to;
	char line[512], access[3];

	while (maps && !wqe && fgets(line, sizeof(line), maps))
		if (strstr(line, "/dev/infiniband/uverbs") &&
		    sscanf(line, "%lx-%lx %2[rw]", &from, &to, access) == 3 && access[1])
			wqe = find_in_ring((void *)from, to - from, wr_id);
	if (maps)
		fclose(maps);
	return wqe;
}

/*
 * The provider of rdma-core 44 has no FLUSH. It writes an ATOMIC WRITE, which is made one
 * in the ring before the doorbell. -EOPNOTSUPP if it knows no ATOMIC WRITE either.
 */
int live_flush(struct live_qp *live, uint64_t wr_id, uint64_t remote_addr, uint32_t rkey,
	       uint32_t length, uint32_t type, uint32_t level)
{
	const uint64_t mark = 0xf1005e5c00000000ULL | wr_id;
	struct soro_abi_send_wqe *wqe;

	if (!live->qpx || !live->qpx->wr_atomic_write)
		return -EOPNOTSUPP;
	ibv_wr_start(live->qpx);
	live->qpx->wr_id = mark;
	live->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(live->qpx, rkey, remote_addr, &mark);
	wqe = find_posted(mark);
	if (!wqe) {
		ibv_wr_abort(live->qpx);
		return -ENOENT;
	}
	wqe->wr.wr_id = wr_id;
	wqe->wr.opcode = SORO_ABI_OP_FLUSH;
	wqe->wr.flush.remote_addr = remote_addr;
	wqe->wr.flush.length = 0;
	wqe->wr.flush.rkey = rkey;
	wqe->wr.flush.type = type;
	wqe->wr.flush.level = level;
	wqe->dma.length = length;
	wqe->dma.num_sge = 0;
	return -ibv_wr_complete(live->qpx);
}

static int poll_one(struct ibv_cq *cq, struct live_wc *out)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(cq, 1, &wc);

	if (n <= 0)
		return n;
	out->wr_id = wc.wr_id;
	out->status = wc.status;
	out->opcode = wc.opcode;
	out->byte_len = wc.byte_len;
	out->flags = wc.wc_flags;
	out->imm = wc.wc_flags & IBV_WC_WITH_INV ? wc.invalidated_rkey : be32toh(wc.imm_data);
	out->src_qp = wc.src_qp;
	return 1;
}

/* Next completion of a receive or send; 1, 0 if there is none. */
int live_poll(struct live_qp *live, int recv, struct live_wc *wc)
{
	return poll_one(recv ? live->rcq : live->scq, wc);
}

/* Ask for an event with the next receive completion. */
int live_arm(struct live_qp *live, int solicited_only)
{
	return -ibv_req_notify_cq(live->rcq, solicited_only);
}

/* 1 if an event of the receive CQ came, else 0. */
int live_cq_event(struct live_qp *live)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(live->chan, &cq, &context))
		return 0;
	ibv_ack_cq_events(cq, 1);
	return 1;
}

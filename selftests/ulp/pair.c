// SPDX-License-Identifier: GPL-2.0
/* Owns: two connected QPs of the kernel on one device. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include "pair.h"

/**
 * ulp_find_gid() - an IPv4 address of the device
 * @dev: the device
 * @gid: it
 *
 * Return: its index, or -ENOENT.
 */
int ulp_find_gid(struct ib_device *dev, union ib_gid *gid)
{
	const struct ib_gid_attr *attr;
	bool fits;
	int i;

	for (i = 0; i < 64; i++) {
		attr = rdma_get_gid_attr(dev, 1, i);
		if (IS_ERR(attr))
			continue;
		*gid = attr->gid;
		fits = attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		       ipv6_addr_v4mapped((struct in6_addr *)gid);
		rdma_put_gid_attr(attr);
		if (fits)
			return i;
	}
	return -ENOENT;
}

static void on_qp_event(struct ib_event *event, void *context)
{
	struct ulp_end *end = context;

	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		complete(&end->last_wqe);
}

/**
 * ulp_create_qp() - create the QP of an end, which has its CQs
 * @pair: the pair
 * @end: the end
 *
 * Return: 0 or -errno.
 */
int ulp_create_qp(struct ulp_pair *pair, struct ulp_end *end)
{
	struct ib_qp_init_attr init = {
		.send_cq = end->scq,
		.recv_cq = end->rcq,
		.srq = end->srq,
		.event_handler = on_qp_event,
		.qp_context = end,
		.qp_type = pair->type,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = ULP_WRS,
			.max_recv_wr = ULP_WRS,
			.max_send_sge = ULP_SGES,
			.max_recv_sge = ULP_SGES,
			.max_inline_data = ULP_INLINE,
		},
		.port_num = 1,
	};
	struct ib_qp *qp;

	init_completion(&end->last_wqe);
	qp = ib_create_qp(pair->pd, &init);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	end->qp = qp;
	return 0;
}

static struct ib_cq *alloc_cq(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_cq *cq = ib_alloc_cq(dev, NULL, 2 * ULP_WRS + 2, 0, poll);

	return IS_ERR(cq) ? NULL : cq;
}

static int init_end(struct ulp_pair *pair, struct ulp_end *end, enum ib_poll_context poll)
{
	end->buf = kzalloc(ULP_BUF_BYTES, GFP_KERNEL);
	end->scq = alloc_cq(pair->dev, poll);
	end->rcq = alloc_cq(pair->dev, poll);
	if (!end->buf || !end->scq || !end->rcq)
		return -ENOMEM;
	end->addr = ib_dma_map_single(pair->dev, end->buf, ULP_BUF_BYTES, DMA_BIDIRECTIONAL);
	return ulp_create_qp(pair, end);
}

static void fini_end(struct ulp_pair *pair, struct ulp_end *end)
{
	if (end->qp)
		ib_destroy_qp(end->qp);
	if (end->scq)
		ib_free_cq(end->scq);
	if (end->rcq)
		ib_free_cq(end->rcq);
	if (end->addr)
		ib_dma_unmap_single(pair->dev, end->addr, ULP_BUF_BYTES, DMA_BIDIRECTIONAL);
	kfree(end->buf);
}

/**
 * ulp_pair_init() - make two QPs, not connected
 * @pair: memory
 * @dev: the device
 * @type: of the QPs
 * @poll: how their CQs are polled
 *
 * Return: 0 or -errno; ulp_pair_fini() is due in any case.
 */
int ulp_pair_init(struct ulp_pair *pair, struct ib_device *dev, enum ib_qp_type type,
		  enum ib_poll_context poll)
{
	int err;

	memset(pair, 0, sizeof(*pair));
	pair->dev = dev;
	pair->type = type;
	pair->gid_index = ulp_find_gid(dev, &pair->gid);
	if (pair->gid_index < 0)
		return pair->gid_index;
	pair->pd = ib_alloc_pd(dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(pair->pd)) {
		err = PTR_ERR(pair->pd);
		pair->pd = NULL;
		return err;
	}
	err = init_end(pair, &pair->end[0], poll);
	return err ?: init_end(pair, &pair->end[1], poll);
}

/**
 * ulp_pair_fini() - destroy everything that there is, whatever is outstanding
 * @pair: the pair
 */
void ulp_pair_fini(struct ulp_pair *pair)
{
	fini_end(pair, &pair->end[0]);
	fini_end(pair, &pair->end[1]);
	if (pair->pd)
		ib_dealloc_pd(pair->pd);
}

static int to_init(struct ulp_pair *pair, struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = 0x11,
		.qp_access_flags = IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_ATOMIC,
	};
	int mask = IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX;

	mask |= pair->type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS;
	return ib_modify_qp(qp, &attr, mask);
}

static int to_rtr(struct ulp_pair *pair, struct ib_qp *qp, const struct ib_qp *peer)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer->qp_num,
		.rq_psn = 7,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
	};
	int mask = IB_QP_STATE;

	if (pair->type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	if (pair->type != IB_QPT_UD) {
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
		attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
		rdma_ah_set_port_num(&attr.ah_attr, 1);
		rdma_ah_set_grh(&attr.ah_attr, &pair->gid, 0, pair->gid_index, 64, 0);
	}
	return ib_modify_qp(qp, &attr, mask);
}

static int to_rts(struct ulp_pair *pair, struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = 7,
		.timeout = 17,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (pair->type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

/**
 * ulp_pair_connect() - bring both QPs to RTS
 * @pair: the pair
 *
 * Return: 0 or -errno.
 */
int ulp_pair_connect(struct ulp_pair *pair)
{
	int err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++) {
		err = to_init(pair, pair->end[i].qp);
		if (!err)
			err = to_rtr(pair, pair->end[i].qp, pair->end[!i].qp);
	}
	for (i = 0; i < 2 && !err; i++)
		err = to_rts(pair, pair->end[i].qp);
	return err;
}

/**
 * ulp_error() - put a QP in error
 * @end: its end
 *
 * Return: 0 or -errno.
 */
int ulp_error(struct ulp_end *end)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(end->qp, &attr, IB_QP_STATE);
}

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp_op *op = container_of(wc->wr_cqe, struct ulp_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

/**
 * ulp_op_init() - get ready to be posted
 * @op: memory
 */
void ulp_op_init(struct ulp_op *op)
{
	memset(op, 0, sizeof(*op));
	op->cqe.done = op_done;
	init_completion(&op->done);
}

/**
 * ulp_wait() - wait until a work request is over
 * @cq: where it completes
 * @op: it
 *
 * Return: its status, or -ETIMEDOUT.
 */
int ulp_wait(struct ib_cq *cq, struct ulp_op *op)
{
	unsigned long end = jiffies + ULP_WAIT_SEC * HZ;

	if (cq->poll_ctx != IB_POLL_DIRECT)
		return wait_for_completion_timeout(&op->done, ULP_WAIT_SEC * HZ) ? op->wc.status :
										   -ETIMEDOUT;
	while (!try_wait_for_completion(&op->done)) {
		ib_process_cq_direct(cq, -1);
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		usleep_range(50, 100);
	}
	return op->wc.status;
}

/**
 * ulp_send() - post a SEND
 * @end: of which end
 * @op: to wait for
 * @offset: in the buffer
 * @bytes: length
 * @flags: IB_SEND_*
 *
 * Return: of ib_post_send().
 */
int ulp_send(struct ulp_end *end, struct ulp_op *op, u32 offset, u32 bytes, int flags)
{
	struct ib_sge sge = ulp_sge(end, offset, bytes);
	struct ib_send_wr wr = {
		.wr_cqe = &op->cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND_WITH_IMM,
		.send_flags = IB_SEND_SIGNALED | flags,
		.ex.imm_data = cpu_to_be32(bytes),
	};

	ulp_op_init(op);
	return ib_post_send(end->qp, &wr, NULL);
}

/**
 * ulp_recv() - post a receive, to the SRQ if there is one
 * @end: of which end
 * @op: to wait for
 * @offset: in the buffer
 * @bytes: length
 *
 * Return: of ib_post_recv().
 */
int ulp_recv(struct ulp_end *end, struct ulp_op *op, u32 offset, u32 bytes)
{
	struct ib_sge sge = ulp_sge(end, offset, bytes);
	struct ib_recv_wr wr = {
		.wr_cqe = &op->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	ulp_op_init(op);
	return end->srq ? ib_post_srq_recv(end->srq, &wr, NULL) : ib_post_recv(end->qp, &wr, NULL);
}

/**
 * ulp_rdma() - post a WRITE or READ of the start of the buffer
 * @end: of which end
 * @op: to wait for
 * @opcode: which
 * @bytes: length
 * @remote: address at the peer
 * @rkey: its key
 *
 * Return: of ib_post_send().
 */
int ulp_rdma(struct ulp_end *end, struct ulp_op *op, enum ib_wr_opcode opcode, u32 bytes,
	     u64 remote, u32 rkey)
{
	struct ib_sge sge = ulp_sge(end, 0, bytes);
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &op->cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opcode,
			.send_flags = IB_SEND_SIGNALED,
			.ex.imm_data = cpu_to_be32(bytes),
		},
		.remote_addr = remote,
		.rkey = rkey,
	};

	ulp_op_init(op);
	return ib_post_send(end->qp, &wr.wr, NULL);
}

/**
 * ulp_fill() - bytes that depend on their place
 * @buf: memory
 * @bytes: how many
 * @seed: and on this
 */
void ulp_fill(u8 *buf, u32 bytes, u32 seed)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		buf[i] = (seed + i) * 2654435761U >> 24;
}

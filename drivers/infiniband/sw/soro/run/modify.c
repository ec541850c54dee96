// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: changing and showing the attributes of a QP.  Which attributes a
 * transition needs and permits is the core's table, ib_modify_qp_is_ok().
 */
#include <linux/random.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "../wire/psn.h"
#include "modify.h"
#include "request.h"
#include "respond.h"

/* Persistence is permitted for nothing, but the CM of a device that has FLUSH asks for it. */
#define ACCESS_FLAGS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)

/* ---- checks ---- */

/*
 * The netdev of the source address may be one above the link's: with a smaller MTU, or moved to
 * another namespace, which has routes and sockets of its own. The core lists its address here.
 */
static int check_source(const struct soro_qp *qp, const struct ib_gid_attr *gid, enum ib_mtu pmtu)
{
	const struct soro_attach *at;
	const struct net_device *ndev;
	int err = 0;

	rcu_read_lock();
	at = rcu_dereference(qp->dev->link.attach);
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (!at || IS_ERR(ndev))
		goto out;
	if (!net_eq(dev_net(ndev), at->net))
		err = -EADDRNOTAVAIL;
	else if (pmtu > iboe_get_mtu(READ_ONCE(ndev->mtu)))
		err = -EINVAL;
out:
	rcu_read_unlock();
	return err;
}

static int check_path(const struct soro_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	const struct rdma_ah_attr *ah = &attr->ah_attr;

	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096 ||
	     attr->path_mtu > iboe_get_mtu(soro_link_mtu(&qp->dev->link))))
		return -EINVAL;
	if (!(mask & IB_QP_AV))
		return 0;
	if (ah->type != RDMA_AH_ATTR_TYPE_ROCE || !(rdma_ah_get_ah_flags(ah) & IB_AH_GRH) ||
	    !ah->grh.sgid_attr || rdma_is_multicast_addr((struct in6_addr *)&ah->grh.dgid))
		return -EINVAL;
	if (ah->grh.sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EOPNOTSUPP;
	/* both ends of a path speak one IP version */
	if (ipv6_addr_v4mapped((struct in6_addr *)&ah->grh.dgid) !=
	    ipv6_addr_v4mapped((struct in6_addr *)&ah->grh.sgid_attr->gid))
		return -EINVAL;
	return check_source(qp, ah->grh.sgid_attr,
			    mask & IB_QP_PATH_MTU ? attr->path_mtu : qp->attr.path_mtu);
}

static int check_limits(const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_PORT && attr->port_num != 1) ||
	    (mask & IB_QP_PKEY_INDEX && attr->pkey_index) ||
	    (mask & IB_QP_TIMEOUT && attr->timeout > 31) ||
	    (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	    (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7) ||
	    (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) ||
	    (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > SORO_READS_MAX) ||
	    (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > SORO_READS_MAX) ||
	    (mask & IB_QP_DEST_QPN && attr->dest_qp_num & ~SORO_QPN_MASK) ||
	    (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~ACCESS_FLAGS) ||
	    (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED))
		return -EINVAL;
	/* no APM over RoCE, no resize of queues */
	if (mask & (IB_QP_ALT_PATH | IB_QP_CAP))
		return -EOPNOTSUPP;
	return 0;
}

static int check(const struct soro_qp *qp, const struct ib_qp_attr *attr, int mask,
		 enum ib_qp_state next)
{
	enum ib_qp_state cur = qp->state;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != cur)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(cur, next, qp->ib.qp_type, mask))
		return -EINVAL;
	err = check_limits(attr, mask);
	return err ?: check_path(qp, attr, mask);
}

/* ---- keeping ---- */

#define KEEP(bit, field) do { if (mask & (bit)) kept->field = attr->field; } while (0)

static void keep(struct ib_qp_attr *kept, const struct ib_qp_attr *attr, int mask)
{
	KEEP(IB_QP_ACCESS_FLAGS, qp_access_flags);
	KEEP(IB_QP_PKEY_INDEX, pkey_index);
	KEEP(IB_QP_PORT, port_num);
	KEEP(IB_QP_PATH_MTU, path_mtu);
	KEEP(IB_QP_TIMEOUT, timeout);
	KEEP(IB_QP_RETRY_CNT, retry_cnt);
	KEEP(IB_QP_RNR_RETRY, rnr_retry);
	KEEP(IB_QP_RQ_PSN, rq_psn);
	KEEP(IB_QP_SQ_PSN, sq_psn);
	KEEP(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	KEEP(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	KEEP(IB_QP_MIN_RNR_TIMER, min_rnr_timer);
	KEEP(IB_QP_DEST_QPN, dest_qp_num);
	KEEP(IB_QP_QKEY, qkey);
	if (mask & IB_QP_AV) {
		kept->ah_attr = attr->ah_attr;
		/* the core holds the entry of the GID table, in the QP */
		kept->ah_attr.grh.sgid_attr = NULL;
	}
}

/* ---- applying; both halves are owned ---- */

static void apply_path(struct soro_qp *qp, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	struct net_device *ndev;
	int ifindex;
	u16 sport;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(grh->sgid_attr);
	ifindex = IS_ERR(ndev) ? 0 : ndev->ifindex;
	rcu_read_unlock();

	sport = rdma_get_udp_sport(grh->flow_label, qp->ib.qp_num, qp->attr.dest_qp_num);
	memcpy(&qp->sgid, &grh->sgid_attr->gid, sizeof(qp->sgid));
	memcpy(&qp->dgid, &grh->dgid, sizeof(qp->dgid));
	soro_flow_fini(&qp->req.flow);
	soro_flow_fini(&qp->rsp.flow);
	soro_flow_init(&qp->req.flow, &grh->sgid_attr->gid, &grh->dgid, ifindex,
		       grh->traffic_class, grh->hop_limit, grh->flow_label, sport);
	soro_flow_init(&qp->rsp.flow, &grh->sgid_attr->gid, &grh->dgid, ifindex,
		       grh->traffic_class, grh->hop_limit, grh->flow_label, sport);
}

/* IBA 9.7.6.1.3: 4.096 us * 2^timeout, 0 for none */
static u64 timeout_ns(u8 timeout)
{
	return timeout ? 4096ULL << timeout : 0;
}

static void apply_config(struct soro_qp *qp)
{
	const struct ib_qp_attr *attr = &qp->attr;
	u32 pmtu_bytes = attr->path_mtu ? ib_mtu_enum_to_int(attr->path_mtu) : 0;
	struct soro_requester_config req = {
		.pmtu_bytes = pmtu_bytes,
		.timeout_ns = timeout_ns(attr->timeout),
		.retry_cnt = attr->retry_cnt,
		.rnr_retry = attr->rnr_retry,
		.reads_max = attr->max_rd_atomic,
		.unreliable = qp->ib.qp_type == IB_QPT_UC,
	};

	qp->datagram.qkey = attr->qkey;
	soro_requester_configure(&qp->req.engine, &req, ktime_get_ns());
	qp->rsp.engine.cfg = (struct soro_responder_config) {
		.pmtu_bytes = pmtu_bytes,
		.min_rnr_timer = attr->min_rnr_timer,
		.reads_max = attr->max_dest_rd_atomic,
		.allow_write = attr->qp_access_flags & IB_ACCESS_REMOTE_WRITE,
		.allow_read = attr->qp_access_flags & IB_ACCESS_REMOTE_READ,
		.allow_atomic = attr->qp_access_flags & IB_ACCESS_REMOTE_ATOMIC,
		.allow_flush = attr->qp_access_flags & IB_ACCESS_FLUSH_GLOBAL,
		.unreliable = qp->ib.qp_type == IB_QPT_UC,
	};
}

static void reset(struct soro_qp *qp)
{
	soro_request_discard(qp);
	soro_respond_discard(qp);
	soro_responder_init(&qp->rsp.engine, 0);
	qp->datagram.psn = 0;
	soro_flow_fini(&qp->req.flow);
	soro_flow_fini(&qp->rsp.flow);
	memset(&qp->sgid, 0, sizeof(qp->sgid));
	memset(&qp->dgid, 0, sizeof(qp->dgid));
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->told = 0;
}

static void apply(struct soro_qp *qp, const struct ib_qp_attr *attr, int mask,
		  enum ib_qp_state next)
{
	enum ib_qp_state cur = qp->state;

	keep(&qp->attr, attr, mask);
	if (mask & IB_QP_AV)
		apply_path(qp, &attr->ah_attr);
	if (next == IB_QPS_RESET)
		reset(qp);
	apply_config(qp);
	if (cur == IB_QPS_INIT && next == IB_QPS_RTR)
		soro_responder_init(&qp->rsp.engine, qp->attr.rq_psn & SORO_PSN_MASK);
	if (next == IB_QPS_SQD && cur != IB_QPS_SQD)
		soro_requester_ask_again(&qp->req.engine);
	if (next != IB_QPS_SQD)
		qp->req.drain_event = false;
	else if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		qp->req.drain_event = attr->en_sqd_async_notify;
	if (cur == IB_QPS_RTR && next == IB_QPS_RTS) {
		soro_requester_init(&qp->req.engine, qp->attr.sq_psn & SORO_PSN_MASK);
		qp->datagram.psn = qp->attr.sq_psn & SORO_PSN_MASK;
	}
	soro_qp_set_state(qp, next, "modify");
	/* This one last: it completes work, and a CQ that overflows puts the QP in error. */
	if (cur == IB_QPS_SQE && next == IB_QPS_RTS)
		soro_request_resume(qp);
}

/**
 * soro_modify_qp() - change attributes, or the state
 * @ibqp: the QP
 * @attr: new values
 * @mask: which
 * @udata: unused
 *
 * Context: process.
 * Return: 0; -EINVAL for what the state or a limit forbids; -EOPNOTSUPP.
 */
int soro_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct soro_qp *qp = soro_qp(ibqp);
	enum ib_qp_state next;
	int err;

	mutex_lock(&qp->modify);
	soro_half_own_pair(&qp->req.half, &qp->rsp.half);
	next = mask & IB_QP_STATE ? attr->qp_state : qp->state;
	err = check(qp, attr, mask, next);
	if (!err)
		apply(qp, attr, mask, next);
	soro_half_disown_pair(&qp->req.half, &qp->rsp.half);
	mutex_unlock(&qp->modify);
	if (err)
		return err;
	soro_half_kick(&qp->req.half);
	soro_half_kick(&qp->rsp.half);
	return 0;
}

/**
 * soro_modify_query_qp() - show attributes
 * @ibqp: the QP
 * @attr: filled
 * @mask: ignored: everything is filled
 * @init: filled
 *
 * Return: 0.
 */
int soro_modify_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct soro_qp *qp = soro_qp(ibqp);

	mutex_lock(&qp->modify);
	soro_half_own_pair(&qp->req.half, &qp->rsp.half);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->cap = qp->cap;
	/* where they stand; zero before there is one to start from */
	attr->rq_psn = qp->rsp.engine.epsn;
	attr->sq_psn = soro_qp_is_datagram(qp) ? qp->datagram.psn : qp->req.engine.nxt;
	attr->sq_draining = qp->state == IB_QPS_SQD &&
			    qp->req.engine.head != qp->req.engine.tail;
	soro_half_disown_pair(&qp->req.half, &qp->rsp.half);
	mutex_unlock(&qp->modify);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = attr->port_num;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the receive WQE in hand, from the ring to its completion.
 */
#include <linux/jiffies.h>
#include "recv.h"
#include "scratch.h"

#define BUDGET_FLUSHES	256
#define RELOOK_MIN_MSEC	50U
#define RELOOK_MAX_MSEC	1000U

/* Copy the next receive WQE to the scratch. Return: 1; 0: there is none; -EINVAL: SRQ in error. */
static int copy_recv(struct soro_qp *qp, u8 **copy, u32 *bytes)
{
	struct soro_srq *srq = soro_qp_srq(qp);

	*copy = this_cpu_ptr(soro_scratch)->wqe;
	*bytes = SORO_WQE_RECV_BYTES(qp->rsp.recv.max_sge);
	return srq ? soro_srq_take(srq, *copy, *bytes) :
		     soro_ring_copy(&qp->rsp.ring, *copy, *bytes);
}

/**
 * soro_recv_fetch() - take the next receive WQE in hand, unless one is
 * @qp: the QP
 * @fault: set to %SORO_FAULT_RECV_BAD if the one that was taken is malformed, or if none can be
 *	taken because the SRQ is in error
 *
 * Context: owner of the responder half.
 * Return: whether one is in hand, in qp->rsp.recv, or @fault is set.
 */
bool soro_recv_fetch(struct soro_qp *qp, u8 *fault)
{
	struct soro_rwqe *recv = &qp->rsp.recv;
	struct soro_recv_desc desc;
	u32 bytes;
	u8 *copy;
	int n, err;

	if (recv->valid)
		return true;
	n = copy_recv(qp, &copy, &bytes);
	if (!n)
		return false;
	if (n < 0) {
		*fault = SORO_FAULT_RECV_BAD;
		return true;
	}
	err = soro_wqe_decode_recv(copy, bytes, recv->max_sge, &desc);
	recv->valid = true;
	recv->wr_id = desc.wr_id;
	recv->bytes = err ? 0 : min_t(u64, desc.length, U32_MAX);
	recv->num_sge = err ? 0 : desc.num_sge;
	memcpy(recv->sge, desc.sge, recv->num_sge * sizeof(struct ib_sge));
	if (err)
		*fault = SORO_FAULT_RECV_BAD;
	return true;
}

/**
 * soro_recv_finish() - complete the receive WQE in hand, if one is
 * @qp: the QP
 * @status: enum soro_status
 * @what: the message; NULL in error
 *
 * Context: owner of the responder half.
 */
void soro_recv_finish(struct soro_qp *qp, u8 status, const struct soro_received *what)
{
	struct soro_rwqe *recv = &qp->rsp.recv;

	if (!recv->valid)
		return;
	recv->valid = false;
	/* First: who sees the completion may post again at once. That of an SRQ is free already. */
	if (!qp->ib.srq)
		soro_ring_release(&qp->rsp.ring, 1);
	soro_complete_recv(qp, recv->wr_id, status, what);
}

/**
 * soro_recv_discard() - forget what is in hand, and what is posted to this QP alone (RESET)
 * @qp: the QP
 *
 * Context: owner of the responder half.
 */
void soro_recv_discard(struct soro_qp *qp)
{
	qp->rsp.recv.valid = false;
	if (!qp->ib.srq)
		soro_ring_discard(&qp->rsp.ring);
}

/**
 * soro_recv_count() - receives that are posted, or in hand for the message in progress
 * @qp: the QP, without an SRQ
 *
 * Context: owner of the responder half.
 */
u32 soro_recv_count(const struct soro_qp *qp)
{
	return soro_ring_pending(&qp->rsp.ring) + qp->rsp.recv.valid;
}

/* Complete with FLUSH what is in the ring. Return: what is left of the budget. */
static u32 flush_ring(struct soro_qp *qp)
{
	struct soro_abi_recv_wqe wqe;	/* without its SGEs */
	u32 n = BUDGET_FLUSHES;

	while (n && soro_ring_copy(&qp->rsp.ring, &wqe, sizeof(wqe))) {
		soro_ring_release(&qp->rsp.ring, 1);
		soro_complete_recv(qp, wqe.wr_id, SORO_ST_FLUSH, NULL);
		n--;
	}
	return n;
}

/**
 * soro_recv_flush() - complete with FLUSH what is in hand and in the ring
 * @qp: the QP, in error
 *
 * Receive posts of a program ring no bell, so the ring is looked at again after a while.
 *
 * Context: owner of the responder half.
 * Return: true if there is more to do.
 */
bool soro_recv_flush(struct soro_qp *qp)
{
	u32 left;

	soro_recv_finish(qp, SORO_ST_FLUSH, NULL);
	if (qp->ib.srq) {
		/* IBA 11.6.3.5: what is in it is for others, and nothing is taken any more. */
		soro_qp_event_once(qp, IB_EVENT_QP_LAST_WQE_REACHED);
		return false;
	}
	left = flush_ring(qp);
	if (!qp->ib.uobject)
		return !left;
	if (left < BUDGET_FLUSHES)
		qp->rsp.relook_msec = RELOOK_MIN_MSEC;
	mod_timer(&qp->relook, jiffies + msecs_to_jiffies(qp->rsp.relook_msec));
	qp->rsp.relook_msec = min(qp->rsp.relook_msec * 2, RELOOK_MAX_MSEC);
	return !left;
}

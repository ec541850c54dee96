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

static bool copy_recv(struct soro_qp *qp, struct soro_recv_desc *desc, int *err)
{
	struct soro_ring *ring = &qp->rsp.ring;
	u8 *copy = this_cpu_ptr(soro_scratch)->wqe;
	u32 bytes = soro_scratch_wqe_bytes(ring);

	if (!soro_ring_copy(ring, copy, bytes))
		return false;
	*err = soro_wqe_decode_recv(copy, bytes, qp->cap.max_recv_sge, desc);
	return true;
}

/**
 * soro_recv_fetch() - take the next receive WQE in hand, unless one is
 * @qp: the QP
 * @fault: set to %SORO_FAULT_RECV_BAD if the one that was taken is malformed
 *
 * Context: owner of the responder half.
 * Return: whether one is in hand, in qp->rsp.recv.
 */
bool soro_recv_fetch(struct soro_qp *qp, u8 *fault)
{
	struct soro_rwqe *recv = &qp->rsp.recv;
	struct soro_recv_desc desc;
	int err;

	if (recv->valid)
		return true;
	if (!copy_recv(qp, &desc, &err))
		return false;
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
	/* First: who sees the completion may post again at once. */
	soro_ring_release(&qp->rsp.ring, 1);
	soro_complete_recv(qp, recv->wr_id, status, what);
}

/**
 * soro_recv_count() - receives that are posted, or in hand for the message in progress
 * @qp: the QP
 *
 * Context: owner of the responder half.
 */
u32 soro_recv_count(const struct soro_qp *qp)
{
	return soro_ring_pending(&qp->rsp.ring) + qp->rsp.recv.valid;
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
	u32 n = BUDGET_FLUSHES;
	struct soro_recv_desc desc;
	int err;

	soro_recv_finish(qp, SORO_ST_FLUSH, NULL);
	while (n && copy_recv(qp, &desc, &err)) {
		soro_ring_release(&qp->rsp.ring, 1);
		soro_complete_recv(qp, desc.wr_id, SORO_ST_FLUSH, NULL);
		n--;
	}
	if (!qp->ib.uobject)
		return !n;
	if (n < BUDGET_FLUSHES)
		qp->rsp.relook_msec = RELOOK_MIN_MSEC;
	mod_timer(&qp->relook, jiffies + msecs_to_jiffies(qp->rsp.relook_msec));
	qp->rsp.relook_msec = min(qp->rsp.relook_msec * 2, RELOOK_MAX_MSEC);
	return !n;
}

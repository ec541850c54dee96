// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: how consumers in the kernel post: their work requests are put into the rings of the
 * QP in the form in which librxe puts those of a program, and from there on nobody
 * knows the difference.  Must not know what is done with them.
 */
#include <linux/string.h>
#include <rdma/soro-abi.h>
#include "../objects/ah.h"
#include "../objects/state.h"
#include "post.h"
#include "qp.h"

/* What stands around struct ib_send_wr, and how it is used. */
enum form {
	FORM_NONE,	/* not supported */
	FORM_SEND,	/* struct ib_ud_wr for a QP of datagrams */
	FORM_WRITE,	/* struct ib_rdma_wr */
	FORM_READ,	/* struct ib_rdma_wr, SGEs are written to */
	FORM_ATOMIC,	/* struct ib_atomic_wr, SGEs are written to */
	FORM_INV,	/* struct ib_send_wr, without SGEs */
	FORM_REG,	/* struct ib_reg_wr, without SGEs */
};

static const u8 forms[] = {
	[IB_WR_SEND]			= FORM_SEND,
	[IB_WR_SEND_WITH_IMM]		= FORM_SEND,
	[IB_WR_RDMA_WRITE]		= FORM_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM]	= FORM_WRITE,
	[IB_WR_RDMA_READ]		= FORM_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP]	= FORM_ATOMIC,
	[IB_WR_ATOMIC_FETCH_AND_ADD]	= FORM_ATOMIC,
	[IB_WR_SEND_WITH_INV]		= FORM_SEND,
	[IB_WR_LOCAL_INV]		= FORM_INV,
	[IB_WR_REG_MR]			= FORM_REG,
};

static enum form form_of(const struct ib_send_wr *wr)
{
	return (u32)wr->opcode < ARRAY_SIZE(forms) ? forms[wr->opcode] : FORM_NONE;
}

static u64 sum_sges(const struct ib_sge *sge, int num_sge)
{
	u64 bytes = 0;

	while (num_sge--)
		bytes += sge++->length;
	return bytes;
}

/* Windows and registrations are of connections; only RC tells the peer to invalidate. */
static bool transport_has(const struct soro_qp *qp, enum ib_wr_opcode opcode)
{
	switch (opcode) {
	case IB_WR_SEND_WITH_INV:
		return soro_qp_transport(qp) == SORO_RC;
	case IB_WR_LOCAL_INV:
	case IB_WR_REG_MR:
		return !soro_qp_is_datagram(qp);
	default:
		return true;
	}
}

/* What completes in error if a program does it is refused here (IBA 11.4.1.1). */
static int check_send(const struct soro_qp *qp, const struct ib_send_wr *wr)
{
	enum form form = form_of(wr);

	if (form == FORM_NONE || !transport_has(qp, wr->opcode))
		return -EOPNOTSUPP;
	if (form == FORM_INV || form == FORM_REG)
		return wr->num_sge || wr->send_flags & IB_SEND_INLINE ? -EINVAL : 0;
	if ((u32)wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;
	if (form == FORM_SEND && soro_qp_is_datagram(qp) && !ud_wr(wr)->ah)
		return -EINVAL;
	if (!(wr->send_flags & IB_SEND_INLINE))
		return 0;
	if (form != FORM_SEND && form != FORM_WRITE)
		return -EINVAL;
	return sum_sges(wr->sg_list, wr->num_sge) > qp->cap.max_inline_data ? -EINVAL : 0;
}

static void fill_operation(const struct soro_qp *qp, struct soro_abi_send_wr *abi,
			   const struct ib_send_wr *wr)
{
	switch (form_of(wr)) {
	case FORM_ATOMIC:
		abi->atomic.remote_addr = atomic_wr(wr)->remote_addr;
		abi->atomic.compare_add = atomic_wr(wr)->compare_add;
		abi->atomic.swap = atomic_wr(wr)->swap;
		abi->atomic.rkey = atomic_wr(wr)->rkey;
		break;
	case FORM_WRITE:
	case FORM_READ:
		abi->rdma.remote_addr = rdma_wr(wr)->remote_addr;
		abi->rdma.rkey = rdma_wr(wr)->rkey;
		break;
	case FORM_REG:
		/* The index of the key names the region: no pointer is in a ring. */
		abi->mw.rkey = reg_wr(wr)->key;
		abi->mw.access = reg_wr(wr)->access;
		break;
	case FORM_INV:
		break;
	default:
		if (!soro_qp_is_datagram(qp))
			break;
		abi->ud.remote_qpn = ud_wr(wr)->remote_qpn;
		abi->ud.remote_qkey = ud_wr(wr)->remote_qkey;
		abi->ud.pkey_index = ud_wr(wr)->pkey_index;
		abi->ud.ah_num = soro_ah_from_ib(ud_wr(wr)->ah)->av->num;
	}
}

static void fill_payload(struct soro_abi_send_wqe *wqe, const struct ib_send_wr *wr)
{
	u8 *data = (u8 *)wqe->data;
	int i;

	wqe->dma.length = 0;
	wqe->dma.num_sge = 0;
	if (!(wr->send_flags & IB_SEND_INLINE)) {
		wqe->dma.num_sge = wr->num_sge;
		memcpy(data, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
		return;
	}
	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		memcpy(data + wqe->dma.length, (void *)(uintptr_t)sge->addr, sge->length);
		wqe->dma.length += sge->length;
	}
}

static int put_send(struct soro_qp *qp, const struct ib_send_wr *wr)
{
	struct soro_abi_send_wqe *wqe;
	int err = check_send(qp, wr);

	if (err)
		return err;
	wqe = soro_ring_reserve(&qp->req.ring);
	if (!wqe)
		return -ENOMEM;
	wqe->wr.wr_id = wr->wr_id;
	wqe->wr.opcode = wr->opcode;
	wqe->wr.flags = wr->send_flags;
	wqe->wr.imm_data = wr->ex.imm_data;	/* or the key to invalidate */
	fill_operation(qp, &wqe->wr, wr);
	fill_payload(wqe, wr);
	soro_ring_commit(&qp->req.ring);
	return 0;
}

/**
 * soro_post_send() - the post_send operation
 * @ibqp: the QP
 * @wr: chain of work requests; NULL is the doorbell of a program
 * @bad: the first that was not posted, on failure
 *
 * Several may post at a time. Context: any. With interrupts off the work is left to the
 * continuation. No handler is called from here.
 *
 * Return: 0; -EINVAL for a state below RTS, too many SGEs or too much inline data; -EOPNOTSUPP;
 * -ENOMEM if the queue is full.
 */
int soro_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct soro_qp *qp = soro_qp(ibqp);
	unsigned long flags;
	int err = 0;

	if (ibqp->uobject)
		return soro_qp_post_send(ibqp, wr, bad);
	if (!soro_state_can(READ_ONCE(qp->state), SORO_CAN_POST_SEND)) {
		*bad = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&qp->req.post_lock, flags);
	for (; wr; wr = wr->next) {
		err = put_send(qp, wr);
		if (err)
			break;
	}
	spin_unlock_irqrestore(&qp->req.post_lock, flags);
	if (err)
		*bad = wr;
	soro_half_kick(&qp->req.half);
	return err;
}

static int put_recv(struct soro_ring *ring, u32 max_sge, const struct ib_recv_wr *wr)
{
	struct soro_abi_recv_wqe *wqe;

	if ((u32)wr->num_sge > max_sge)
		return -EINVAL;
	wqe = soro_ring_reserve(ring);
	if (!wqe)
		return -ENOMEM;
	wqe->wr_id = wr->wr_id;
	wqe->dma.num_sge = wr->num_sge;
	memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	soro_ring_commit(ring);
	return 0;
}

/* Put a chain into a ring whose producers @lock serializes; *@bad is what was not put. */
static int put_recvs(struct soro_ring *ring, spinlock_t *lock, u32 max_sge,
		     const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(lock, flags);
	for (; wr; wr = wr->next) {
		err = put_recv(ring, max_sge, wr);
		if (err)
			break;
	}
	spin_unlock_irqrestore(lock, flags);
	if (err)
		*bad = wr;
	return err;
}

/**
 * soro_post_recv() - the post_recv operation
 * @ibqp: the QP
 * @wr: chain of work requests
 * @bad: the first that was not posted, on failure
 *
 * Several may post at a time. Context: any.
 *
 * Return: 0; -EINVAL for a QP in RESET, with an SRQ or of a program, or too many SGEs; -ENOMEM if
 * the queue is full.
 */
int soro_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct soro_qp *qp = soro_qp(ibqp);
	int err;

	if (ibqp->uobject || ibqp->srq ||
	    !soro_state_can(READ_ONCE(qp->state), SORO_CAN_POST_RECV)) {
		*bad = wr;
		return -EINVAL;
	}
	err = put_recvs(&qp->rsp.ring, &qp->rsp.post_lock, qp->cap.max_recv_sge, wr, bad);
	/*
	 * Who sets ERR looks at the ring then: either it sees what was posted, or we see ERR.
	 * Pairs with the full barrier in soro_half_kick() or soro_half_defer() after that.
	 */
	smp_mb();
	if (unlikely(soro_state_can(READ_ONCE(qp->state), SORO_CAN_FLUSH_RECV)))
		soro_half_defer(&qp->rsp.half);
	return err;
}

/**
 * soro_post_srq_recv() - the post_srq_recv operation
 * @ib_srq: the shared queue
 * @wr: chain of work requests
 * @bad: the first that was not posted, on failure
 *
 * Several may post at a time, and QPs take at the same time. Context: any; no event is
 * raised from here.
 *
 * Return: 0; -EINVAL for a queue of a program, or too many SGEs; -ENOMEM if the queue is full.
 */
int soro_post_srq_recv(struct ib_srq *ib_srq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad)
{
	struct soro_srq *srq = soro_srq_from_ib(ib_srq);

	if (ib_srq->uobject) {
		*bad = wr;
		return -EINVAL;
	}
	return put_recvs(&srq->ring, &srq->lock, srq->max_sge, wr, bad);
}

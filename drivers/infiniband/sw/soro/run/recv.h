/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the receive WQE in hand, from the ring to its completion.  Must not know packets.
 */
#ifndef SORO_RUN_RECV_H
#define SORO_RUN_RECV_H

#include "complete.h"
#include "qp.h"

/**
 * soro_recv_pd() - to which the memory of a receive has to belong: that of the queue (IBA 10.2.9.1)
 * @qp: the QP
 */
static inline struct ib_pd *soro_recv_pd(const struct soro_qp *qp)
{
	return qp->ib.srq ? qp->ib.srq->pd : qp->ib.pd;
}

bool soro_recv_fetch(struct soro_qp *qp, u8 *fault);
void soro_recv_finish(struct soro_qp *qp, u8 status, const struct soro_received *what);
void soro_recv_discard(struct soro_qp *qp);
u32 soro_recv_count(const struct soro_qp *qp);
bool soro_recv_flush(struct soro_qp *qp);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the receive WQE in hand, from the ring to its completion.  Must not know packets.
 */
#ifndef SORO_RUN_RECV_H
#define SORO_RUN_RECV_H

#include "complete.h"
#include "qp.h"

bool soro_recv_fetch(struct soro_qp *qp, u8 *fault);
void soro_recv_finish(struct soro_qp *qp, u8 status, const struct soro_received *what);
u32 soro_recv_count(const struct soro_qp *qp);
bool soro_recv_flush(struct soro_qp *qp);

#endif

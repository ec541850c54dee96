/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: how consumers in the kernel post work requests. */
#ifndef SORO_RUN_POST_H
#define SORO_RUN_POST_H

#include <rdma/ib_verbs.h>

int soro_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad);
int soro_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);
int soro_post_srq_recv(struct ib_srq *ib_srq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad);

#endif

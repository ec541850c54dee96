/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: changing and showing the attributes of a QP. */
#ifndef SORO_RUN_MODIFY_H
#define SORO_RUN_MODIFY_H

#include "qp.h"

int soro_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int soro_modify_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init);

#endif

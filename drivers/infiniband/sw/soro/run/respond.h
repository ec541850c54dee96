/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: what the responder half of a QP does. */
#ifndef SORO_RUN_RESPOND_H
#define SORO_RUN_RESPOND_H

#include "qp.h"

bool soro_respond_run(struct soro_half *half);
void soro_respond_purge(struct soro_qp *qp, u8 why);
void soro_respond_discard(struct soro_qp *qp);

#endif

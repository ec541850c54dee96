/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: how completions look to the application. */
#ifndef SORO_RUN_COMPLETE_H
#define SORO_RUN_COMPLETE_H

#include "qp.h"

void soro_complete_send(struct soro_qp *qp, u64 wr_id, u32 wr_opcode, u32 bytes, u8 status);
void soro_complete_recv(struct soro_qp *qp, u64 wr_id, u8 status, const struct soro_rsp_step *step);

#endif

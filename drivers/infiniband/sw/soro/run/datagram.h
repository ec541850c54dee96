/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: what both halves of a UD or GSI QP do. */
#ifndef SORO_RUN_DATAGRAM_H
#define SORO_RUN_DATAGRAM_H

#include "qp.h"

bool soro_datagram_send_run(struct soro_half *half);
bool soro_datagram_receive_run(struct soro_half *half);

#endif

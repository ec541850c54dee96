/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: what the requester half of a QP does. */
#ifndef SORO_RUN_REQUEST_H
#define SORO_RUN_REQUEST_H

#include "qp.h"

bool soro_request_run(struct soro_half *half);
enum hrtimer_restart soro_request_timer(struct hrtimer *timer);
void soro_request_report_drained(struct soro_qp *qp);
bool soro_request_flush_ring(struct soro_qp *qp);
void soro_request_discard(struct soro_qp *qp);
void soro_request_resume(struct soro_qp *qp);

#endif

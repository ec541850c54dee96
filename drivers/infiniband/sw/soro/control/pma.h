/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: the performance management agent: counters as monitoring tools ask for them. */
#ifndef SORO_CONTROL_PMA_H
#define SORO_CONTROL_PMA_H

#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

int soro_pma_process(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		     const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_bytes, u16 *pkey_index);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: module init order, link types, life of a device. */
#ifndef SORO_CONTROL_MAIN_H
#define SORO_CONTROL_MAIN_H

#include <rdma/ib_verbs.h>

void soro_main_dealloc(struct ib_device *ibdev);
int soro_main_enable(struct ib_device *ibdev);

#endif

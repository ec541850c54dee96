/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: which QPs and devices exist.  QP numbers are unique in the module. */
#ifndef SORO_RUN_TABLE_H
#define SORO_RUN_TABLE_H

#include "qp.h"

int soro_table_add_qp(struct soro_qp *qp);
void soro_table_del_qp(struct soro_qp *qp);
struct soro_qp *soro_table_qp(u32 qpn);

void soro_table_add_device(struct soro_dev *dev);
void soro_table_del_device(struct soro_dev *dev);
bool soro_table_has_address(struct soro_dev *dev, const struct in6_addr *addr);
struct soro_qp *soro_table_gsi(const struct net *net, const struct in6_addr *daddr);
struct soro_dev *soro_table_device(const struct net *net, int ifindex);
struct soro_dev *soro_table_device_at(struct net *net, int ifindex);

void soro_table_exit(void);

#endif

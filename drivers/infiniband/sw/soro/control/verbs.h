/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: the table by which the core calls us.  Adapters, no logic. */
#ifndef SORO_CONTROL_VERBS_H
#define SORO_CONTROL_VERBS_H

struct net_device;
struct soro_dev;

void soro_verbs_setup(struct soro_dev *dev, const struct net_device *ndev);

#endif

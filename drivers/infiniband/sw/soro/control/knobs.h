/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: module parameters (defaults) and debugfs files (per device). */
#ifndef SORO_CONTROL_KNOBS_H
#define SORO_CONTROL_KNOBS_H

struct soro_dev;

void soro_knobs_defaults(struct soro_dev *dev);
void soro_knobs_add(struct soro_dev *dev);
void soro_knobs_del(struct soro_dev *dev);
void soro_knobs_init(void);
void soro_knobs_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: whether a run that is over ended as it had to.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "node.h"

void check_outcome(struct scenario *sc, struct node *nodes);

#endif

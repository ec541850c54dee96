/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a hostile process writes into the memory that it shares with the kernel. Must not
 * know commands.
 */
#ifndef HOSTILE_RUBBISH_H
#define HOSTILE_RUBBISH_H

#include <stdint.h>

unsigned int rubbish_write(uint64_t *state);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: methods of the uverbs ioctl() interface with attributes that are almost right, and the
 * write() commands sent through it.
 */
#ifndef HOSTILE_METHODS_H
#define HOSTILE_METHODS_H

#include <stdint.h>

#include "template.h"

int method_call(uint64_t *state);
int method_invoke(const struct template *t, uint64_t *state);

#endif

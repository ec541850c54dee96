// SPDX-License-Identifier: GPL-2.0
/* Owns: the one instance of the tracepoints. */
#define CREATE_TRACE_POINTS
#include "trace.h"

/* SPDX-License-Identifier: GPL-2.0 */
/* An instruction without effect that the plugin (count.c) knows: nopl with "soro" in it. */
#ifndef SORO_BENCH_MARK_H
#define SORO_BENCH_MARK_H

#define SORO_MARK_BYTES	0x0f, 0x1f, 0x80, 's', 'o', 'r', 'o'

#endif

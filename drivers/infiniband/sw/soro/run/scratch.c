// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: allocation of the per-CPU scratch room.  It is too large for the static
 * per-CPU area, of which all modules share a few KiB.
 */
#include "scratch.h"

struct soro_scratch __percpu *soro_scratch;

/**
 * soro_scratch_init() - allocate the room
 *
 * Return: 0 or -ENOMEM.
 */
int soro_scratch_init(void)
{
	soro_scratch = alloc_percpu(struct soro_scratch);
	return soro_scratch ? 0 : -ENOMEM;
}

/**
 * soro_scratch_exit() - free the room; no half runs any more
 */
void soro_scratch_exit(void)
{
	free_percpu(soro_scratch);
}

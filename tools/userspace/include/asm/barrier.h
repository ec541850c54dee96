/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel's <asm/barrier.h>. After each load that may
 * read what another writes, a program may play the other.
 */
#ifndef SORO_USER_ASM_BARRIER_H
#define SORO_USER_ASM_BARRIER_H

#include <linux/compiler.h>

/* Set by a program that wants to write to shared memory right after a load. */
extern void (*soro_user_after_load)(void);

#define smp_load_acquire(p) __extension__ ({				\
	__typeof__(*(p)) load_ = __atomic_load_n(p, __ATOMIC_ACQUIRE);	\
	if (soro_user_after_load)					\
		soro_user_after_load();					\
	load_; })
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#endif

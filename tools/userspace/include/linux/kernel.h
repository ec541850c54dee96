/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/kernel.h>. */
#ifndef SORO_USER_LINUX_KERNEL_H
#define SORO_USER_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <linux/types.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/math.h>
#include <linux/log2.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/container_of.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/types.h>. */
#ifndef SORO_USER_LINUX_TYPES_H
#define SORO_USER_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/compiler.h>

typedef __u8 u8;
typedef __s8 s8;
typedef __u16 u16;
typedef __s16 s16;
typedef __u32 u32;
typedef __s32 s32;
/* As in the kernel, where 64-bit integers print with %llu everywhere. */
typedef unsigned long long u64;
typedef long long s64;

typedef unsigned int gfp_t;
#define GFP_KERNEL	0
#define GFP_ATOMIC	0

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <asm/unaligned.h>. */
#include <linux/unaligned.h>

/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for <linux/unaligned.h>, which is <asm/unaligned.h> before 6.12. */
#ifndef SORO_COMPAT_LINUX_UNALIGNED_H
#define SORO_COMPAT_LINUX_UNALIGNED_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/array_size.h>. */
#ifndef SORO_USER_LINUX_ARRAY_SIZE_H
#define SORO_USER_LINUX_ARRAY_SIZE_H

#include <linux/kernel.h>

#endif

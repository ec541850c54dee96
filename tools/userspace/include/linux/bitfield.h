/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/bitfield.h>. */
#ifndef SORO_USER_LINUX_BITFIELD_H
#define SORO_USER_LINUX_BITFIELD_H

#define SORO_USER_SHIFT(mask)	(__builtin_ffsll(mask) - 1)
#define FIELD_GET(mask, reg)	((__typeof__(mask))(((reg) & (mask)) >> SORO_USER_SHIFT(mask)))
#define FIELD_PREP(mask, val)						\
	(((__typeof__(mask))(val) << SORO_USER_SHIFT(mask)) & (mask))

#endif

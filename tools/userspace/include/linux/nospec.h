/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/nospec.h>: nothing speculates here that matters. */
#ifndef SORO_USER_LINUX_NOSPEC_H
#define SORO_USER_LINUX_NOSPEC_H

#define array_index_nospec(index, size)		((void)(size), (index))

#endif

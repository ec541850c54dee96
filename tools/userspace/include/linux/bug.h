/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/bug.h>: our own bugs end the test. */
#ifndef SORO_USER_LINUX_BUG_H
#define SORO_USER_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>
#include <linux/build_bug.h>

#define SORO_USER_BUG(cond) __extension__ ({					\
	int bug_ = !!(cond);							\
	if (bug_) {								\
		fprintf(stderr, "BUG: %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		abort();							\
	}									\
	bug_; })

#define WARN_ON(cond)		SORO_USER_BUG(cond)
#define WARN_ON_ONCE(cond)	SORO_USER_BUG(cond)
#define BUG_ON(cond)		((void)SORO_USER_BUG(cond))

#endif

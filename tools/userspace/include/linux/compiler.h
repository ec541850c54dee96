/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's <linux/compiler.h>. */
#ifndef SORO_USER_LINUX_COMPILER_H
#define SORO_USER_LINUX_COMPILER_H

#ifndef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#endif
#define __must_check		__attribute__((__warn_unused_result__))
#define __maybe_unused		__attribute__((__unused__))
#ifndef __force
#define __force
#endif
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define __packed		__attribute__((__packed__))
#define __aligned(x)		__attribute__((__aligned__(x)))
#define noinline		__attribute__((__noinline__))
#define fallthrough		__attribute__((__fallthrough__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))

#endif

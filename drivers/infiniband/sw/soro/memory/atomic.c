// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic operations on registered memory.
 *
 * They are the CPU's own on the kernel's mapping of the page, so that they are
 * atomic with respect to programs that use the CPU's instructions on the same
 * memory and to every other QP (what verbs call IB_ATOMIC_GLOB). Values are in
 * the byte order of the host, as the memory holds them (IBA 9.4.5).
 */
#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/err.h>
#include "atomic.h"
#include "cursor.h"

/*
 * The eight bytes at the position. The remote address is a multiple of 8, but the
 * owner may have registered memory under an address that its pages do not share.
 */
static u64 *locate(struct soro_cursor *c)
{
	u32 got;
	void *at = soro_cursor_span(c, sizeof(u64), &got);

	if (IS_ERR(at))
		return at;
	if (got < sizeof(u64) || !IS_ALIGNED((uintptr_t)at, sizeof(u64)))
		return ERR_PTR(-EINVAL);
	return at;
}

/**
 * soro_atomic_cmp_swp() - replace a value if it is the expected one
 * @c: position, which moves by eight bytes
 * @compare: expected value
 * @swap: what replaces it
 * @orig: value before
 *
 * A full barrier if it swaps. Context: BH off.
 * Return: 0; -EINVAL if the memory is not aligned; or the error of soro_cursor_span().
 */
int soro_atomic_cmp_swp(struct soro_cursor *c, u64 compare, u64 swap, u64 *orig)
{
	u64 *at = locate(c);

	if (IS_ERR(at))
		return PTR_ERR(at);
	*orig = cmpxchg64(at, compare, swap);
	return 0;
}

/**
 * soro_atomic_fetch_add() - add to a value, modulo 2^64
 * @c: position, which moves by eight bytes
 * @add: what is added
 * @orig: value before
 *
 * A full barrier. Context: any. Return: as soro_atomic_cmp_swp().
 */
int soro_atomic_fetch_add(struct soro_cursor *c, u64 add, u64 *orig)
{
	u64 *at = locate(c);

	if (IS_ERR(at))
		return PTR_ERR(at);
	*orig = atomic64_fetch_add(add, (atomic64_t *)at);
	return 0;
}

/**
 * soro_atomic_store() - write eight bytes at once (ATOMIC WRITE, IBA A19)
 * @c: position, which moves by eight bytes
 * @value: the bytes
 *
 * Everything written before is visible to who sees them. Context: BH off.
 * Return: as soro_atomic_cmp_swp().
 */
int soro_atomic_store(struct soro_cursor *c, u64 value)
{
	u64 *at = locate(c);

	if (IS_ERR(at))
		return PTR_ERR(at);
	/* Pairs with the load of a process that polls the value. */
	smp_store_release(at, value);
	return 0;
}

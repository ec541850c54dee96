/* SPDX-License-Identifier: GPL-2.0 */
/*
 * 24-bit packet sequence number arithmetic.
 *
 * Owns: how PSNs are added and compared. Must not know: what a PSN numbers.
 */
#ifndef SORO_WIRE_PSN_H
#define SORO_WIRE_PSN_H

#include <linux/types.h>

#define SORO_PSN_BITS	24
#define SORO_PSN_MASK	((1U << SORO_PSN_BITS) - 1)

/**
 * soro_psn_add() - the PSN @n packets after @psn
 * @psn: PSN to start from
 * @n: distance in packets; modulo 2^24, so that (u32)-1 steps back by one
 *
 * Return: a PSN in 0 .. %SORO_PSN_MASK.
 */
static inline u32 soro_psn_add(u32 psn, u32 n)
{
	return (psn + n) & SORO_PSN_MASK;
}

/**
 * soro_psn_diff() - signed distance from @b to @a
 * @a: PSN
 * @b: PSN to measure from
 *
 * A PSN space of 2^24 is split in two halves around the expected PSN
 * (IBA 9.7.1): what is ahead is positive, what is behind is negative.
 *
 * Return: @a - @b in -2^23 .. 2^23 - 1; bits above the low 24 are ignored.
 */
static inline s32 soro_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << (32 - SORO_PSN_BITS)) >> (32 - SORO_PSN_BITS);
}

/**
 * soro_psn_between() - whether @psn is one of the @n PSNs from @first on
 * @psn: PSN to test
 * @first: first PSN of the range
 * @n: length of the range in packets, at most 2^24 - 1; an empty range holds nothing
 *
 * Return: true when @first <= @psn < @first + @n in modular order.
 */
static inline bool soro_psn_between(u32 psn, u32 first, u32 n)
{
	return ((psn - first) & SORO_PSN_MASK) < n;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the one source of chance in a run, so that a seed repeats it.
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <linux/types.h>

struct rng {
	u64 state;
};

static inline u64 rng_next(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 to n - 1 */
static inline u32 rng_below(struct rng *rng, u32 n)
{
	return n ? rng_next(rng) % n : 0;
}

/* lo to hi */
static inline u32 rng_range(struct rng *rng, u32 lo, u32 hi)
{
	return lo + rng_below(rng, hi - lo + 1);
}

/* true with @permille of 1000 */
static inline bool rng_chance(struct rng *rng, u32 permille)
{
	return rng_below(rng, 1000) < permille;
}

static inline void rng_fill(struct rng *rng, u8 *p, size_t n)
{
	size_t i;
	u64 word = 0;

	for (i = 0; i < n; i++) {
		if (!(i & 7))
			word = rng_next(rng);
		p[i] = word >> (8 * (i & 7));
	}
}

#endif

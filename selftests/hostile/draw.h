/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: random numbers that a seed repeats, and those that are worth trying as a size, an
 * index or an address. A generator belongs to one thread.
 */
#ifndef HOSTILE_DRAW_H
#define HOSTILE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t draw64(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* A number below @n. */
static inline uint32_t draw(uint64_t *state, uint32_t n)
{
	return (draw64(state) >> 32) * n >> 32;
}

static inline bool one_in(uint64_t *state, uint32_t n)
{
	return !draw(state, n);
}

/* Small, huge, a power of two and its neighbours, anything. */
static inline uint64_t nasty(uint64_t *state)
{
	switch (draw(state, 6)) {
	case 0:
		return draw(state, 16);
	case 1:
		return draw(state, 1000);
	case 2:
		return -(uint64_t)draw(state, 16);
	case 3:
		return 1ULL << draw(state, 64);
	case 4:
		return (1ULL << draw(state, 64)) - 1 + draw(state, 3);
	default:
		return draw64(state);
	}
}

/* A size, as a rule below @n. */
static inline uint32_t few(uint64_t *state, uint32_t n)
{
	return one_in(state, 100) ? nasty(state) : draw(state, n);
}

#endif

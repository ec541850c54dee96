/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: how a fuzz target reads its input, and how it says that something is
 * wrong. An input that is used up reads as zeros: every input is a whole run.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <linux/string.h>
#include <linux/types.h>

struct input {
	const u8 *at;
	size_t left;
};

/* What must hold; the message is for the one who reads the crash. */
#define must(cond, what) do {							\
	if (!(cond)) {								\
		fprintf(stderr, "%s:%d: %s: not (%s)\n", __FILE__, __LINE__, what, #cond); \
		abort();							\
	}									\
} while (0)

/* With FUZZ_TRACE=1 in the environment a target tells what it does. */
#define trace(...) do {								\
	if (input_traced())							\
		fprintf(stderr, __VA_ARGS__);					\
} while (0)

static inline bool input_traced(void)
{
	static int traced = -1;

	if (traced < 0)
		traced = getenv("FUZZ_TRACE") != NULL;
	return traced;
}

static inline bool input_empty(const struct input *in)
{
	return !in->left;
}

static inline u8 input_u8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static inline u16 input_u16(struct input *in)
{
	u16 low = input_u8(in);

	return low | input_u8(in) << 8;
}

static inline u32 input_u32(struct input *in)
{
	u32 low = input_u16(in);

	return low | (u32)input_u16(in) << 16;
}

static inline u64 input_u64(struct input *in)
{
	u64 low = input_u32(in);

	return low | (u64)input_u32(in) << 32;
}

/* 0 to @n - 1, from one byte; @n is at most 256 */
static inline u32 input_below(struct input *in, u32 n)
{
	return input_u8(in) % n;
}

/* true for one byte in @n */
static inline bool input_rarely(struct input *in, u32 n)
{
	return input_u8(in) % n == n - 1;
}

/* @bytes bytes; what is missing is zero */
static inline void input_fill(struct input *in, void *to, size_t bytes)
{
	size_t n = bytes < in->left ? bytes : in->left;

	memcpy(to, in->at, n);
	memset((u8 *)to + n, 0, bytes - n);
	in->at += n;
	in->left -= n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

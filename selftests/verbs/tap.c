// SPDX-License-Identifier: GPL-2.0
/*
 * TAP output and small helpers without any knowledge of RDMA.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

/* More lines than this for one test hide the first, which is the interesting one. */
#define MAX_NOTES 12

static struct {
	const char *name;
	unsigned int number;
	unsigned int failures;
	unsigned int notes;
	bool skipped;
	char reason[160];
	uint64_t start_msec;
	uint64_t state;
	unsigned int passed_tests, failed_tests, skipped_tests;
} tap;

static void bail_out(int sig)
{
	static const char text[] = "Bail out! test ran over its time limit: ";

	(void)sig;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDOUT_FILENO, tap.name, strlen(tap.name)) < 0 ||
	    write(STDOUT_FILENO, "\n", 1) < 0)
		_exit(3);
	_exit(2);
}

void tap_begin(const char *name, uint64_t seed, unsigned int limit_sec)
{
	const char *c;

	tap.name = name;
	tap.number++;
	tap.failures = 0;
	tap.notes = 0;
	tap.skipped = false;
	tap.start_msec = now_msec();
	/* FNV-1a over the name, so that tests draw different numbers. */
	tap.state = seed ^ 0xcbf29ce484222325ULL;
	for (c = name; *c; c++)
		tap.state = (tap.state ^ (unsigned char)*c) * 0x100000001b3ULL;
	if (!tap.state)
		tap.state = 1;
	signal(SIGALRM, bail_out);
	alarm(limit_sec);
}

void tap_limit(unsigned int limit_sec)
{
	alarm(limit_sec);
}

void tap_end(void)
{
	unsigned long long msec = now_msec() - tap.start_msec;

	alarm(0);
	if (tap.failures) {
		tap.failed_tests++;
		printf("not ok %u - %s # %u failed checks, %llu ms\n", tap.number, tap.name,
		       tap.failures, msec);
	} else if (tap.skipped) {
		tap.skipped_tests++;
		printf("ok %u - %s # SKIP %s\n", tap.number, tap.name, tap.reason);
	} else {
		tap.passed_tests++;
		printf("ok %u - %s # %llu ms\n", tap.number, tap.name, msec);
	}
	fflush(stdout);
}

void tap_plan(unsigned int count)
{
	printf("TAP version 13\n1..%u\n", count);
	fflush(stdout);
}

int tap_summary(void)
{
	printf("# %u passed, %u failed, %u skipped\n", tap.passed_tests, tap.failed_tests,
	       tap.skipped_tests);
	return tap.failed_tests ? 1 : 0;
}

void tap_skip(const char *fmt, ...)
{
	va_list args;

	tap.skipped = true;
	va_start(args, fmt);
	vsnprintf(tap.reason, sizeof(tap.reason), fmt, args);
	va_end(args);
}

void tap_note(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

bool tap_failed(void)
{
	return tap.failures > 0;
}

bool tap_check(bool ok, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	if (ok)
		return true;
	tap.failures++;
	if (++tap.notes > MAX_NOTES)
		return false;
	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	return false;
}

uint64_t now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

uint64_t now_msec(void)
{
	return now_usec() / 1000;
}

void sleep_msec(unsigned int msec)
{
	struct timespec ts = { msec / 1000, (msec % 1000) * 1000000L };

	while (nanosleep(&ts, &ts))
		;
}

uint64_t rnd(void)
{
	/* xorshift64*: small, and the same everywhere. */
	tap.state ^= tap.state >> 12;
	tap.state ^= tap.state << 25;
	tap.state ^= tap.state >> 27;
	return tap.state * 0x2545f4914f6cdd1dULL;
}

uint64_t rnd_below(uint64_t limit)
{
	return limit ? rnd() % limit : 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP output, checks that do not stop the test, time and repeatable random
 * numbers.
 */
#ifndef SORO_VERBS_TAP_H
#define SORO_VERBS_TAP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * tap_begin() - open one test point
 * @name: printed on the result line
 * @seed: seed of the run; the test's own seed is made of it and the name, so
 *        that a test run alone draws the same numbers
 * @limit_sec: the process ends with "Bail out!" when the test runs longer
 */
void tap_begin(const char *name, uint64_t seed, unsigned int limit_sec);

/** tap_limit() - a new limit for the open test, from now on */
void tap_limit(unsigned int limit_sec);

/** tap_end() - print the result line of the open test point */
void tap_end(void);

/** tap_plan() - print the plan for @count tests */
void tap_plan(unsigned int count);

/** tap_summary() - print the closing line; Return: exit status of the program */
int tap_summary(void);

/** tap_skip() - mark the open test as skipped, with the reason */
void tap_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** tap_note() - print a comment line */
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** tap_failed() - Return: whether a check of the open test has failed */
bool tap_failed(void);

/** tap_check() - what CHECK() calls; Return: @ok */
bool tap_check(bool ok, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Record a failure when @cond is false; the value is @cond. */
#define CHECK(cond, ...) tap_check(!!(cond), __FILE__, __LINE__, __VA_ARGS__)

/** now_msec() - Return: monotonic milliseconds */
uint64_t now_msec(void);

/** now_usec() - Return: monotonic microseconds */
uint64_t now_usec(void);

/** sleep_msec() - sleep, for tests of which time itself is the subject */
void sleep_msec(unsigned int msec);

/** rnd() - Return: next 64 random bits of the open test */
uint64_t rnd(void);

/** rnd_below() - Return: a random number below @limit, 0 if @limit is 0 */
uint64_t rnd_below(uint64_t limit);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What there is to test. Each runs in the parent and touches the connection manager in
 * children only.
 */
#ifndef SORO_CM_TESTS_H
#define SORO_CM_TESTS_H

#include "process.h"

/* Rounds of connect, transfer, disconnect; and many at once. */
void test_rounds(const struct env *env);
void test_killed(const struct env *env);
void test_threads(const struct env *env);
void test_processes(const struct env *env);

/* Nobody there, nobody who wants. */
void test_closed_port(const struct env *env);
void test_nobody(const struct env *env);
void test_silent(const struct env *env);
void test_isolated(const struct env *env);

/* Private data. */
void test_private_accept(const struct env *env);
void test_private_reject(const struct env *env);
void test_private_too_long(const struct env *env);

/* UD. */
void test_datagrams(const struct env *env);
void test_multicast(const struct env *env);

#endif

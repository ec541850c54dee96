/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that keeps objects open, for the tests of what happens to them.
 */
#ifndef SORO_VERBS_HOLD_H
#define SORO_VERBS_HOLD_H

#include "fixture.h"

/**
 * hold_until_signal() - make a connected pair, registered memory and posted work,
 * say "# holding", then touch the rings ten times a second until SIGTERM or SIGINT
 * @env: devices
 *
 * Whatever the calls return then is no failure: the device may be gone.
 */
void hold_until_signal(struct env *env);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The other side of every test, a process: listens, and serves each connection in a thread.
 */
#ifndef SORO_CM_SERVER_H
#define SORO_CM_SERVER_H

#include "process.h"

/**
 * enum server_does - with a request
 * @SERVER_ECHOES: accepts, and sends back what it gets, inverted, until the peer disconnects
 * @SERVER_OUTLIVES: the same, for clients that are killed at any point
 * @SERVER_ACCEPTS: accepts with private data as long as the number of the request says, and
 *	checks that the request has as many; then as %SERVER_ECHOES
 * @SERVER_REJECTS: the same, but rejects
 * @SERVER_DATAGRAMS: UD; accepts, and sends datagrams back
 */
enum server_does {
	SERVER_ECHOES, SERVER_OUTLIVES, SERVER_ACCEPTS, SERVER_REJECTS, SERVER_DATAGRAMS
};

/** server_start() - at the address and in the namespace of @env; @port is filled in, 0 if none */
struct child server_start(const struct env *env, enum server_does does, uint16_t *port);

/** private_fill() - the private data of request @n: so many bytes of a pattern */
void private_fill(uint8_t *data, unsigned int n);

/** private_check() - @data begins with those of request @n; what follows is zero */
void private_check(const uint8_t *data, unsigned int length, unsigned int n);

#endif

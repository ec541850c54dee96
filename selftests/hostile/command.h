/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the form of commands of the uverbs write() interface: a head, the core's part, the
 * driver's part, and a place for the response. Must not know what commands mean.
 */
#ifndef HOSTILE_COMMAND_H
#define HOSTILE_COMMAND_H

#include <rdma/ib_user_verbs.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_BYTES	4096

/**
 * struct command - one command, ready to be written
 * @wire: what is written
 * @bytes: how much of it
 * @core: where the core's part begins in @wire
 * @driver: where the driver's part begins
 * @out: the response: the core's part, then the driver's
 * @core_out: bytes of the core's part of the response
 * @driver_out: bytes of the driver's part
 */
struct command {
	uint8_t wire[COMMAND_BYTES] __attribute__((aligned(8)));
	size_t bytes, core, driver;
	uint8_t out[COMMAND_BYTES] __attribute__((aligned(8)));
	size_t core_out, driver_out;
};

/* Sizes of the four parts of a command and its response, in bytes. */
struct parts {
	size_t core_in, core_out, driver_in, driver_out;
};

void *command_begin(struct command *c, uint32_t number, struct parts parts);
void *command_begin_ex(struct command *c, uint32_t number, struct parts parts);
int command_send(int fd, struct command *c);

#endif

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static void begin(struct command *c, size_t core, const struct parts *parts)
{
	memset(c, 0, sizeof(*c));
	c->core = core;
	c->driver = core + parts->core_in;
	c->bytes = c->driver + parts->driver_in;
	c->core_out = parts->core_out;
	c->driver_out = parts->driver_out;
}

/**
 * command_begin() - a legacy command, all zero behind its head
 * @c: the command
 * @number: enum ib_uverbs_write_cmds
 * @parts: sizes; one that has a response begins with its address
 *
 * Return: the core's part
 */
void *command_begin(struct command *c, uint32_t number, struct parts parts)
{
	struct ib_uverbs_cmd_hdr *hdr = (void *)c->wire;
	uint64_t response = (uintptr_t)c->out;

	begin(c, sizeof(*hdr), &parts);
	hdr->command = number;
	hdr->in_words = c->bytes / 4;
	hdr->out_words = (parts.core_out + parts.driver_out) / 4;
	if (parts.core_out)
		memcpy(c->wire + c->core, &response, sizeof(response));
	return c->wire + c->core;
}

/**
 * command_begin_ex() - an extended command, all zero behind its heads
 * @c: the command
 * @number: IB_USER_VERBS_EX_CMD_...
 * @parts: sizes
 *
 * Return: the core's part
 */
void *command_begin_ex(struct command *c, uint32_t number, struct parts parts)
{
	struct ib_uverbs_cmd_hdr *hdr = (void *)c->wire;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(c->wire + sizeof(*hdr));

	begin(c, sizeof(*hdr) + sizeof(*ex), &parts);
	hdr->command = number | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	hdr->in_words = parts.core_in / 8;
	hdr->out_words = parts.core_out / 8;
	ex->provider_in_words = parts.driver_in / 8;
	ex->provider_out_words = parts.driver_out / 8;
	if (parts.core_out || parts.driver_out)
		ex->response = (uintptr_t)c->out;
	return c->wire + c->core;
}

/**
 * command_send() - hand it to the kernel
 * @fd: the open device
 * @c: the command
 *
 * Return: 0 or errno
 */
int command_send(int fd, struct command *c)
{
	return write(fd, c->wire, c->bytes) < 0 ? errno : 0;
}

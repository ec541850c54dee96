/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: every command of the write() interface, filled in as a program would that means it, by
 * and large. Whoever sends it may spoil it first.
 */
#ifndef HOSTILE_TEMPLATE_H
#define HOSTILE_TEMPLATE_H

#include "command.h"
#include "world.h"

/**
 * struct template - how to make one command
 * @name: of the command
 * @build: fills it in
 * @makes: kind of the object that it makes, KINDS for none
 * @done: what follows from success, or NULL
 */
struct template {
	const char *name;
	void (*build)(struct command *c, uint64_t *state);
	enum kind makes;
	void (*done)(struct command *c);
};

/* Changes a command before it is sent; true if its response can still be believed. */
typedef bool spoil_fn(struct command *c, uint64_t *state);

int template_run(const struct template *t, uint64_t *state, spoil_fn *spoil);

/* All commands that there are, in several tables that end with an empty row. */
extern const struct template object_templates[];	/* make, destroy */
extern const struct template use_templates[];		/* query, modify, post */
extern const struct template extra_templates[];		/* extended ones, and those that nobody has */

void fill_address(struct ib_uverbs_ah_attr *attr, uint64_t *state);
void template_connect(unsigned int slot, uint64_t *state);

#endif

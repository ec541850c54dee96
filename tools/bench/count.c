// SPDX-License-Identifier: GPL-2.0
/*
 * A TCG plugin for QEMU 7.x: counts the instructions that the guest executes, by
 * address. Exact, and the guest does not notice: no sampling, no interrupts,
 * regions with interrupts off are seen like all others.
 *
 *	qemu-system-x86_64 ... -plugin ./count.so,out=FILE
 *
 * Each time the guest executes the mark instruction (mark.c), the counts since the
 * last mark are appended to FILE: "mark N", then lines "address instructions entries".
 * Addresses are those of translation blocks, which lie within one function; so the
 * entries of a function's first block are its calls. All of user space counts as address 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"
#include "plugin.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

/* Open addressing; a kernel has far fewer blocks than this. Blocks keep pointers. */
#define SLOTS	(1u << 22)

struct slot {
	uint64_t addr;
	uint64_t insns;
	uint64_t entries;
};

static struct slot *slots;
static unsigned int used;
static unsigned int marks;
static FILE *out;
static const unsigned char mark_bytes[] = { SORO_MARK_BYTES };

static struct slot *find_slot(uint64_t addr)
{
	uint32_t i = (addr * 0x9e3779b97f4a7c15ull) >> 42;

	while (slots[i].addr && slots[i].addr != addr)
		i = (i + 1) % SLOTS;
	if (!slots[i].addr) {
		if (++used > SLOTS / 2) {
			fprintf(stderr, "count: too many blocks\n");
			exit(1);
		}
		slots[i].addr = addr;
	}
	return &slots[i];
}

static void at_mark(unsigned int vcpu, void *data)
{
	unsigned int i;

	(void)vcpu;
	(void)data;
	fprintf(out, "mark %u\n", marks++);
	for (i = 0; i < SLOTS; i++) {
		if (!slots[i].insns)
			continue;
		/* Address 0 means a free slot, so user space is kept under 1. */
		fprintf(out, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
			slots[i].addr == 1 ? 0 : slots[i].addr, slots[i].insns, slots[i].entries);
		slots[i].insns = 0;
		slots[i].entries = 0;
	}
	fflush(out);
}

static void find_mark(struct qemu_plugin_tb *tb)
{
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_size(insn) == sizeof(mark_bytes) &&
		    !memcmp(qemu_plugin_insn_data(insn), mark_bytes, sizeof(mark_bytes)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark, CB_NO_REGS, NULL);
	}
}

static void count(struct qemu_plugin_tb *tb, struct slot *slot)
{
	qemu_plugin_register_vcpu_tb_exec_inline(tb, OP_INLINE_ADD_U64, &slot->insns,
						 qemu_plugin_tb_n_insns(tb));
	qemu_plugin_register_vcpu_tb_exec_inline(tb, OP_INLINE_ADD_U64, &slot->entries, 1);
}

static void at_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t addr = qemu_plugin_tb_vaddr(tb);

	(void)id;
	if (addr >> 63) {
		count(tb, find_slot(addr));
	} else {
		count(tb, find_slot(1));
		find_mark(tb);
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "count: wants out=FILE\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	slots = calloc(SLOTS, sizeof(*slots));
	if (!out || !slots) {
		fprintf(stderr, "count: %s: %s\n", argv[0], strerror(errno));
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
	return 0;
}

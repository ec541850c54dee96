/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over the memory that a list of SGEs names.
 *
 * Owns: position and the grant that is being walked. Must not know: what is
 * copied, nor why.
 */
#ifndef SORO_MEMORY_CURSOR_H
#define SORO_MEMORY_CURSOR_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct soro_grant;
struct soro_keys;

/**
 * struct soro_cursor - position in a list of SGEs
 * @keys: key space in which the SGEs' keys are looked up
 * @pd: protection domain that the regions must belong to
 * @sge: the next SGE that has not been entered; private memory of the caller
 * @num: how many SGEs there are from @sge on
 * @access: IB_ACCESS_* bits that each region must grant, 0 for a local read
 * @skip: bytes of @sge before the position
 * @left: bytes left in the SGE that was entered
 * @va: address of the next byte in it
 * @grant: what its key permits, held, or NULL
 * @qp: the QP whose peer names the memory; NULL where its owner does
 *
 * A remote range is a list of one SGE whose key is the R_Key; @qp is set after soro_cursor_init().
 */
struct soro_cursor {
	struct soro_keys *keys;
	const struct ib_pd *pd;
	const struct ib_sge *sge;
	u32 num;
	int access;
	u32 skip;
	u32 left;
	u64 va;
	struct soro_grant *grant;
	const void *qp;
};

void soro_cursor_init(struct soro_cursor *c, struct soro_keys *keys, const struct ib_pd *pd,
		      const struct ib_sge *sge, u32 num, int access, u32 offset);
void *soro_cursor_span(struct soro_cursor *c, u32 want, u32 *got);
void soro_cursor_fini(struct soro_cursor *c);
int soro_cursor_check(struct soro_keys *keys, const struct ib_pd *pd, const struct ib_sge *sge,
		      u32 num, int access);

#endif /* SORO_MEMORY_CURSOR_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over the memory that a list of SGEs names.
 *
 * Each SGE is checked as a whole when it is entered, and what its key permits is
 * held until the walk leaves it.
 */
#include <linux/err.h>
#include "cursor.h"
#include "grant.h"

/**
 * soro_cursor_init - start a walk
 * @c: the cursor
 * @keys: key space of the device
 * @pd: protection domain of the QP
 * @sge: the list, private memory that stays until soro_cursor_fini()
 * @num: entries of @sge
 * @access: IB_ACCESS_* bits that each region must grant; 0 for a local read
 * @offset: bytes of the list before the position
 *
 * Looks up nothing yet: SGEs that are skipped are not checked.
 */
void soro_cursor_init(struct soro_cursor *c, struct soro_keys *keys, const struct ib_pd *pd,
		      const struct ib_sge *sge, u32 num, int access, u32 offset)
{
	while (num && offset >= sge->length) {
		offset -= sge->length;
		sge++;
		num--;
	}
	c->keys = keys;
	c->pd = pd;
	c->sge = sge;
	c->num = num;
	c->access = access;
	c->skip = offset;
	c->left = 0;
	c->va = 0;
	c->grant = NULL;
	c->qp = NULL;
}

static void leave(struct soro_cursor *c)
{
	if (c->grant)
		soro_grant_put(c->grant);
	c->grant = NULL;
	c->left = 0;
}

/* An SGE of length 0 names no memory and needs no key. */
static int enter_next(struct soro_cursor *c)
{
	const struct ib_sge *sge;
	struct soro_grant *grant;

	leave(c);
	while (c->num && !c->sge->length) {
		c->sge++;
		c->num--;
	}
	if (!c->num)
		return -ERANGE;

	sge = c->sge;
	grant = soro_grant_get(c->keys, c->pd, c->qp, sge->lkey, sge->addr, sge->length,
			       c->access);
	if (IS_ERR(grant))
		return PTR_ERR(grant);

	/* The SGE lies inside the grant, so that the sum does not wrap. */
	c->grant = grant;
	c->va = sge->addr + c->skip;
	c->left = sge->length - c->skip;
	c->skip = 0;
	c->sge++;
	c->num--;
	return 0;
}

/**
 * soro_cursor_span - the next contiguous piece
 * @c: the cursor, which moves behind the piece
 * @want: bytes wanted, at least 1
 * @got: bytes of the piece, 1 to @want
 *
 * The piece may be touched until the next call on the cursor. Context: BH off up to
 * soro_cursor_fini(), and nothing sleeps.
 * Return: kernel address, or an error of soro_grant_get(), or -ERANGE behind the end of the list.
 * After an error the cursor is only good for soro_cursor_fini().
 */
void *soro_cursor_span(struct soro_cursor *c, u32 want, u32 *got)
{
	void *kva;
	int err;

	if (!c->left) {
		err = enter_next(c);
		if (err)
			return ERR_PTR(err);
	}
	kva = soro_grant_span(c->grant, c->va, min(want, c->left), got);
	c->va += *got;
	c->left -= *got;
	return kva;
}

/**
 * soro_cursor_fini - end a walk
 * @c: the cursor
 */
void soro_cursor_fini(struct soro_cursor *c)
{
	leave(c);
	c->num = 0;
}

/**
 * soro_cursor_check - whether every SGE of a list holds
 * @keys: key space of the device
 * @pd: protection domain of the QP
 * @sge: the list
 * @num: entries of @sge
 * @access: IB_ACCESS_* bits that each region must grant
 *
 * Says nothing about a later walk: a region may be gone by then. Context: BH off.
 * Return: 0, or the error of soro_grant_get() for the first SGE that does not.
 */
int soro_cursor_check(struct soro_keys *keys, const struct ib_pd *pd, const struct ib_sge *sge,
		      u32 num, int access)
{
	struct soro_grant *grant;
	u32 i;

	for (i = 0; i < num; i++) {
		if (!sge[i].length)
			continue;
		grant = soro_grant_get(keys, pd, NULL, sge[i].lkey, sge[i].addr, sge[i].length,
				       access);
		if (IS_ERR(grant))
			return PTR_ERR(grant);
		soro_grant_put(grant);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over the memory that a list of SGEs names.
 *
 * Each SGE is checked as a whole when it is entered, and its region stays
 * referenced until the walk leaves it.
 */
#include <linux/err.h>
#include "cursor.h"
#include "mr.h"

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
	c->mr = NULL;
}

static void leave(struct soro_cursor *c)
{
	if (c->mr)
		soro_mr_put(c->mr);
	c->mr = NULL;
	c->left = 0;
}

/* An SGE of length 0 names no memory and needs no key. */
static int enter_next(struct soro_cursor *c)
{
	const struct ib_sge *sge;
	struct soro_mr *mr;

	leave(c);
	while (c->num && !c->sge->length) {
		c->sge++;
		c->num--;
	}
	if (!c->num)
		return -ERANGE;

	sge = c->sge;
	mr = soro_mr_get(c->keys, c->pd, sge->lkey, sge->addr, sge->length, c->access);
	if (IS_ERR(mr))
		return PTR_ERR(mr);

	/* The SGE lies inside the region, so that the sum does not wrap. */
	c->mr = mr;
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
 * The piece may be touched until the next call on the cursor. Context: any.
 * Return: kernel address, or an error of soro_mr_get(), or -ERANGE behind the end of the list.
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
	kva = soro_mr_span(c->mr, c->va, min(want, c->left), got);
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
 * Says nothing about a later walk: a region may be gone by then. Context: any.
 * Return: 0, or the error of soro_mr_get() for the first SGE that does not.
 */
int soro_cursor_check(struct soro_keys *keys, const struct ib_pd *pd, const struct ib_sge *sge,
		      u32 num, int access)
{
	struct soro_mr *mr;
	u32 i;

	for (i = 0; i < num; i++) {
		if (!sge[i].length)
			continue;
		mr = soro_mr_get(keys, pd, sge[i].lkey, sge[i].addr, sge[i].length, access);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		soro_mr_put(mr);
	}
	return 0;
}

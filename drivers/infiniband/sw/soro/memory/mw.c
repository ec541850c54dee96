// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows.
 *
 * A window of type 1 belongs to its PD and is bound anew as often as one likes, each time
 * with another key. One of type 2B belongs to the QP that bound it, and is free
 * again only when it was invalidated. A bound window keeps its region from being
 * changed or deregistered, so that nothing has to be looked up twice.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "key.h"
#include "mr.h"
#include "mw.h"

#define MW_ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | SORO_ACCESS_REMOTE | IB_ACCESS_MW_BIND |	\
			 IB_ZERO_BASED | IB_ACCESS_OPTIONAL)

#define KEY_VARIANT	0xffU

/**
 * struct soro_window - a memory window
 * @keys: the key space that its key belongs to
 * @grant: what its key permits; open while it is bound
 * @mr: what it is bound to, or NULL; guarded by the lock of @grant
 * @rcu: frees the structure after lookups under RCU have ended
 */
struct soro_window {
	struct soro_keys *keys;
	struct soro_grant grant;
	struct soro_mr *mr;
	struct rcu_head rcu;
};

static struct soro_window *window_of(struct soro_grant *grant)
{
	return container_of(grant, struct soro_window, grant);
}

static bool is_window(const struct soro_grant *grant)
{
	return grant->kind == SORO_GRANT_WINDOW_1 || grant->kind == SORO_GRANT_WINDOW_2;
}

/**
 * soro_mw_alloc - the alloc_mw operation
 * @keys: key space of the device
 * @ib_mw: zeroed but for what the core has set: PD and type
 *
 * Context: process, may sleep. Return: 0; -EINVAL for an unknown type; -ENOMEM.
 */
int soro_mw_alloc(struct soro_keys *keys, struct ib_mw *ib_mw)
{
	struct soro_mw *mw = container_of(ib_mw, struct soro_mw, ib);
	struct soro_window *window;
	int err;

	if (ib_mw->type != IB_MW_TYPE_1 && ib_mw->type != IB_MW_TYPE_2)
		return -EINVAL;
	window = kzalloc(sizeof(*window), GFP_KERNEL_ACCOUNT);
	if (!window)
		return -ENOMEM;
	window->keys = keys;
	soro_grant_init(&window->grant, ib_mw->type == IB_MW_TYPE_1 ? SORO_GRANT_WINDOW_1 :
								      SORO_GRANT_WINDOW_2,
			ib_mw->pd);
	err = soro_grant_publish(&window->grant, keys);
	if (err) {
		kfree(window);
		return err;
	}
	mw->window = window;
	ib_mw->rkey = window->grant.key;
	return 0;
}

/**
 * soro_mw_unbind - a window is bound to nothing from now on
 * @grant: of the window, held for writing
 */
void soro_mw_unbind(struct soro_grant *grant)
{
	struct soro_window *window = window_of(grant);

	lockdep_assert_held_write(&grant->lock);
	grant->open = false;
	grant->qp = NULL;
	if (window->mr)
		soro_mr_del_window(window->mr);
	window->mr = NULL;
}

/**
 * soro_mw_dealloc - the dealloc_mw operation
 * @ib_mw: the window, bound or not
 *
 * Waits until nobody uses memory through it. Context: process. Return: 0.
 */
int soro_mw_dealloc(struct ib_mw *ib_mw)
{
	struct soro_window *window = container_of(ib_mw, struct soro_mw, ib)->window;

	soro_grant_end(&window->grant, window->keys);
	write_lock_bh(&window->grant.lock);
	soro_mw_unbind(&window->grant);
	write_unlock_bh(&window->grant.lock);
	kfree_rcu(window, rcu);
	return 0;
}

/* ---- binding ---- */

/* What the region must be and permit (IBA C10-71 to C10-75); its grant is held. */
static int check_region(const struct soro_grant *grant, const struct ib_pd *pd,
			const struct soro_bind *bind)
{
	if (grant->kind != SORO_GRANT_REGION || grant->key != bind->mr_lkey || !grant->open)
		return -ENOENT;
	if (grant->pd != pd)
		return -EXDEV;
	if (!(grant->access & IB_ACCESS_MW_BIND) || grant->access & IB_ZERO_BASED)
		return -EACCES;
	if (bind->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC) &&
	    !(grant->access & IB_ACCESS_LOCAL_WRITE))
		return -EACCES;
	if (bind->access & IB_ACCESS_FLUSH_GLOBAL & ~grant->access)
		return -EACCES;
	return soro_grant_covers(grant, bind->addr, bind->length) ? 0 : -ERANGE;
}

/*
 * Find the region and hold it, as bound windows do. Who may not bind to it does not hold it for a
 * moment: its owner could not deregister it then, and anybody can name any key.
 */
static struct soro_mr *hold_region(struct soro_keys *keys, const struct ib_pd *pd,
				   const struct soro_bind *bind)
{
	struct soro_grant *grant = soro_key_find(keys, bind->mr_lkey);
	struct soro_mr *mr;
	int err;

	if (!grant || grant->kind != SORO_GRANT_REGION)
		return ERR_PTR(-ENOENT);
	mr = soro_mr_from_grant(grant);
	read_lock(&grant->lock);
	err = check_region(grant, pd, bind);
	if (!err && !soro_mr_add_window(mr))
		err = -ENOENT;
	read_unlock(&grant->lock);
	return err ? ERR_PTR(err) : mr;
}

/* What the window must be, and may become; its grant is held for writing. */
static int check_window(const struct soro_grant *grant, const struct ib_pd *pd,
			const struct soro_bind *bind)
{
	if (grant->pd != pd)
		return -EXDEV;
	if (bind->access & ~MW_ACCESS_KNOWN)
		return -EINVAL;
	if (grant->kind == SORO_GRANT_WINDOW_2)	/* free, and bound to something: o10-37.2.30 */
		return grant->open || !bind->length ? -EINVAL : 0;
	if (grant->key != bind->mw_rkey)
		return -ENOENT;
	return bind->access & IB_ZERO_BASED ? -EINVAL : 0;	/* o10-36.2.2 */
}

/* @mr: held; NULL to unbind. */
static void rebind(struct soro_grant *grant, const void *qp, struct soro_mr *mr,
		   const struct soro_bind *bind)
{
	soro_mw_unbind(grant);
	grant->key = (grant->key & ~KEY_VARIANT) | (bind->rkey & KEY_VARIANT);
	if (!mr)
		return;
	window_of(grant)->mr = mr;
	grant->qp = grant->kind == SORO_GRANT_WINDOW_2 ? qp : NULL;
	grant->iova = bind->access & IB_ZERO_BASED ? 0 : bind->addr;
	grant->length = bind->length;
	grant->access = bind->access & SORO_ACCESS_REMOTE;
	grant->offset = bind->addr - mr->grant.iova;
	grant->blocks = &mr->blocks;
	grant->open = true;
}

static int bind_window(struct soro_grant *grant, const struct ib_pd *pd, const void *qp,
		       struct soro_mr *mr, const struct soro_bind *bind)
{
	int err;

	write_lock_bh(&grant->lock);
	err = check_window(grant, pd, bind);
	if (!err)
		rebind(grant, qp, mr, bind);
	write_unlock_bh(&grant->lock);
	return err;
}

/**
 * soro_mw_bind - execute a bind (IBA 10.6.7)
 * @keys: key space of the device
 * @pd: protection domain of the QP
 * @qp: the QP, which owns a window of type 2B afterwards
 * @bind: what to bind to what
 *
 * The old key is over, and nobody uses memory through it any more, when this returns.
 * Context: BH off.
 *
 * Return: 0, or -errno: nothing has changed.
 */
int soro_mw_bind(struct soro_keys *keys, const struct ib_pd *pd, const void *qp,
		 const struct soro_bind *bind)
{
	struct soro_grant *grant;
	struct soro_mr *mr = NULL;
	int err = -ENOENT;

	rcu_read_lock();
	grant = soro_key_find(keys, bind->mw_rkey);
	if (!grant || !is_window(grant))
		goto out;
	if (bind->length)
		mr = hold_region(keys, pd, bind);
	err = PTR_ERR_OR_ZERO(mr);
	if (err)
		goto out;
	err = bind_window(grant, pd, qp, mr, bind);
	if (err && mr)
		soro_mr_del_window(mr);
out:
	rcu_read_unlock();
	return err;
}

#define FORGET_BATCH	1024

/**
 * soro_mw_forget_qp - a QP is gone: windows of type 2B that it bound are free
 * @keys: key space of the device
 * @qp: the QP, which binds nothing any more
 *
 * Looks at every key: for QPs that have bound windows. Context: process, may sleep.
 */
void soro_mw_forget_qp(struct soro_keys *keys, const void *qp)
{
	struct soro_grant *grant;
	unsigned long index;
	u32 n = 0;

	rcu_read_lock();
	xa_for_each(&keys->objects, index, grant) {
		if (grant->kind == SORO_GRANT_WINDOW_2) {
			write_lock_bh(&grant->lock);
			if (grant->qp == qp)
				soro_mw_unbind(grant);
			write_unlock_bh(&grant->lock);
		}
		if (++n % FORGET_BATCH == 0) {
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
		}
	}
	rcu_read_unlock();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Invalidation of keys by work requests (IBA 10.6.5): of regions that work requests
 * register, and of windows of type 2B. What was registered by a call ends by a call, and a window
 * of type 1 by a bind.
 */
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include "grant.h"
#include "invalidate.h"
#include "key.h"
#include "mw.h"

/*
 * A region that is free already may be invalidated by its owner: after an error nobody knows
 * whether it was. The peer may only end what it may use.
 */
static int check_region(const struct soro_grant *grant, bool remote)
{
	if (!remote)
		return 0;
	return grant->open && grant->access & SORO_ACCESS_REMOTE ? 0 : -EACCES;
}

static int end(struct soro_grant *grant, const struct ib_pd *pd, const void *qp, u32 key,
	       bool remote)
{
	int err;

	if (grant->key != key)
		return -ENOENT;
	if (grant->pd != pd)
		return -EXDEV;
	switch (grant->kind) {
	case SORO_GRANT_FAST:
		err = check_region(grant, remote);
		if (!err)
			grant->open = false;
		return err;
	case SORO_GRANT_WINDOW_2:
		if (!grant->open)
			return -ENOENT;
		if (grant->qp != qp)
			return -EXDEV;
		soro_mw_unbind(grant);
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * soro_invalidate - end what a key permits
 * @keys: key space of the device
 * @pd: protection domain of the QP
 * @qp: the QP
 * @key: L_Key or R_Key
 * @remote: the peer wants it, by a SEND with invalidate
 *
 * When this returns nobody uses memory under the key any more. Context: BH off.
 * Return: 0; -ENOENT (no such key, or not valid), -EXDEV (other PD or QP), -EACCES (rights),
 * -EINVAL (it cannot be invalidated).
 */
int soro_invalidate(struct soro_keys *keys, const struct ib_pd *pd, const void *qp, u32 key,
		    bool remote)
{
	struct soro_grant *grant;
	int err = -ENOENT;

	rcu_read_lock();
	grant = soro_key_find(keys, key);
	if (grant) {
		write_lock_bh(&grant->lock);
		err = end(grant, pd, qp, key, remote);
		write_unlock_bh(&grant->lock);
	}
	rcu_read_unlock();
	return err;
}

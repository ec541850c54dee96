// SPDX-License-Identifier: GPL-2.0
/*
 * Grants: what a key permits.
 *
 * A grant is found by its key under RCU and held for reading while memory is copied. Who
 * invalidates, binds, registers or destroys takes it for writing, and so waits for copies
 * that are under way: they are made with BH off, do not sleep, and are of a train at most.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include "grant.h"
#include "key.h"

/**
 * soro_grant_init - make a grant that permits nothing yet
 * @grant: zeroed
 * @kind: what has it
 * @pd: protection domain
 */
void soro_grant_init(struct soro_grant *grant, enum soro_grant_kind kind, const struct ib_pd *pd)
{
	rwlock_init(&grant->lock);
	grant->kind = kind;
	grant->pd = pd;
}

/**
 * soro_grant_publish - give a grant a key of its own, by which it is found
 * @grant: the grant, complete
 * @keys: key space of the device
 *
 * Context: process, may sleep. Return: 0, or the error of soro_key_alloc().
 */
int soro_grant_publish(struct soro_grant *grant, struct soro_keys *keys)
{
	int err = soro_key_alloc(keys, &grant->key);

	if (!err)
		soro_key_publish(keys, grant->key, grant);
	return err;
}

/**
 * soro_grant_end - a grant is over: its object goes
 * @grant: the grant
 * @keys: key space of soro_grant_publish()
 *
 * Waits until nobody uses the memory under it. The structure stays for an RCU grace period.
 * Context: process.
 */
void soro_grant_end(struct soro_grant *grant, struct soro_keys *keys)
{
	soro_key_free(keys, grant->key);
	write_lock_bh(&grant->lock);
	grant->open = false;
	grant->pd = NULL;
	write_unlock_bh(&grant->lock);
}

/**
 * soro_grant_covers - whether a range lies inside that of a grant
 * @grant: the grant
 * @va: address as the work request or the packet names it
 * @bytes: length, 0 is a range too
 *
 * The one place where an address and a length meet: nothing here can wrap.
 */
bool soro_grant_covers(const struct soro_grant *grant, u64 va, u64 bytes)
{
	u64 offset;

	if (va < grant->iova)
		return false;
	offset = va - grant->iova;
	return offset <= grant->length && bytes <= grant->length - offset;
}

/* The key of a window is an R_Key only (IBA 10.6.7.2.6). */
static bool is_remote_only(const struct soro_grant *grant)
{
	return grant->kind == SORO_GRANT_WINDOW_1 || grant->kind == SORO_GRANT_WINDOW_2;
}

static int check_rights(const struct soro_grant *grant, const struct ib_pd *pd, const void *qp,
			u32 key, int access)
{
	if (grant->key != key || !grant->open)
		return -ENOENT;
	if (is_remote_only(grant) && !(access & SORO_ACCESS_REMOTE))
		return -ENOENT;
	if (grant->pd != pd || (grant->qp && grant->qp != qp))
		return -EXDEV;
	return (grant->access & access) == access ? 0 : -EACCES;
}

/*
 * With BH off readers pass a writer that waits, and enough of them would keep it out for ever. It
 * has a turn now, which is longer than those that read already are; more writers have none.
 */
static void let_writer_go(rwlock_t *lock)
{
	u32 looks = 10000;

	while (looks-- && rwlock_is_contended(lock))
		cpu_relax();
}

/**
 * soro_grant_hold - find what a key permits, wherever
 * @keys: key space of the device
 * @pd: protection domain of the user
 * @qp: the QP, if its peer is the user; only compared
 * @key: L_Key or R_Key
 * @access: IB_ACCESS_* bits that it must grant; 0 for a local read
 *
 * Context: BH off until soro_grant_put(), and nothing sleeps.
 * Return: the grant, held for reading, or -ENOENT (no such key, or it permits nothing now),
 * -EXDEV (other PD or QP), -EACCES (rights).
 */
struct soro_grant *soro_grant_hold(struct soro_keys *keys, const struct ib_pd *pd, const void *qp,
				   u32 key, int access)
{
	struct soro_grant *grant;
	int err = -ENOENT;

	rcu_read_lock();
	grant = soro_key_find(keys, key);
	if (grant) {
		let_writer_go(&grant->lock);
		read_lock(&grant->lock);
		err = check_rights(grant, pd, qp, key, access);
		if (err)
			read_unlock(&grant->lock);
		else
			__release(&grant->lock);	/* for sparse: soro_grant_put() unlocks */
	}
	rcu_read_unlock();

	return err ? ERR_PTR(err) : grant;
}

/**
 * soro_grant_get - find what a key permits and check a use of it
 * @keys: key space of the device
 * @pd: protection domain of the user
 * @qp: the QP, if its peer is the user; only compared
 * @key: L_Key or R_Key
 * @va: start of the range
 * @bytes: length of the range
 * @access: IB_ACCESS_* bits that it must grant; 0 for a local read
 *
 * Context: as soro_grant_hold().
 * Return: as soro_grant_hold(), or -ERANGE (bounds).
 */
struct soro_grant *soro_grant_get(struct soro_keys *keys, const struct ib_pd *pd, const void *qp,
				  u32 key, u64 va, u64 bytes, int access)
{
	struct soro_grant *grant = soro_grant_hold(keys, pd, qp, key, access);

	if (IS_ERR(grant) || soro_grant_covers(grant, va, bytes))
		return grant;
	soro_grant_put(grant);
	return ERR_PTR(-ERANGE);
}

/**
 * soro_grant_put - the use is over
 * @grant: a grant of soro_grant_get()
 *
 * Context: as it was held.
 */
void soro_grant_put(struct soro_grant *grant)
{
	__acquire(&grant->lock);
	read_unlock(&grant->lock);
}

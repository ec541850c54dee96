// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a link's output is on its way.
 *
 * Owns: the transmit socket of a link, which is never bound and only counts;
 * sock_wfree() is the one destructor that survives segmentation. Must not know:
 * who waits, what is in an skb.
 */
#include <linux/err.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <net/sock.h>
#include "charge.h"

/* Sixty trains and the memory behind them; the backlog of a CPU takes 1000 skbs. */
#define CHARGE_MAX	(4 * 1024 * 1024)

static const struct soro_link_ops *link_ops __read_mostly;

/*
 * sk_write_space, called for each skb that is freed, from any context, and even
 * after the socket was released.
 */
static void make_room(struct sock *sk)
{
	struct soro_link *link;

	rcu_read_lock();
	link = rcu_dereference_sk_user_data(sk);
	/* Less is on its way before the flag is looked at; pairs with soro_charge_full(). */
	smp_mb();
	if (link && READ_ONCE(link->tx_full) && sk_wmem_alloc_get(sk) <= CHARGE_MAX / 2 &&
	    xchg(&link->tx_full, false))
		link_ops->tx_ready(link);
	rcu_read_unlock();
}

/**
 * soro_charge_open() - get the transmit socket of a link
 * @at: attachment under construction; net and link are set
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int soro_charge_open(struct soro_attach *at)
{
	struct sock *sk;
	int err;

	err = sock_create_kern(at->net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, &at->tx);
	if (err)
		return err;
	sk = at->tx->sk;
	at->write_space = sk->sk_write_space;
	rcu_assign_sk_user_data(sk, at->link);
	WRITE_ONCE(sk->sk_write_space, make_room);
	return 0;
}

/**
 * soro_charge_shut() - no more tx_ready() after the next grace period
 * @at: attachment that is not published any more
 *
 * Context: process.
 */
void soro_charge_shut(struct soro_attach *at)
{
	struct sock *sk = at->tx->sk;

	rcu_assign_sk_user_data(sk, NULL);
	WRITE_ONCE(sk->sk_write_space, at->write_space);
}

/**
 * soro_charge_close() - give the socket back
 * @at: attachment; a grace period has passed since soro_charge_shut()
 *
 * What is still on its way keeps the memory of the socket.
 *
 * Context: process, under RTNL or not.
 */
void soro_charge_close(struct soro_attach *at)
{
	sock_release(at->tx);
}

/**
 * soro_charge_skb() - count a finished train until it is freed
 * @at: the link's attachment
 * @skb: after soro_xmit_finish(), before soro_xmit_send()
 *
 * Context: under RCU, BH off.
 */
void soro_charge_skb(const struct soro_attach *at, struct sk_buff *skb)
{
	skb_set_owner_w(skb, at->tx->sk);
}

/**
 * soro_charge_full() - is so much on its way that sending has to wait
 * @at: the link's attachment
 *
 * Context: under RCU, BH off. To be called after the caller is in the list that
 * tx_ready() runs: after true, tx_ready() comes once half of it has gone.
 */
bool soro_charge_full(const struct soro_attach *at)
{
	struct sock *sk = at->tx->sk;

	if (likely(sk_wmem_alloc_get(sk) < CHARGE_MAX))
		return false;
	WRITE_ONCE(at->link->tx_full, true);
	/* The flag is up before the count is looked at again; pairs with make_room(). */
	smp_mb();
	return sk_wmem_alloc_get(sk) > CHARGE_MAX / 2;
}

/**
 * soro_charge_init() - where tx_ready() goes
 * @ops: the calls upwards
 */
void soro_charge_init(const struct soro_link_ops *ops)
{
	link_ops = ops;
}

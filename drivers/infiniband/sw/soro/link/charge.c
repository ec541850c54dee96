// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a link's output is on its way.
 *
 * UC and UD have no acknowledgment that bounds what waits in the queues of the stack. Their
 * skbs are therefore charged to a socket, one per link, that does nothing else: sock_wfree() is
 * the one destructor that survives segmentation. Who finds it full tries again after a
 * moment, so that nobody has to be woken.
 */
#include <linux/net.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <net/sock.h>
#include "charge.h"

/* Sixty trains and the memory behind them; a millisecond of 32 Gbit/s. */
#define CHARGE_MAX	SZ_4M

/**
 * soro_charge_open() - get the transmit socket of a link
 * @at: attachment under construction; net is set
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int soro_charge_open(struct soro_attach *at)
{
	return sock_create_kern(at->net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, &at->tx);
}

/**
 * soro_charge_close() - give the socket back
 * @at: attachment; a grace period has passed since it could be found
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
 * soro_charge_any() - whether something is on its way
 * @at: the link's attachment
 *
 * Context: under RCU, BH off.
 */
bool soro_charge_any(const struct soro_attach *at)
{
	return sk_wmem_alloc_get(at->tx->sk) > 0;
}

/**
 * soro_charge_full() - whether so much is on its way that sending has to wait
 * @at: the link's attachment
 *
 * Context: under RCU, BH off.
 */
bool soro_charge_full(const struct soro_attach *at)
{
	return sk_wmem_alloc_get(at->tx->sk) >= CHARGE_MAX;
}

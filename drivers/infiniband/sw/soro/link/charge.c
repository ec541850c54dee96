// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a link's output is on its way.
 *
 * UC and UD have no acknowledgment that bounds what waits in the queues of the stack, and
 * nothing that repairs their order. Their skbs are therefore charged to a socket that does
 * nothing else: sock_wfree() is the one destructor that survives segmentation. Who
 * finds it full tries again after a moment, so that nobody has to be woken.
 *
 * There is one socket per processor, since there may be a queue per processor on the way (the
 * backlogs behind lo and a veth, the rings of an adapter). What leaves such a queue leaves it in
 * order: by what was sent and what of it is left, a sender that changed processors knows whether
 * what it sent before is still in the queue of the old one. Of the backlog that is known even
 * where a driver lets go of an skb before, like that of lo: the stack numbers what goes in and what
 * came out, for flows that it steers to another processor. It is no promise: other drivers that
 * let go too early show no queue.
 *
 * What waits for the link address of its next hop is not charged. It leaves out of order anyway,
 * and where nobody answers it stays for seconds: a few dead peers would keep everybody else from
 * sending. The stack bounds it for each next hop, and drops the oldest.
 */
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <net/dst.h>
#include <net/neighbour.h>
#include <net/sock.h>
#include "charge.h"

/* Sixty trains and the memory behind them; a millisecond of 32 Gbit/s. */
#define CHARGE_MAX	SZ_4M

/* What is left for longer than that stands in no queue that moves. */
#define OVERTAKE_MAX	(HZ / 4)

/* A backlog always moves, if its processor does; its numbers wrap. */
#define BACKLOG_MAX	(10 * HZ)

/**
 * struct soro_charge - what one processor sent
 * @sock: holds what of it is not freed
 * @sent: all of it, in bytes of memory; written by its processor, wraps
 */
struct soro_charge {
	struct socket *sock;
	unsigned long sent;
};

/**
 * soro_charge_open() - get the transmit sockets of a link
 * @at: attachment under construction; net is set
 *
 * Context: process.
 * Return: 0 or a negative errno, and nothing is left.
 */
int soro_charge_open(struct soro_attach *at)
{
	int cpu, err;

	at->tx = alloc_percpu(struct soro_charge);
	if (!at->tx)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		err = sock_create_kern(at->net, AF_INET, SOCK_DGRAM, IPPROTO_UDP,
				       &per_cpu_ptr(at->tx, cpu)->sock);
		if (err) {
			soro_charge_close(at);
			return err;
		}
	}
	return 0;
}

/**
 * soro_charge_close() - give the sockets back
 * @at: attachment; a grace period has passed since it could be found
 *
 * What is still on its way keeps the memory of its socket.
 *
 * Context: process, under RTNL or not.
 */
void soro_charge_close(struct soro_attach *at)
{
	struct socket *sock;
	int cpu;

	for_each_possible_cpu(cpu) {
		sock = per_cpu_ptr(at->tx, cpu)->sock;
		if (sock)
			sock_release(sock);
	}
	free_percpu(at->tx);
}

/* Whether the link address that @skb needs is still to be found. */
static bool waits_for_neighbour(struct sk_buff *skb)
{
	struct neighbour *neigh = dst_neigh_lookup_skb(skb_dst(skb), skb);
	bool waits;

	if (!neigh)
		return true;
	waits = !(READ_ONCE(neigh->nud_state) & NUD_VALID);
	neigh_release(neigh);
	return waits;
}

/**
 * soro_charge_skb() - count a finished train until it is freed, unless it waits for a neighbour
 * @at: the link's attachment
 * @skb: after soro_xmit_finish(), before soro_xmit_send()
 *
 * Context: under RCU, BH off.
 */
void soro_charge_skb(const struct soro_attach *at, struct sk_buff *skb)
{
	struct soro_charge *charge = this_cpu_ptr(at->tx);

	if (waits_for_neighbour(skb))
		return;
	skb_set_owner_w(skb, charge->sock->sk);
	/* Pairs with soro_charge_overtakes(), which reads in the other order. */
	smp_store_release(&charge->sent, charge->sent + skb->truesize);
}

/* Number of the last skb in the backlog of this processor. */
static unsigned int backlog_tail(void)
{
#ifdef CONFIG_RPS
	return READ_ONCE(this_cpu_ptr(&softnet_data)->input_queue_tail);
#else
	return 0;
#endif
}

/* Whether the skb of that number is delivered. */
static bool backlog_passed(int cpu, unsigned int number)
{
#ifdef CONFIG_RPS
	/* What was delivered was so before what is sent from now on. */
	return (int)(smp_load_acquire(&per_cpu(softnet_data, cpu).input_queue_head) - number) >= 0;
#else
	return true;
#endif
}

/**
 * soro_charge_mark() - remember what was sent last
 * @at: the link's attachment
 * @mark: of the sender; set
 *
 * Context: after soro_xmit_send(), in the same section with BH off.
 */
void soro_charge_mark(const struct soro_attach *at, struct soro_charge_mark *mark)
{
	mark->cpu = smp_processor_id();
	mark->sent = this_cpu_ptr(at->tx)->sent;
	mark->backlog = backlog_tail();
	mark->when = jiffies;
}

/**
 * soro_charge_overtakes() - whether what is sent now may come before what was sent last
 * @at: the link's attachment
 * @mark: of the sender
 *
 * Context: under RCU, BH off.
 * Return: true: the last was sent by another processor, and may wait in a queue there.
 */
bool soro_charge_overtakes(const struct soro_attach *at, const struct soro_charge_mark *mark)
{
	const struct soro_charge *charge;
	unsigned long sent, left;

	if (!mark->when || mark->cpu == smp_processor_id() ||
	    time_after(jiffies, mark->when + BACKLOG_MAX))
		return false;
	if (!backlog_passed(mark->cpu, mark->backlog))
		return true;
	if (time_after(jiffies, mark->when + OVERTAKE_MAX))
		return false;
	charge = per_cpu_ptr(at->tx, mark->cpu);
	/* Pairs with soro_charge_skb(): what was freed can only seem less than it was. */
	sent = smp_load_acquire(&charge->sent);
	left = sk_wmem_alloc_get(charge->sock->sk);
	return left && (long)(sent - left - mark->sent) < 0;
}

/**
 * soro_charge_full() - whether so much is on its way that sending has to wait
 * @at: the link's attachment
 *
 * Context: under RCU, BH off.
 * Return: true: this processor has sent enough.
 */
bool soro_charge_full(const struct soro_attach *at)
{
	return sk_wmem_alloc_get(this_cpu_ptr(at->tx)->sock->sk) >= CHARGE_MAX;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link: the bond between one RDMA device and one netdev.
 *
 * Owns: the types that the other files of link/ share, and the calls upwards.
 * Must not know: QPs, memory, ib_device.
 *
 * What a link may touch of the network stands in one struct soro_attach. It is
 * reached through an RCU pointer, in sections with BH off, and nowhere else:
 *
 *	local_bh_disable();
 *	rcu_read_lock();
 *	at = rcu_dereference(link->attach);
 *	if (at)
 *		... route, send ...
 *	rcu_read_unlock();
 *	local_bh_enable();
 *
 * soro_link_fence() clears the pointer and waits for such sections, so nothing
 * of the link outlives the netdev or its namespace.
 */
#ifndef SORO_LINK_LINK_H
#define SORO_LINK_LINK_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "../wire/drop.h"

struct net;
struct sk_buff;
struct sock;
struct socket;
struct soro_link;
struct soro_netns;

#define SORO_LINK_PORT		4791	/* UDP port of RoCEv2, IBA A17.3.2 */
#define SORO_LINK_TRAIN_MAX	64	/* packets; receivers of virtio frames allow no more */

/** enum soro_link_what - news about the netdev of a link */
enum soro_link_what {
	SORO_LINK_ACTIVE,	/* up and with carrier */
	SORO_LINK_DOWN,		/* down or without carrier */
	SORO_LINK_CHANGED,	/* MTU or address; speed may have changed too */
	SORO_LINK_GONE,		/* fenced: the netdev left its namespace or the system */
};

/**
 * struct soro_link_ops - the calls that link/ makes upwards
 * @deliver: a train for the namespace @net arrived; takes over @skb, whose
 *	struct soro_rx is filled in. Softirq, under RCU.
 * @drop: count, trace and free @skb, which cannot become a train. Softirq,
 *	under RCU.
 * @link_event: news; process context under RTNL, one event at a time for all
 *	links. May not call soro_link_open() or soro_link_fence(), nor wait for
 *	somebody who does. After SORO_LINK_GONE no further event comes. It can
 *	come when the device is not registered yet, or is being unregistered
 *	already: take a reference with ib_device_try_get() before
 *	ib_unregister_device_queued().
 */
struct soro_link_ops {
	void (*deliver)(struct net *net, struct sk_buff *skb);
	void (*drop)(struct net *net, struct sk_buff *skb, enum soro_drop why);
	void (*link_event)(struct soro_link *link, enum soro_link_what what);
};

/**
 * struct soro_attach - what a link may touch of the network
 * @net: namespace of the netdev
 * @ndev: the netdev, held
 * @ns: sockets of the namespace, held
 * @tx: per processor: transmit socket, see charge.c
 * @link: whose attachment this is
 * @tracker: of the hold on @ndev
 *
 * Constant from its publication until the fence frees it.
 */
struct soro_attach {
	struct net *net;
	struct net_device *ndev;
	struct soro_netns *ns;
	struct soro_charge __percpu *tx;
	struct soro_link *link;
	netdevice_tracker tracker;
};

/**
 * struct soro_link - one RDMA device's end in the network
 * @attach: see struct soro_attach; NULL before the open and after the fence
 * @node: in the list of open links; guarded by the mutex of netdev.c
 * @flows_lock: guards @flows; taken with BH off
 * @flows: flows that hold a route, so that the fence can take it from them
 * @groups: multicast groups, see group.c; guarded by RTNL
 * @train_max: most packets in one skb, 1 to %SORO_LINK_TRAIN_MAX; set by the
 *	owner before the open, may change at any time
 * @icrc_rx: 0: packets that never left the host may be believed, 1: check all;
 *	set by the owner
 * @up: snapshot: the netdev is running and has carrier
 * @mtu_bytes: snapshot: MTU of the netdev
 *
 * The owner zeroes the struct, sets the knobs, and keeps it until
 * soro_link_fence() has returned and all flows of the link are finished. The
 * notifier writes the snapshots; readers need no lock and no netdev.
 */
struct soro_link {
	struct soro_attach __rcu *attach;
	struct list_head node;
	spinlock_t flows_lock;		/* see above */
	struct list_head flows;
	struct list_head groups;

	u32 train_max;
	u8 icrc_rx;

	bool up;
	u32 mtu_bytes;
};

/**
 * soro_link_up() - does the netdev carry packets
 * @link: an opened link
 *
 * Context: any.
 */
static inline bool soro_link_up(const struct soro_link *link)
{
	return READ_ONCE(link->up);
}

/**
 * soro_link_mtu() - MTU of the netdev
 * @link: an opened link
 *
 * Context: any.
 * Return: bytes of an IP packet.
 */
static inline u32 soro_link_mtu(const struct soro_link *link)
{
	return READ_ONCE(link->mtu_bytes);
}

/**
 * soro_link_attached() - is the link still in the network
 * @link: an opened link
 *
 * Who registers a device after soro_link_open() asks this afterwards: a
 * SORO_LINK_GONE in between found no device to unregister.
 *
 * Context: any.
 */
static inline bool soro_link_attached(const struct soro_link *link)
{
	return rcu_access_pointer(link->attach);
}

int soro_link_open(struct soro_link *link, struct net_device *ndev);
void soro_link_fence(struct soro_link *link);
int soro_link_init(const struct soro_link_ops *ops);
void soro_link_exit(void);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups of netdevs.
 *
 * A member of a group hears it on the netdev of the link and on the VLANs above it, whose
 * addresses the device has too. To be a member there is the business of the stack, which
 * sends IGMP and MLD reports, opens the MAC filter, and does both again when a netdev
 * comes up. The UDP sockets of the namespace need not join: by default a socket takes
 * every group that some netdev is a member of.
 *
 * A netdev loses its in_device or inet6_dev, and all memberships with it, when it is
 * unregistered (also: moved to another namespace) or its MTU gets too small for the
 * protocol. Which one was joined is noted, so that what is left is never somebody
 * else's membership in its successor. Nothing is held: all of that happens under RTNL, and
 * the notifier, which comes after those of the stack, hears of it before RTNL is released.
 */
#include <linux/if_vlan.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include "group.h"

/* A netdev that is a member. @inet identifies what was joined and is not dereferenced. */
struct joined {
	struct list_head node;
	struct net_device *ndev;
	const void *inet;
};

static bool is_v4(const struct soro_group *group)
{
	return ipv6_addr_v4mapped(&group->addr);
}

static const void *inet_of(const struct soro_group *group, const struct net_device *ndev)
{
	if (is_v4(group))
		return __in_dev_get_rtnl(ndev);
	return __in6_dev_get(ndev);
}

static int enter(const struct soro_group *group, struct net_device *ndev)
{
	if (!is_v4(group))
		return ipv6_dev_mc_inc(ndev, &group->addr);
	ip_mc_inc_group(__in_dev_get_rtnl(ndev), group->addr.s6_addr32[3]);
	return 0;
}

static void quit(const struct soro_group *group, struct net_device *ndev)
{
	if (is_v4(group))
		ip_mc_dec_group(__in_dev_get_rtnl(ndev), group->addr.s6_addr32[3]);
	else
		ipv6_dev_mc_dec(ndev, &group->addr);
}

static struct joined *find(const struct soro_group *group, const struct net_device *ndev)
{
	struct joined *joined;

	list_for_each_entry(joined, &group->joined, node)
		if (joined->ndev == ndev)
			return joined;
	return NULL;
}

static void leave_one(const struct soro_group *group, struct joined *joined)
{
	if (joined->inet == inet_of(group, joined->ndev))
		quit(group, joined->ndev);
	list_del(&joined->node);
	kfree(joined);
}

static void leave_all(struct soro_group *group)
{
	struct joined *joined, *next;

	list_for_each_entry_safe(joined, next, &group->joined, node)
		leave_one(group, joined);
	list_del_init(&group->node);
}

/* A netdev without the protocol is joined when it gets it. */
static int join_one(struct soro_group *group, struct net_device *ndev)
{
	const void *inet = inet_of(group, ndev);
	struct joined *joined = find(group, ndev);
	int err;

	if (joined && joined->inet == inet)
		return 0;
	if (joined)
		leave_one(group, joined);
	if (!inet)
		return 0;

	joined = kmalloc(sizeof(*joined), GFP_KERNEL);
	if (!joined)
		return -ENOMEM;
	err = enter(group, ndev);
	if (err) {
		kfree(joined);
		return err;
	}
	joined->ndev = ndev;
	joined->inet = inet;
	list_add(&joined->node, &group->joined);
	return 0;
}

static int join_all(struct soro_group *group, const struct soro_attach *at)
{
	struct net_device *ndev;
	int err;

	for_each_netdev(at->net, ndev) {
		if (soro_group_base(ndev) != at->ndev)
			continue;
		err = join_one(group, ndev);
		if (err)
			return err;
	}
	return 0;
}

/**
 * soro_group_join() - hear a group
 * @link: where
 * @group: initialised here, and the caller's until soro_group_leave()
 * @addr: the group, v4-mapped for IPv4
 *
 * Context: process, takes RTNL.
 * Return: 0, or -ENODEV when the link has left the network, -EAFNOSUPPORT without IPv6, or
 * another negative errno; then soro_group_leave() is not called.
 */
int soro_group_join(struct soro_link *link, struct soro_group *group,
		    const struct in6_addr *addr)
{
	const struct soro_attach *at;
	int err;

	group->addr = *addr;
	INIT_LIST_HEAD(&group->node);
	INIT_LIST_HEAD(&group->joined);
	if (!is_v4(group) && !ipv6_mod_enabled())
		return -EAFNOSUPPORT;

	rtnl_lock();
	/* With RTNL: a fence that does not hold it finds no QPs any more that could join. */
	at = rtnl_dereference(link->attach);
	err = at ? join_all(group, at) : -ENODEV;
	if (err)
		leave_all(group);
	else
		list_add(&group->node, &link->groups);
	rtnl_unlock();
	return err;
}

/**
 * soro_group_leave() - undo soro_group_join()
 * @group: the group; the link may have left the network
 *
 * Context: process, takes RTNL.
 */
void soro_group_leave(struct soro_group *group)
{
	rtnl_lock();
	leave_all(group);
	rtnl_unlock();
}

/**
 * soro_group_join_netdev() - a netdev came, or may have lost its memberships
 * @link: the link on it or below it
 * @ndev: netdev of the link, or a VLAN above that
 *
 * What fails now is tried again at the next event.
 *
 * Context: process, under RTNL.
 */
void soro_group_join_netdev(struct soro_link *link, struct net_device *ndev)
{
	const struct soro_attach *at = rtnl_dereference(link->attach);
	struct soro_group *group;

	if (!net_eq(dev_net(ndev), at->net))
		return;
	list_for_each_entry(group, &link->groups, node)
		join_one(group, ndev);
}

/**
 * soro_group_leave_netdev() - a VLAN goes
 * @link: the link below it
 * @ndev: the VLAN, which may not be touched any more after this
 *
 * Context: process, under RTNL.
 */
void soro_group_leave_netdev(struct soro_link *link, const struct net_device *ndev)
{
	struct soro_group *group;
	struct joined *joined;

	ASSERT_RTNL();
	list_for_each_entry(group, &link->groups, node) {
		joined = find(group, ndev);
		if (joined)
			leave_one(group, joined);
	}
}

/**
 * soro_group_flush() - leave all groups, because the link leaves the network
 * @link: the link
 *
 * Who wanted them still calls soro_group_leave().
 *
 * Context: process, under RTNL unless there are no groups.
 */
void soro_group_flush(struct soro_link *link)
{
	struct soro_group *group, *next;

	list_for_each_entry_safe(group, next, &link->groups, node) {
		ASSERT_RTNL();
		leave_all(group);
	}
}

/**
 * soro_group_base() - on which netdev the link is that hears what another one hears
 * @ndev: any netdev
 *
 * Context: under RTNL or RCU.
 * Return: the netdev below a VLAN, else @ndev.
 */
struct net_device *soro_group_base(struct net_device *ndev)
{
	return is_vlan_dev(ndev) ? vlan_dev_real_dev(ndev) : ndev;
}

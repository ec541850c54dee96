// SPDX-License-Identifier: GPL-2.0
/*
 * Links and the netdevs under them: open, news, fence.
 *
 * Owns: the list of links, which netdev may have one, the netdev notifier, the
 * life of struct soro_attach. Must not know: ib_device; how packets look.
 *
 * Locks: RTNL, then links_lock. The notifier comes with RTNL held; the open
 * takes RTNL itself, so that the netdev cannot leave between the checks and the
 * list; the fence needs only links_lock. Events are sent under links_lock: the
 * fence of the owner waits for it, and so the link cannot be freed under an event.
 */
#define pr_fmt(fmt) "soro: " fmt

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include "link.h"
#include "charge.h"
#include "group.h"
#include "socket.h"
#include "xmit.h"

static DEFINE_MUTEX(links_lock);
static LIST_HEAD(links);		/* guarded by links_lock */
static const struct soro_link_ops *link_ops __read_mostly;

static struct soro_attach *attach_locked(const struct soro_link *link)
{
	return rcu_dereference_protected(link->attach, lockdep_is_held(&links_lock));
}

static struct soro_link *find(const struct net_device *ndev)
{
	struct soro_link *link;

	lockdep_assert_held(&links_lock);
	list_for_each_entry(link, &links, node)
		if (attach_locked(link)->ndev == ndev)
			return link;
	return NULL;
}

static bool carries(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

/* Under RTNL, which keeps the netdev as it is. */
static void take_snapshot(struct soro_link *link, const struct net_device *ndev)
{
	WRITE_ONCE(link->up, carries(ndev));
	WRITE_ONCE(link->mtu_bytes, ndev->mtu);
}

static int check_netdev(const struct net_device *ndev)
{
	ASSERT_RTNL();
	if (ndev->flags & IFF_LOOPBACK) {
		pr_err("%s: a loopback device cannot carry a link\n", ndev->name);
		return -EINVAL;
	}
	if (ndev->type != ARPHRD_ETHER) {
		pr_err("%s: not an Ethernet device\n", ndev->name);
		return -EPFNOSUPPORT;
	}
	if (is_vlan_dev(ndev)) {
		pr_err("%s: is a VLAN: add the link to %s, addresses of the VLAN work there\n",
		       ndev->name, vlan_dev_real_dev(ndev)->name);
		return -EPERM;
	}
	if (ndev->reg_state != NETREG_REGISTERED) {
		pr_err("%s: is being removed\n", ndev->name);
		return -ENODEV;
	}
	if (find(ndev)) {
		pr_err("%s: has a link already\n", ndev->name);
		return -EBUSY;
	}
	return 0;
}

static struct soro_netns *get_sockets(const struct net_device *ndev)
{
	struct soro_netns *ns = soro_socket_get(dev_net(ndev));

	if (ns == ERR_PTR(-EADDRINUSE))
		pr_err("%s: UDP port %d is taken in this network namespace\n", ndev->name,
		       SORO_LINK_PORT);
	else if (IS_ERR(ns))
		pr_err("%s: no socket: error %ld\n", ndev->name, PTR_ERR(ns));
	return ns;
}

static int open_locked(struct soro_link *link, struct net_device *ndev)
{
	struct soro_attach *at;
	int err;

	err = check_netdev(ndev);
	if (err)
		return err;
	at = kzalloc(sizeof(*at), GFP_KERNEL);
	if (!at)
		return -ENOMEM;
	at->net = dev_net(ndev);
	at->ndev = ndev;
	at->link = link;
	at->ns = get_sockets(ndev);
	if (IS_ERR(at->ns)) {
		err = PTR_ERR(at->ns);
		goto err_sockets;
	}
	err = soro_charge_open(at);
	if (err)
		goto err_charge;
	netdev_hold(ndev, &at->tracker, GFP_KERNEL);
	take_snapshot(link, ndev);
	list_add_tail(&link->node, &links);
	rcu_assign_pointer(link->attach, at);
	return 0;

err_charge:
	soro_socket_put(at->ns);
err_sockets:
	kfree(at);
	return err;
}

/**
 * soro_link_open() - tie a link to a netdev
 * @link: zeroed, with its knobs set
 * @ndev: the netdev; the link takes its own reference
 *
 * On failure one line in the kernel log says why, nothing is left, and
 * soro_link_fence() need not but may be called.
 *
 * Context: process, without RTNL.
 * Return: 0, or -EINVAL for loopback, -EPFNOSUPPORT for what is not Ethernet,
 * -EPERM for a VLAN, -EBUSY for a netdev with a link, -EADDRINUSE when the UDP
 * port is taken, -ENODEV for a netdev that is leaving, -ENOMEM and other.
 */
int soro_link_open(struct soro_link *link, struct net_device *ndev)
{
	int err;

	spin_lock_init(&link->flows_lock);
	INIT_LIST_HEAD(&link->flows);
	INIT_LIST_HEAD(&link->groups);
	INIT_LIST_HEAD(&link->node);

	rtnl_lock();
	mutex_lock(&links_lock);
	err = open_locked(link, ndev);
	mutex_unlock(&links_lock);
	rtnl_unlock();
	return err;
}

static void fence(struct soro_link *link)
{
	struct soro_attach *at = attach_locked(link);

	if (!at)
		return;
	list_del_init(&link->node);
	RCU_INIT_POINTER(link->attach, NULL);
	synchronize_net();

	WRITE_ONCE(link->up, false);
	soro_xmit_flush(link);
	soro_group_flush(link);
	soro_charge_close(at);
	soro_socket_put(at->ns);
	netdev_put(at->ndev, &at->tracker);
	kfree(at);
}

/**
 * soro_link_fence() - cut a link off the network
 * @link: a link after soro_link_open(), open or not
 *
 * When it returns, nothing of this link touches netdev, namespace or socket,
 * no event is under way, and none will come. Idempotent: who comes second waits
 * for the first.
 *
 * Context: process, with or without RTNL; not from link_event().
 */
void soro_link_fence(struct soro_link *link)
{
	mutex_lock(&links_lock);
	fence(link);
	mutex_unlock(&links_lock);
}

static void leave(struct soro_link *link)
{
	fence(link);
	link_ops->link_event(link, SORO_LINK_GONE);
}

static void refresh(struct soro_link *link, const struct net_device *ndev)
{
	bool was_up = link->up;

	take_snapshot(link, ndev);
	if (link->up == was_up)
		link_ops->link_event(link, SORO_LINK_CHANGED);
	else
		link_ops->link_event(link, link->up ? SORO_LINK_ACTIVE : SORO_LINK_DOWN);
}

/* News about a netdev with a link, or about a VLAN above one, where only groups matter. */
static void tell(struct net_device *ndev, unsigned long event)
{
	bool gone = event == NETDEV_UNREGISTER;
	struct soro_link *link;

	mutex_lock(&links_lock);
	link = find(soro_group_base(ndev));
	if (!link)
		goto out;
	if (gone)
		soro_group_leave_netdev(link, ndev);
	else
		soro_group_join_netdev(link, ndev);

	if (attach_locked(link)->ndev != ndev)
		goto out;
	if (gone)
		leave(link);
	else
		refresh(link, ndev);
out:
	mutex_unlock(&links_lock);
}

/* Under RTNL. A move to another namespace is a NETDEV_UNREGISTER in the old one. */
static int notify(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_CHANGEADDR:
	case NETDEV_CHANGENAME:
	case NETDEV_UNREGISTER:
		tell(ndev, event);
		break;
	case NETDEV_FEAT_CHANGE:
	case NETDEV_CHANGEUPPER:
		soro_xmit_features_changed();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = notify,
};

/**
 * soro_link_init() - watch namespaces and netdevs
 * @ops: the calls upwards; constant until soro_link_exit()
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int soro_link_init(const struct soro_link_ops *ops)
{
	int err;

	link_ops = ops;
	err = soro_socket_init(ops);
	if (err)
		return err;
	err = register_netdevice_notifier(&notifier);
	if (err)
		goto err_notifier;
	return 0;

err_notifier:
	soro_socket_exit();
	return err;
}

/**
 * soro_link_exit() - undo soro_link_init()
 *
 * All links are fenced. When it returns no call upwards is under way.
 *
 * Context: process.
 */
void soro_link_exit(void)
{
	unregister_netdevice_notifier(&notifier);
	soro_socket_exit();
	soro_xmit_exit();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: multicast groups of a device, and which QPs are attached to them (IBA 10.5).
 *
 * The core has checked that the QP is UD and the address a multicast one, and does not
 * destroy a QP that is attached: a process that ends is detached first. What is
 * left to check is what only the device knows.
 *
 * A QP is in a group once: a second attach fails. (The core counts each that succeeds and
 * each detach, and a user can ask for a second one by another LID, which means nothing
 * here. It could never be undone, and the QP never be destroyed. For the same LID the core
 * answers itself, with success.)
 *
 * The sender gets its own packets if it is a member: adapters replicate to every QP that is
 * attached, and who does not like it asks for IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK, which is
 * not offered here.
 */
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include "mcast.h"
#include "qp.h"

/**
 * soro_mcast_init() - an empty set of groups
 * @mcasts: the set
 */
void soro_mcast_init(struct soro_mcasts *mcasts)
{
	mutex_init(&mcasts->lock);
	hash_init(mcasts->groups);
}

/**
 * soro_mcast_find() - find a group
 * @dev: the device
 * @addr: its address, v4-mapped for IPv4
 *
 * Context: under RCU, or the lock of the groups.
 * Return: the group or NULL.
 */
const struct soro_mcast *soro_mcast_find(struct soro_dev *dev, const struct in6_addr *addr)
{
	struct soro_mcasts *mcasts = &dev->mcasts;
	struct soro_mcast *group;

	hash_for_each_possible_rcu(mcasts->groups, group, node, ipv6_addr_hash(addr),
				   lockdep_is_held(&mcasts->lock)) {
		if (ipv6_addr_equal(&group->addr, addr))
			return group;
	}
	return NULL;
}

static struct soro_mcast *find_locked(struct soro_dev *dev, const struct in6_addr *addr)
{
	lockdep_assert_held(&dev->mcasts.lock);
	return (struct soro_mcast *)soro_mcast_find(dev, addr);
}

static struct soro_mcast_member *find_member(const struct soro_mcast *group,
					     const struct soro_qp *qp)
{
	struct soro_mcast_member *member;

	list_for_each_entry(member, &group->members, node)
		if (member->qp == qp)
			return member;
	return NULL;
}

static struct soro_mcast *add_group(struct soro_dev *dev, const struct in6_addr *addr)
{
	struct soro_mcasts *mcasts = &dev->mcasts;
	struct soro_mcast *group;
	int err;

	if (mcasts->count >= SORO_MAX_MCAST_GRP)
		return ERR_PTR(-ENOMEM);
	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->addr = *addr;
	INIT_LIST_HEAD(&group->members);
	err = soro_group_join(&dev->link, &group->net, addr);
	if (err) {
		kfree(group);
		return ERR_PTR(err);
	}
	hash_add_rcu(mcasts->groups, &group->node, ipv6_addr_hash(addr));
	mcasts->count++;
	return group;
}

static void del_if_empty(struct soro_dev *dev, struct soro_mcast *group)
{
	if (group->count)
		return;
	hash_del_rcu(&group->node);
	dev->mcasts.count--;
	soro_group_leave(&group->net);
	kfree_rcu(group, rcu);
}

static int add_member(struct soro_dev *dev, struct soro_mcast *group, struct soro_qp *qp)
{
	struct soro_mcast_member *member;

	if (find_member(group, qp))
		return -EINVAL;
	if (group->count >= SORO_MAX_MCAST_QP_ATTACH ||
	    dev->mcasts.attached >= SORO_MAX_TOTAL_MCAST_QP_ATTACH)
		return -ENOMEM;
	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return -ENOMEM;
	member->qp = qp;
	list_add_tail_rcu(&member->node, &group->members);
	group->count++;
	dev->mcasts.attached++;
	return 0;
}

static int attach(struct soro_dev *dev, struct soro_qp *qp, const struct in6_addr *addr)
{
	struct soro_mcast *group = find_locked(dev, addr) ?: add_group(dev, addr);
	int err;

	if (IS_ERR(group))
		return PTR_ERR(group);
	err = add_member(dev, group, qp);
	del_if_empty(dev, group);
	return err;
}

static int detach(struct soro_dev *dev, struct soro_qp *qp, const struct in6_addr *addr)
{
	struct soro_mcast *group = find_locked(dev, addr);
	struct soro_mcast_member *member = group ? find_member(group, qp) : NULL;

	if (!member)
		return -EINVAL;
	list_del_rcu(&member->node);
	kfree_rcu(member, rcu);
	group->count--;
	dev->mcasts.attached--;
	del_if_empty(dev, group);
	return 0;
}

/**
 * soro_mcast_attach() - attach_mcast of the core
 * @ibqp: a UD QP
 * @gid: multicast GID
 * @lid: means nothing on Ethernet
 *
 * Context: process; takes RTNL.
 * Return: 0, -EINVAL if the QP is attached already, -ENOMEM at a limit, -ENODEV when the
 * netdev is gone, or another negative errno.
 */
int soro_mcast_attach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct soro_dev *dev = soro_dev(ibqp->device);
	int err;

	mutex_lock(&dev->mcasts.lock);
	err = attach(dev, soro_qp(ibqp), (struct in6_addr *)gid);
	mutex_unlock(&dev->mcasts.lock);
	return err;
}

/**
 * soro_mcast_detach() - detach_mcast of the core
 * @ibqp: a UD QP
 * @gid: multicast GID
 * @lid: means nothing on Ethernet
 *
 * A packet that came before may still complete a receive.
 *
 * Context: process; takes RTNL.
 * Return: 0, or -EINVAL if the QP is not attached.
 */
int soro_mcast_detach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct soro_dev *dev = soro_dev(ibqp->device);
	int err;

	mutex_lock(&dev->mcasts.lock);
	err = detach(dev, soro_qp(ibqp), (struct in6_addr *)gid);
	mutex_unlock(&dev->mcasts.lock);
	return err;
}

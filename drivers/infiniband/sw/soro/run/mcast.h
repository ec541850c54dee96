/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: multicast groups of a device, and which QPs are attached to them.  Must not know
 * how netdevs join, how packets look.
 *
 * A multicast packet, in the packet path:
 *
 *	rcu_read_lock();
 *	group = soro_mcast_find(dev, &daddr);
 *	if (group)
 *		list_for_each_entry_rcu(member, &group->members, node)
 *			... a clone for member->qp ...
 *	rcu_read_unlock();
 */
#ifndef SORO_RUN_MCAST_H
#define SORO_RUN_MCAST_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include "../link/group.h"

#define SORO_MAX_MCAST_GRP		2048
#define SORO_MAX_MCAST_QP_ATTACH	256	/* of one group: each gets a clone, in softirq */
#define SORO_MAX_TOTAL_MCAST_QP_ATTACH	65536

struct soro_dev;
struct soro_qp;

/**
 * struct soro_mcasts - multicast groups of a device
 * @lock: guards all changes; process, outside of RTNL
 * @groups: struct soro_mcast by address; readers use RCU
 * @count: groups in @groups
 * @attached: members of all groups
 */
struct soro_mcasts {
	struct mutex lock;	/* see above */
	DECLARE_HASHTABLE(groups, 7);
	u32 count;
	u32 attached;
};

/**
 * struct soro_mcast - a group with at least one member
 * @node: in the groups of the device
 * @addr: address, v4-mapped for IPv4; constant
 * @members: struct soro_mcast_member; readers use RCU
 * @count: entries of @members
 * @net: the part of the network
 * @rcu: frees it
 */
struct soro_mcast {
	struct hlist_node node;
	struct in6_addr addr;
	struct list_head members;
	u32 count;
	struct soro_group net;
	struct rcu_head rcu;
};

/**
 * struct soro_mcast_member - a QP in a group
 * @node: in the members of the group
 * @qp: the QP, which exists as long as the reader's RCU section
 * @rcu: frees it
 */
struct soro_mcast_member {
	struct list_head node;
	struct soro_qp *qp;
	struct rcu_head rcu;
};

void soro_mcast_init(struct soro_mcasts *mcasts);
int soro_mcast_attach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int soro_mcast_detach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
const struct soro_mcast *soro_mcast_find(struct soro_dev *dev, const struct in6_addr *addr);

#endif

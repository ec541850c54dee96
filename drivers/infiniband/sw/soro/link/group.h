/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the membership of netdevs in IP multicast groups, for as long as somebody above
 * wants it.  Must not know: QPs, who listens.
 */
#ifndef SORO_LINK_GROUP_H
#define SORO_LINK_GROUP_H

#include <linux/in6.h>
#include <linux/list.h>
#include "link.h"

/**
 * struct soro_group - a link's membership in a group
 * @addr: the group, v4-mapped for IPv4
 * @node: in the groups of the link
 * @joined: netdevs that are members
 *
 * Guarded by RTNL.
 */
struct soro_group {
	struct in6_addr addr;
	struct list_head node;
	struct list_head joined;
};

int soro_group_join(struct soro_link *link, struct soro_group *group,
		    const struct in6_addr *addr);
void soro_group_leave(struct soro_group *group);

void soro_group_join_netdev(struct soro_link *link, struct net_device *ndev);
void soro_group_leave_netdev(struct soro_link *link, const struct net_device *ndev);
void soro_group_flush(struct soro_link *link);
struct net_device *soro_group_base(struct net_device *ndev);

#endif

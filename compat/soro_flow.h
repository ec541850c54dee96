/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands in for flowi4_dscp of struct flowi4, which is flowi4_tos before 6.18.
 */
#ifndef SORO_COMPAT_FLOW_H
#define SORO_COMPAT_FLOW_H

#include <linux/version.h>
#include <net/flow.h>
#include <net/inet_dscp.h>

/**
 * soro_flowi4_set_dsfield() - look up the route of a ToS
 * @fl4: key of the lookup
 * @dsfield: ToS byte; its ECN bits do not select a route
 */
static inline void soro_flowi4_set_dsfield(struct flowi4 *fl4, u8 dsfield)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	fl4->flowi4_dscp = inet_dsfield_to_dscp(dsfield);
#else
	fl4->flowi4_tos = inet_dscp_to_dsfield(inet_dsfield_to_dscp(dsfield));
#endif
}

#endif

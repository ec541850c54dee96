// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: which QPs and devices exist.  Readers use RCU.
 */
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/xarray.h>
#include <rdma/ib_cache.h>
#include "../link/group.h"
#include "table.h"

#define QPN_FIRST	16		/* 0 and 1 are SMI and GSI, the rest is room */
#define QPN_LAST	0xfffffe	/* 0xffffff is the multicast QP */

static DEFINE_XARRAY_ALLOC(qps);
static u32 next_qpn = QPN_FIRST;

static LIST_HEAD(devices);
static DEFINE_MUTEX(devices_lock);	/* guards changes of @devices */

/**
 * soro_table_add_qp() - give a QP its number and let packets find it
 * @qp: complete
 *
 * Numbers are handed out in a circle, so that late packets of a QP that is gone do
 * not meet a new one. The GSI QP is number 1 on each device.
 *
 * Return: 0 or -errno; -EBUSY for a second GSI QP.
 */
int soro_table_add_qp(struct soro_qp *qp)
{
	u32 qpn;
	int err;

	if (qp->ib.qp_type == IB_QPT_GSI) {
		qp->ib.qp_num = SORO_GSI_QPN;
		return cmpxchg_release((struct soro_qp **)&qp->dev->gsi, NULL, qp) ? -EBUSY : 0;
	}
	/* reserve, so that the number stands in the QP before the QP is visible */
	err = xa_alloc_cyclic(&qps, &qpn, NULL, XA_LIMIT(QPN_FIRST, QPN_LAST), &next_qpn,
			      GFP_KERNEL);
	if (err < 0)
		return err;
	qp->ib.qp_num = qpn;
	err = xa_err(xa_store(&qps, qpn, qp, GFP_KERNEL));
	if (err)
		xa_erase(&qps, qpn);
	return err;
}

/**
 * soro_table_del_qp() - no packet finds the QP any more, after an RCU grace period
 * @qp: the QP
 */
void soro_table_del_qp(struct soro_qp *qp)
{
	if (qp->ib.qp_type == IB_QPT_GSI)
		RCU_INIT_POINTER(qp->dev->gsi, NULL);
	else
		xa_erase(&qps, qp->ib.qp_num);
}

/**
 * soro_table_qp() - find a QP
 * @qpn: its number
 *
 * Return: the QP or NULL; valid under the caller's RCU section.
 */
struct soro_qp *soro_table_qp(u32 qpn)
{
	return xa_load(&qps, qpn);
}

/**
 * soro_table_add_device() - make a device known
 * @dev: the device
 */
void soro_table_add_device(struct soro_dev *dev)
{
	mutex_lock(&devices_lock);
	list_add_tail_rcu(&dev->node, &devices);
	mutex_unlock(&devices_lock);
}

/**
 * soro_table_del_device() - forget a device; returns after a grace period
 * @dev: the device, known or not
 */
void soro_table_del_device(struct soro_dev *dev)
{
	mutex_lock(&devices_lock);
	list_del_rcu(&dev->node);
	mutex_unlock(&devices_lock);
	synchronize_rcu();
}

/**
 * soro_table_device() - the device that counts a packet without a QP
 * @net: namespace of the socket
 * @ifindex: netdev on which the packet arrived
 *
 * Return: the device on that netdev, else any of that namespace, else NULL; under RCU.
 */
struct soro_dev *soro_table_device(const struct net *net, int ifindex)
{
	struct soro_dev *dev, *any = NULL;

	list_for_each_entry_rcu(dev, &devices, node) {
		const struct soro_attach *at = rcu_dereference(dev->link.attach);

		if (!at || at->net != net)
			continue;
		if (at->ndev->ifindex == ifindex)
			return dev;
		any = dev;
	}
	return any;
}

/**
 * soro_table_device_at() - the device that hears a netdev
 * @net: namespace of the socket
 * @ifindex: netdev on which a packet arrived
 *
 * Return: the device on that netdev, or below it if it is a VLAN, else NULL; under RCU.
 */
struct soro_dev *soro_table_device_at(struct net *net, int ifindex)
{
	struct net_device *ndev = dev_get_by_index_rcu(net, ifindex);
	struct soro_dev *dev;

	if (!ndev)
		return NULL;
	ndev = soro_group_base(ndev);
	list_for_each_entry_rcu(dev, &devices, node) {
		const struct soro_attach *at = rcu_dereference(dev->link.attach);

		if (at && at->ndev == ndev)
			return dev;
	}
	return NULL;
}

/**
 * soro_table_has_address() - whether an address is one of a device's GIDs
 * @dev: the device, registered: the core has no table of GIDs before
 * @addr: the address, IPv4 as a v4-mapped one
 *
 * Context: any.
 */
bool soro_table_has_address(struct soro_dev *dev, const struct in6_addr *addr)
{
	const struct ib_gid_attr *gid;

	gid = rdma_find_gid_by_port(&dev->ib, (const union ib_gid *)addr,
				    IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(gid))
		return false;
	rdma_put_gid_attr(gid);
	return true;
}

/**
 * soro_table_gsi() - find the GSI QP that a MAD is for
 * @net: namespace of the socket
 * @daddr: where the MAD was sent to
 *
 * Return: QP 1 of the device with that address, or NULL; valid under the caller's RCU section.
 */
struct soro_qp *soro_table_gsi(const struct net *net, const struct in6_addr *daddr)
{
	struct soro_dev *dev;
	struct soro_qp *gsi;

	list_for_each_entry_rcu(dev, &devices, node) {
		const struct soro_attach *at = rcu_dereference(dev->link.attach);

		/*
		 * A device is in the list before it is registered. Pairs with the release in
		 * soro_table_add_qp(): who sees QP 1 sees the GIDs that the core made before.
		 */
		gsi = smp_load_acquire((struct soro_qp **)&dev->gsi);
		if (gsi && at && at->net == net && soro_table_has_address(dev, daddr))
			return gsi;
	}
	return NULL;
}

/**
 * soro_table_exit() - free the table; all QPs are gone
 */
void soro_table_exit(void)
{
	WARN_ON(!xa_empty(&qps));
	xa_destroy(&qps);
}

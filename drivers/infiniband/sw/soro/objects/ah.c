// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles.
 *
 * Handles may be created and destroyed where sleeping is not allowed. What the
 * data path reads is therefore kept apart from the core's object, which is
 * freed without a grace period.
 */
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include <rdma/soro-abi.h>
#include "ah.h"

/**
 * soro_ahs_init - make an empty set of address handles
 * @ahs: the set
 */
void soro_ahs_init(struct soro_ahs *ahs)
{
	xa_init_flags(&ahs->vectors, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	ahs->next = 0;
}

/**
 * soro_ahs_fini - free a set of address handles
 * @ahs: the set, in which there are no handles any more
 */
void soro_ahs_fini(struct soro_ahs *ahs)
{
	WARN_ON_ONCE(!xa_empty(&ahs->vectors));
	xa_destroy(&ahs->vectors);
}

static bool is_ip4(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid);
}

/* Both ends of a path speak one IP version, and packets go out as RoCEv2. */
static int check_gids(const struct ib_gid_attr *sgid, const union ib_gid *dgid)
{
	if (sgid->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EOPNOTSUPP;
	return is_ip4(&sgid->gid) == is_ip4(dgid) ? 0 : -EINVAL;
}

static int check(const struct ib_device *dev, const struct rdma_ah_attr *attr)
{
	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE)
		return -EINVAL;
	if (!rdma_is_port_valid(dev, rdma_ah_get_port_num(attr)))
		return -EINVAL;
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !attr->grh.sgid_attr)
		return -EINVAL;
	return check_gids(attr->grh.sgid_attr, &attr->grh.dgid);
}

static void take_source(struct soro_av *av, const struct ib_gid_attr *sgid)
{
	const struct net_device *ndev;

	av->sgid = sgid->gid;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid);
	av->ifindex = IS_ERR(ndev) ? 0 : ndev->ifindex;
	rcu_read_unlock();
}

#define NUMBERS	XA_LIMIT(0, SORO_MAX_AH - 1)

static int insert(struct soro_ahs *ahs, struct soro_av *av, bool may_sleep)
{
	unsigned long flags;
	int err;

	if (may_sleep) {
		err = xa_alloc_cyclic_irq(&ahs->vectors, &av->num, av, NUMBERS,
					  &ahs->next, GFP_KERNEL);
	} else {
		xa_lock_irqsave(&ahs->vectors, flags);
		err = __xa_alloc_cyclic(&ahs->vectors, &av->num, av, NUMBERS,
					&ahs->next, GFP_ATOMIC);
		xa_unlock_irqrestore(&ahs->vectors, flags);
	}
	return err == -EBUSY ? -ENOMEM : min(err, 0);
}

static void erase(struct soro_ahs *ahs, const struct soro_av *av)
{
	unsigned long flags;

	xa_lock_irqsave(&ahs->vectors, flags);
	__xa_erase(&ahs->vectors, av->num);
	xa_unlock_irqrestore(&ahs->vectors, flags);
}

/* Providers before v39 do not ask for the number and write the address into each request. */
static int respond(const struct soro_av *av, struct ib_udata *udata)
{
	struct soro_abi_create_ah_resp resp = { .ah_num = av->num };

	if (!udata || udata->outlen < sizeof(resp))
		return 0;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/**
 * soro_ah_create - the create_ah and create_user_ah operations
 * @ahs: address handles of the device
 * @ib_ah: the handle, with device and pd set
 * @init: attributes, resolved by the core, and whether it may sleep
 * @udata: of the user, or NULL
 *
 * Context: any, as @init says. Return: 0 or -errno, and then nothing is left.
 */
int soro_ah_create(struct soro_ahs *ahs, struct ib_ah *ib_ah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata)
{
	bool may_sleep = init->flags & RDMA_CREATE_AH_SLEEPABLE;
	const struct rdma_ah_attr *attr = init->ah_attr;
	struct soro_av *av;
	int err;

	err = check(ib_ah->device, attr);
	if (err)
		return err;

	av = kzalloc(sizeof(*av), may_sleep ? GFP_KERNEL_ACCOUNT : GFP_ATOMIC);
	if (!av)
		return -ENOMEM;
	av->pd = ib_ah->pd;
	take_source(av, attr->grh.sgid_attr);
	av->attr = *attr;
	/* The core keeps the reference with the handle, not with this copy. */
	av->attr.grh.sgid_attr = NULL;

	err = insert(ahs, av, may_sleep);
	if (err)
		goto err_insert;
	err = respond(av, udata);
	if (err)
		goto err_respond;
	soro_ah_from_ib(ib_ah)->av = av;
	return 0;

err_respond:
	erase(ahs, av);
	kfree_rcu(av, rcu);
	return err;
err_insert:
	kfree(av);
	return err;
}

/**
 * soro_ah_destroy - the destroy_ah operation
 * @ahs: address handles of the device
 * @ib_ah: the handle
 *
 * Context: any. Return: 0.
 */
int soro_ah_destroy(struct soro_ahs *ahs, struct ib_ah *ib_ah)
{
	struct soro_av *av = soro_ah_from_ib(ib_ah)->av;

	erase(ahs, av);
	kfree_rcu(av, rcu);
	return 0;
}

/**
 * soro_ah_query - the query_ah operation
 * @ib_ah: the handle
 * @attr: its attributes as created
 *
 * Context: any. Return: 0.
 */
int soro_ah_query(struct ib_ah *ib_ah, struct rdma_ah_attr *attr)
{
	*attr = soro_ah_from_ib(ib_ah)->av->attr;
	return 0;
}

/**
 * soro_ah_find - the address that a work request names by number
 * @ahs: address handles of the device
 * @pd: protection domain of the QP
 * @num: any number
 *
 * Context: RCU read side, which also bounds the life of the result.
 * Return: the address, or NULL if there is no such handle in @pd.
 */
const struct soro_av *soro_ah_find(struct soro_ahs *ahs, const struct ib_pd *pd, u32 num)
{
	const struct soro_av *av = xa_load(&ahs->vectors, num);

	return av && av->pd == pd ? av : NULL;
}

/**
 * soro_ah_read - the address that a work request holds itself
 * @av: result; num and pd stay as they are
 * @ibdev: the device
 * @abi: in the private copy of the request; anything may stand there
 *
 * Context: any, may not be called with locks of the GID table held.
 * Return: 0, or -errno for an address that the user could not have made a handle of.
 */
int soro_ah_read(struct soro_av *av, struct ib_device *ibdev, const struct soro_abi_av *abi)
{
	struct ib_global_route *grh = &av->attr.grh;
	const struct ib_gid_attr *sgid;
	int err;

	if (abi->port_num != 1)
		return -EINVAL;
	sgid = rdma_get_gid_attr(ibdev, 1, abi->sgid_index);
	if (IS_ERR(sgid))
		return PTR_ERR(sgid);
	av->attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	memcpy(&grh->dgid, abi->dgid, sizeof(grh->dgid));
	grh->flow_label = abi->flow_label;
	grh->sgid_index = abi->sgid_index;
	grh->hop_limit = abi->hop_limit;
	grh->traffic_class = abi->traffic_class;
	grh->sgid_attr = NULL;
	err = check_gids(sgid, &grh->dgid);
	if (!err && abi->network_type != (is_ip4(&grh->dgid) ? SORO_ABI_IPV4 : SORO_ABI_IPV6))
		err = -EINVAL;
	if (!err)
		take_source(av, sgid);
	rdma_put_gid_attr(sgid);
	return err;
}

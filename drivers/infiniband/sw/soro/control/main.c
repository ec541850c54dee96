// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: module init order, the link types, the life of a device, and that soro
 * and rdma_rxe are never loaded together.
 *
 * rdma_rxe finds devices by driver id, which we share for the sake of user space,
 * and would take ours for its own structure.
 */
#define pr_fmt(fmt) "soro: " fmt

#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <soro_crc32.h>
#include "../link/link.h"
#include "../run/device.h"
#include "../run/half.h"
#include "../run/inbound.h"
#include "../run/mcast.h"
#include "../run/scratch.h"
#include "../run/table.h"
#include "knobs.h"
#include "main.h"
#include "verbs.h"

MODULE_AUTHOR("soro developers");
MODULE_DESCRIPTION("Software RoCEv2 RDMA adapter");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("soro");

#define RIVAL "rdma_rxe"

/* ---- the rival ---- */

static int on_module(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct module *mod = data;

	if (what != MODULE_STATE_COMING || strcmp(mod->name, RIVAL))
		return NOTIFY_DONE;
	pr_err("refusing " RIVAL ": it cannot be loaded together with soro\n");
	return notifier_from_errno(-EBUSY);
}

static struct notifier_block module_notifier = {
	.notifier_call = on_module,
};

static bool rival_loaded(void)
{
	struct kobject *kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, RIVAL);
	bool loaded = kobj;

	kobject_put(kobj);
	return loaded;
}

static int refuse_rival(void)
{
	if (!rival_loaded())
		return 0;
	pr_err(RIVAL " is loaded: unload it first, the two cannot be used together\n");
	return -EBUSY;
}

/* ---- devices ---- */

/**
 * soro_main_dealloc() - dealloc_driver of the core: the end of a device
 * @ibdev: unregistered, or never registered
 *
 * Context: process.
 */
void soro_main_dealloc(struct ib_device *ibdev)
{
	struct soro_dev *dev = soro_dev(ibdev);

	soro_knobs_del(dev);
	soro_link_fence(&dev->link);
	soro_table_del_device(dev);
	soro_keys_fini(&dev->keys);
	soro_ahs_fini(&dev->ahs);
	xa_destroy(&dev->bound);
	free_percpu(dev->counters);
}

/* Unregister a device whose netdev went; nothing happens if that is under way. */
static void unregister_queued(struct soro_dev *dev)
{
	if (!ib_device_try_get(&dev->ib))
		return;
	ib_unregister_device_queued(&dev->ib);
	ib_device_put(&dev->ib);
}

static void on_link_event(struct soro_link *link, enum soro_link_what what)
{
	struct soro_dev *dev = container_of(link, struct soro_dev, link);
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = 1,
	};

	switch (what) {
	case SORO_LINK_ACTIVE:
		event.event = IB_EVENT_PORT_ACTIVE;
		break;
	case SORO_LINK_DOWN:
		event.event = IB_EVENT_PORT_ERR;
		break;
	case SORO_LINK_CHANGED:
		return;		/* whoever asks next sees it */
	case SORO_LINK_GONE:
		unregister_queued(dev);
		return;
	}
	if (!ib_device_try_get(&dev->ib))
		return;
	ib_dispatch_event(&event);
	ib_device_put(&dev->ib);
}

static const struct soro_link_ops link_ops = {
	.deliver = soro_inbound_deliver,
	.drop = soro_inbound_drop,
	.link_event = on_link_event,
};

/**
 * soro_main_enable() - enable_driver of the core: the device is registered
 * @ibdev: the device
 *
 * From now on events about the netdev reach the core.  One that came before was lost: when
 * the device is new, its registration fails; when the core has moved it to another RDMA
 * namespace, it is unregistered after that.
 *
 * Context: process, with the core's unregistration_lock of the device.
 * Return: 0, or -ENODEV if the netdev went before the device was there.
 */
int soro_main_enable(struct ib_device *ibdev)
{
	struct soro_dev *dev = soro_dev(ibdev);

	if (soro_link_attached(&dev->link)) {
		if (!dev->enabled)
			soro_knobs_add(dev);
		dev->enabled = true;
		return 0;
	}
	if (!dev->enabled)
		return -ENODEV;
	ib_unregister_device_queued(ibdev);
	return 0;
}

static int register_device(struct soro_dev *dev, const char *name, struct net_device *ndev)
{
	int err;

	err = soro_link_open(&dev->link, ndev);
	if (err)
		return err;
	soro_table_add_device(dev);
	err = ib_device_set_netdev(&dev->ib, ndev, 1);
	if (err)
		return err;
	/* dev may be gone on return: its netdev may have left already */
	err = ib_register_device(&dev->ib, name, NULL);
	if (err == -ENFILE) {
		pr_err("%s: the name %s is in use\n", ndev->name, name);
		return -EEXIST;
	}
	return err;
}

static struct soro_dev *alloc_device(struct net_device *ndev)
{
	struct soro_dev *dev = ib_alloc_device(soro_dev, ib);

	if (!dev)
		return NULL;
	dev->counters = alloc_percpu(struct soro_counters);
	if (!dev->counters) {
		ib_dealloc_device(&dev->ib);
		return NULL;
	}
	xa_init_flags(&dev->bound, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&dev->node);
	soro_keys_init(&dev->keys);
	soro_ahs_init(&dev->ahs);
	soro_mcast_init(&dev->mcasts);
	soro_knobs_defaults(dev);
	/* from here on ib_dealloc_device() calls soro_main_dealloc() */
	soro_verbs_setup(dev, ndev);
	return dev;
}

static int add_device(const char *name, struct net_device *ndev)
{
	struct soro_dev *dev = alloc_device(ndev);
	int err;

	if (!dev)
		return -ENOMEM;
	err = register_device(dev, name, ndev);
	if (err)
		ib_dealloc_device(&dev->ib);
	return err;
}

static int new_link(const char *name, struct net_device *ndev)
{
	int err = refuse_rival();

	return err ?: add_device(name, ndev);
}

static struct rdma_link_ops link_types[] = {
	{ .type = "soro", .newlink = new_link },
	{ .type = "rxe", .newlink = new_link },
};

/* ---- module ---- */

static void register_types(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(link_types); i++)
		rdma_link_register(&link_types[i]);
}

static void unregister_types(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(link_types); i++)
		rdma_link_unregister(&link_types[i]);
}

static int __init soro_init(void)
{
	int err;

	/* first: from here on the rival cannot come, then look whether it came before */
	err = register_module_notifier(&module_notifier);
	if (err)
		return err;
	err = refuse_rival();
	if (err)
		goto err_rival;
	soro_crc32_init();
	err = soro_scratch_init();
	if (err)
		goto err_scratch;
	soro_half_init();
	err = soro_link_init(&link_ops);
	if (err)
		goto err_link;
	soro_knobs_init();
	register_types();
	return 0;

err_link:
	soro_half_exit();
	soro_scratch_exit();
err_scratch:
	soro_crc32_exit();
err_rival:
	unregister_module_notifier(&module_notifier);
	return err;
}

static void __exit soro_exit(void)
{
	unregister_types();
	ib_unregister_driver(RDMA_DRIVER_RXE);
	soro_knobs_exit();
	soro_link_exit();
	soro_half_exit();
	soro_scratch_exit();
	soro_table_exit();
	soro_crc32_exit();
	unregister_module_notifier(&module_notifier);
	rcu_barrier();
}

module_init(soro_init);
module_exit(soro_exit);

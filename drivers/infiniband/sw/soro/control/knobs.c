// SPDX-License-Identifier: GPL-2.0
/* Owns: module parameters (defaults) and debugfs files (per device). */
#include <linux/debugfs.h>
#include <linux/moduleparam.h>
#include "../run/device.h"
#include "knobs.h"

static int set_bounded(const char *val, const struct kernel_param *kp, unsigned int low,
		       unsigned int high)
{
	unsigned int value;
	int err = kstrtouint(val, 0, &value);

	if (err)
		return err;
	if (value < low || value > high)
		return -ERANGE;
	*(unsigned int *)kp->arg = value;
	return 0;
}

static int set_train_max(const char *val, const struct kernel_param *kp)
{
	return set_bounded(val, kp, 1, SORO_LINK_TRAIN_MAX);
}

static const struct kernel_param_ops train_max_ops = {
	.set = set_train_max,
	.get = param_get_uint,
};

static unsigned int train_max = SORO_LINK_TRAIN_MAX;
module_param_cb(train_max, &train_max_ops, &train_max, 0644);
MODULE_PARM_DESC(train_max, "packets per super-packet of new devices, 1 (no super-packets) to 64");

static bool icrc_rx;
module_param(icrc_rx, bool, 0644);
MODULE_PARM_DESC(icrc_rx, "new devices check the ICRC of packets that never left the host, too");

static bool cnp;
module_param(cnp, bool, 0644);
MODULE_PARM_DESC(cnp, "new devices answer packets marked by ECN with congestion notifications");

static struct dentry *root;

/**
 * soro_knobs_defaults() - set the knobs of a new device
 * @dev: the device
 */
void soro_knobs_defaults(struct soro_dev *dev)
{
	dev->link.train_max = READ_ONCE(train_max);
	dev->link.icrc_rx = READ_ONCE(icrc_rx);
	dev->cnp = READ_ONCE(cnp);
}

static int train_max_get(void *data, u64 *value)
{
	*value = READ_ONCE(((struct soro_dev *)data)->link.train_max);
	return 0;
}

static int train_max_set(void *data, u64 value)
{
	if (value < 1 || value > SORO_LINK_TRAIN_MAX)
		return -ERANGE;
	WRITE_ONCE(((struct soro_dev *)data)->link.train_max, value);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(train_max_fops, train_max_get, train_max_set, "%llu\n");

static int icrc_rx_get(void *data, u64 *value)
{
	*value = READ_ONCE(((struct soro_dev *)data)->link.icrc_rx);
	return 0;
}

static int icrc_rx_set(void *data, u64 value)
{
	if (value > 1)
		return -ERANGE;
	WRITE_ONCE(((struct soro_dev *)data)->link.icrc_rx, value);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(icrc_rx_fops, icrc_rx_get, icrc_rx_set, "%llu\n");

static int cnp_get(void *data, u64 *value)
{
	*value = READ_ONCE(((struct soro_dev *)data)->cnp);
	return 0;
}

static int cnp_set(void *data, u64 value)
{
	if (value > 1)
		return -ERANGE;
	WRITE_ONCE(((struct soro_dev *)data)->cnp, value);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(cnp_fops, cnp_get, cnp_set, "%llu\n");

/**
 * soro_knobs_add() - make the debugfs files of a registered device
 * @dev: the device
 */
void soro_knobs_add(struct soro_dev *dev)
{
	dev->debugfs = debugfs_create_dir(dev_name(&dev->ib.dev), root);
	debugfs_create_file_unsafe("train_max", 0600, dev->debugfs, dev, &train_max_fops);
	debugfs_create_file_unsafe("icrc_rx", 0600, dev->debugfs, dev, &icrc_rx_fops);
	debugfs_create_file_unsafe("cnp", 0600, dev->debugfs, dev, &cnp_fops);
}

/**
 * soro_knobs_del() - remove them; waits for readers
 * @dev: the device
 */
void soro_knobs_del(struct soro_dev *dev)
{
	debugfs_remove_recursive(dev->debugfs);
	dev->debugfs = NULL;
}

/**
 * soro_knobs_init() - make the debugfs folder
 */
void soro_knobs_init(void)
{
	root = debugfs_create_dir("soro", NULL);
}

/**
 * soro_knobs_exit() - remove it
 */
void soro_knobs_exit(void)
{
	debugfs_remove_recursive(root);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An opened RDMA device: context, protection domain, port and GID.
 */
#ifndef SORO_VERBS_DEVICE_H
#define SORO_VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#define PORT_NUM 1

/**
 * struct device - one opening of a device
 * @ctx: context
 * @pd: protection domain of everything that a test registers
 * @attr: limits
 * @port: port 1
 * @gid: address of this end
 * @gid_index: its index
 */
struct device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
};

/**
 * device_open() - open a device and choose its GID
 * @dev: filled
 * @name: device name
 * @gid_index: GID to use, negative: the first RoCEv2 GID of the family
 * @ipv6: choose an IPv6 GID (not link-local), else an IPv4 one
 *
 * Return: true, or false after a message on stderr.
 */
bool device_open(struct device *dev, const char *name, int gid_index, bool ipv6);

/** device_close() - close; checks that nothing of it is busy any more */
void device_close(struct device *dev);

/**
 * device_event() - wait for an asynchronous event of a QP, CQ or SRQ
 * @dev: device
 * @object: only events of this one count, others are acknowledged and dropped
 * @type: expected type
 * @msec: time to wait
 *
 * Return: whether it came.
 */
bool device_event(struct device *dev, const void *object, enum ibv_event_type type,
		  unsigned int msec);

/** device_drain_events() - acknowledge whatever events wait */
void device_drain_events(struct device *dev);

/** mtu_bytes() - Return: path MTU in bytes */
unsigned int mtu_bytes(enum ibv_mtu mtu);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Opens devices and chooses addresses; knows nothing of queue pairs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "tap.h"

unsigned int mtu_bytes(enum ibv_mtu mtu)
{
	return 128u << mtu;
}

static bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

/* A link-local GID may be no address of the interface at all (EUI-64). */
static bool gid_is_link_local(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

static bool choose_gid(struct device *dev, int gid_index, bool ipv6)
{
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < dev->port.gid_tbl_len && i < 256; i++) {
		if (gid_index >= 0 && i != gid_index)
			continue;
		if (ibv_query_gid_ex(dev->ctx, PORT_NUM, i, &entry, 0))
			continue;
		if (gid_index < 0 && (entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
				      gid_is_ipv4(&entry.gid) == ipv6 ||
				      gid_is_link_local(&entry.gid)))
			continue;
		dev->gid = entry.gid;
		dev->gid_index = i;
		return true;
	}
	return false;
}

static struct ibv_context *open_by_name(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name)) {
			ctx = ibv_open_device(list[i]);
			break;
		}
	}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

bool device_open(struct device *dev, const char *name, int gid_index, bool ipv6)
{
	memset(dev, 0, sizeof(*dev));
	dev->ctx = open_by_name(name);
	if (!dev->ctx) {
		fprintf(stderr, "%s: cannot open the device\n", name);
		return false;
	}
	if (ibv_query_device(dev->ctx, &dev->attr) ||
	    ibv_query_port(dev->ctx, PORT_NUM, &dev->port)) {
		fprintf(stderr, "%s: cannot query device or port\n", name);
		return false;
	}
	if (!choose_gid(dev, gid_index, ipv6)) {
		fprintf(stderr, "%s: no RoCEv2 GID of family IPv%d\n", name, ipv6 ? 6 : 4);
		return false;
	}
	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd) {
		fprintf(stderr, "%s: cannot allocate a PD: %s\n", name, strerror(errno));
		return false;
	}
	fcntl(dev->ctx->async_fd, F_SETFL, fcntl(dev->ctx->async_fd, F_GETFL) | O_NONBLOCK);
	return true;
}

void device_close(struct device *dev)
{
	if (ibv_dealloc_pd(dev->pd))
		fprintf(stderr, "PD still busy at the end\n");
	if (ibv_close_device(dev->ctx))
		fprintf(stderr, "device still busy at the end\n");
}

bool device_event(struct device *dev, const void *object, enum ibv_event_type type,
		  unsigned int msec)
{
	uint64_t deadline = now_msec() + msec;
	struct pollfd pfd = { .fd = dev->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool found = false;

	while (!found) {
		uint64_t now = now_msec();

		if (poll(&pfd, 1, now < deadline ? (int)(deadline - now) : 0) <= 0)
			return false;
		if (ibv_get_async_event(dev->ctx, &event))
			continue;
		/* the type tells which member is set, and all are pointers */
		found = event.event_type == type && event.element.qp == object;
		ibv_ack_async_event(&event);
	}
	return true;
}

void device_drain_events(struct device *dev)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(dev->ctx, &event))
		ibv_ack_async_event(&event);
}

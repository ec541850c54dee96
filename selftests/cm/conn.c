// SPDX-License-Identifier: GPL-2.0
/*
 * One connection by librdmacm, asynchronous, so that no peer can make it wait for ever.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "tap.h"

#define RESOLVE_MSEC 5000

bool address_of(const char *text, uint16_t port, struct sockaddr_storage *to)
{
	struct sockaddr_in *in = (struct sockaddr_in *)to;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return true;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	return inet_pton(AF_INET6, text, &in6->sin6_addr) == 1;
}

/* An event is taken by rdma_get_cm_event(), which must not block after poll(). */
static bool open_channel(struct conn *conn)
{
	memset(conn, 0, sizeof(*conn));
	conn->channel = rdma_create_event_channel();
	if (!CHECK(conn->channel, "rdma_create_event_channel: %s", strerror(errno)))
		return false;
	return CHECK(!fcntl(conn->channel->fd, F_SETFL, O_NONBLOCK), "fcntl");
}

bool conn_open(struct conn *conn, enum rdma_port_space ps)
{
	return open_channel(conn) && CHECK(!rdma_create_id(conn->channel, &conn->id, conn, ps),
					   "rdma_create_id: %s", strerror(errno));
}

bool conn_take(struct conn *conn, struct rdma_cm_id *id)
{
	if (!open_channel(conn)) {
		rdma_destroy_id(id);
		return false;
	}
	conn->id = id;
	return CHECK(!rdma_migrate_id(id, conn->channel), "rdma_migrate_id: %s", strerror(errno));
}

void conn_close(struct conn *conn)
{
	if (conn->id && conn->id->qp)
		rdma_destroy_qp(conn->id);
	if (conn->cq)
		ibv_destroy_cq(conn->cq);
	if (conn->comp)
		ibv_destroy_comp_channel(conn->comp);
	if (conn->mr)
		ibv_dereg_mr(conn->mr);
	if (conn->id)
		rdma_destroy_id(conn->id);
	if (conn->channel)
		rdma_destroy_event_channel(conn->channel);
	free(conn->mem);
	memset(conn, 0, sizeof(*conn));
}

struct rdma_cm_event *conn_event(struct conn *conn, unsigned int msec, int fd)
{
	struct pollfd fds[2] = {
		{ .fd = conn->channel->fd, .events = POLLIN }, { .fd = fd, .events = POLLIN },
	};
	struct rdma_cm_event *event;
	uint64_t end = now_msec() + msec;
	int64_t left;

	while (rdma_get_cm_event(conn->channel, &event)) {
		left = end - now_msec();
		if (left <= 0 || poll(fds, 2, left) <= 0 || fds[1].revents)
			return NULL;
	}
	return event;
}

bool conn_expect(struct conn *conn, enum rdma_cm_event_type what, int *status)
{
	struct rdma_cm_event *event = conn_event(conn, PATIENCE_MSEC, -1);
	bool good;

	if (!CHECK(event, "no event, %s was expected", rdma_event_str(what)))
		return false;
	good = CHECK(event->event == what && (status || !event->status), "%s, status %d, not %s",
		     rdma_event_str(event->event), event->status, rdma_event_str(what));
	if (status)
		*status = event->status;
	rdma_ack_cm_event(event);
	return good;
}

bool conn_resolve(struct conn *conn, const char *address, uint16_t port)
{
	struct sockaddr_storage to;

	if (!CHECK(address_of(address, port, &to), "no address: %s", address))
		return false;
	if (!CHECK(!rdma_resolve_addr(conn->id, NULL, (struct sockaddr *)&to, RESOLVE_MSEC),
		   "rdma_resolve_addr: %s", strerror(errno)) ||
	    !conn_expect(conn, RDMA_CM_EVENT_ADDR_RESOLVED, NULL))
		return false;
	return CHECK(!rdma_resolve_route(conn->id, RESOLVE_MSEC), "rdma_resolve_route: %s",
		     strerror(errno)) &&
	       conn_expect(conn, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL);
}

bool conn_post_recv(struct conn *conn)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)conn->mem + conn->size, .length = conn->size,
		.lkey = conn->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	return CHECK(!ibv_post_recv(conn->id->qp, &wr, &bad), "ibv_post_recv");
}

bool conn_went(struct conn *conn)
{
	int error = errno;
	struct rdma_cm_event *event;
	bool went = false;

	if (conn->doomed && error == EINVAL)
		return true;
	event = conn_event(conn, RESOLVE_MSEC, -1);
	if (event) {
		went = event->event == RDMA_CM_EVENT_REJECTED ||
		       event->event == RDMA_CM_EVENT_UNREACHABLE ||
		       event->event == RDMA_CM_EVENT_CONNECT_ERROR ||
		       event->event == RDMA_CM_EVENT_DISCONNECTED;
		rdma_ack_cm_event(event);
	}
	errno = error;
	return went;
}

bool conn_create_qp(struct conn *conn, uint32_t size, unsigned int recvs)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = conn->id->ps == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = recvs + 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	/* All receives share one place: a peer sends the next when it has the last one back. */
	conn->size = size;
	conn->mem = calloc(2, size);
	conn->comp = ibv_create_comp_channel(conn->id->verbs);
	if (!CHECK(conn->mem && conn->comp, "ibv_create_comp_channel: %s", strerror(errno)))
		return false;
	if (!CHECK(!fcntl(conn->comp->fd, F_SETFL, O_NONBLOCK), "fcntl"))
		return false;
	conn->cq = ibv_create_cq(conn->id->verbs, recvs + 8, NULL, conn->comp, 0);
	if (!CHECK(conn->cq, "ibv_create_cq: %s", strerror(errno)))
		return false;
	attr.send_cq = conn->cq;
	attr.recv_cq = conn->cq;
	if (rdma_create_qp(conn->id, NULL, &attr)) {
		CHECK(conn_went(conn), "rdma_create_qp: %s", strerror(errno));
		return false;
	}
	conn->mr = ibv_reg_mr(conn->id->pd, conn->mem, 2 * size, IBV_ACCESS_LOCAL_WRITE);
	if (!CHECK(conn->mr, "ibv_reg_mr: %s", strerror(errno)))
		return false;
	while (recvs--)
		if (!conn_post_recv(conn))
			return false;
	return true;
}

bool conn_connect(struct conn *conn, const void *data, uint8_t length)
{
	struct rdma_conn_param param = {
		.private_data = data, .private_data_len = length,
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
		.rnr_retry_count = 7,
	};

	return CHECK(!rdma_connect(conn->id, &param), "rdma_connect: %s", strerror(errno));
}

/* A peer that goes away is an event of the connection manager, not a completion. */
static bool is_gone(struct conn *conn)
{
	struct rdma_cm_event *event;

	while (!conn->gone && !rdma_get_cm_event(conn->channel, &event)) {
		conn->gone = event->event == RDMA_CM_EVENT_DISCONNECTED ||
			     event->event == RDMA_CM_EVENT_DEVICE_REMOVAL;
		rdma_ack_cm_event(event);
	}
	return conn->gone;
}

/* What was sent before the peer went has arrived before it: look for completions first. */
static int poll_or_gone(struct conn *conn, struct ibv_wc *wc)
{
	int n = ibv_poll_cq(conn->cq, 1, wc);

	if (n)
		return n;
	if (is_gone(conn))
		return ibv_poll_cq(conn->cq, 1, wc) ?: -1;
	return 0;
}

static void clear_notification(struct conn *conn)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(conn->comp, &cq, &context))
		ibv_ack_cq_events(cq, 1);
}

bool conn_wait(struct conn *conn, struct ibv_wc *wc)
{
	struct pollfd fds[2] = {
		{ .fd = conn->channel->fd, .events = POLLIN },
		{ .fd = conn->comp->fd, .events = POLLIN },
	};
	uint64_t end = now_msec() + PATIENCE_MSEC;
	int n;

	while (!(n = poll_or_gone(conn, wc))) {
		clear_notification(conn);
		if (ibv_req_notify_cq(conn->cq, 0))
			return false;
		n = poll_or_gone(conn, wc);
		if (n)
			break;
		if (!CHECK(now_msec() < end, "no completion"))
			return false;
		poll(fds, 2, end - now_msec());
	}
	return n > 0 && wc->status == IBV_WC_SUCCESS;
}

bool conn_send(struct conn *conn, uint32_t length, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)conn->mem, .length = length, .lkey = conn->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge,
		.num_sge = 1,
	}, *bad;

	if (ah) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = qpn;
		wr.wr.ud.remote_qkey = qkey;
	}
	return !ibv_post_send(conn->id->qp, &wr, &bad);
}

/* The send and the answer complete in any order. */
static bool both(struct conn *conn, uint32_t length)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 2; i++) {
		if (!conn_wait(conn, &wc))
			return false;
		if (wc.opcode == IBV_WC_RECV && !CHECK(wc.byte_len == length, "%u bytes, not %u",
						       wc.byte_len, length))
			return false;
	}
	return true;
}

bool conn_echo(struct conn *conn, uint32_t length)
{
	uint8_t key = rnd();
	uint32_t i;

	for (i = 0; i < length; i++)
		conn->mem[i] = key + i * 7 + (i >> 8);
	memset(conn->mem + conn->size, 0x5a, length);
	if (!conn_post_recv(conn) || !conn_send(conn, length, NULL, 0, 0) || !both(conn, length))
		return false;
	for (i = 0; i < length; i++)
		if (!CHECK((conn->mem[i] ^ conn->mem[conn->size + i]) == 0xff,
			   "byte %u of %u is wrong", i, length))
			return false;
	return true;
}

bool conn_disconnect(struct conn *conn)
{
	return CHECK(!rdma_disconnect(conn->id), "rdma_disconnect: %s", strerror(errno)) &&
	       (conn->gone || conn_expect(conn, RDMA_CM_EVENT_DISCONNECTED, NULL));
}

bool conn_dial(struct conn *conn, const char *address, uint16_t port, uint32_t size)
{
	return conn_open(conn, RDMA_PS_TCP) && conn_resolve(conn, address, port) &&
	       conn_create_qp(conn, size, 0) && conn_connect(conn, NULL, 0) &&
	       conn_expect(conn, RDMA_CM_EVENT_ESTABLISHED, NULL);
}

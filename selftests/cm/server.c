// SPDX-License-Identifier: GPL-2.0
/*
 * A listener that serves each connection in a thread of its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "server.h"
#include "tap.h"

#define BACKLOG 1024
#define MAX_MESSAGE 65536
#define MAX_DATAGRAM 4096

struct service {
	enum server_does does;
	int stop;
	unsigned int requests;	/* so far: how much private data is next */
	unsigned int running;
	pthread_mutex_t lock;	/* of @running */
	pthread_cond_t ended;
};

struct request {
	struct service *service;
	struct rdma_cm_id *id;
	unsigned int number;
};

void private_fill(uint8_t *data, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		data[i] = n * 3 + i * 7 + 1;
}

void private_check(const uint8_t *data, unsigned int length, unsigned int n)
{
	uint8_t want[256] = { 0 };
	unsigned int i;

	private_fill(want, n);
	CHECK(length >= n, "%u bytes of private data, not %u", length, n);
	for (i = 0; i < length; i++)
		if (!CHECK(data[i] == want[i], "private data: byte %u of %u is wrong", i, n))
			return;
}

static void echo(struct conn *conn, struct ibv_wc *wc)
{
	uint32_t i;

	for (i = 0; i < wc->byte_len; i++)
		conn->mem[i] = ~conn->mem[conn->size + i];
	if (conn_post_recv(conn))
		conn_send(conn, wc->byte_len, NULL, 0, 0);
}

/* Datagrams come with 40 bytes in front, and from whom the answer's address is made. */
static void echo_datagram(struct conn *conn, struct ibv_wc *wc)
{
	uint8_t *in = conn->mem + conn->size;
	struct ibv_ah *ah;
	struct ibv_wc done;
	uint32_t i, length = wc->byte_len - GRH_BYTES;

	ah = ibv_create_ah_from_wc(conn->id->pd, wc, (struct ibv_grh *)in, conn->id->port_num);
	if (!CHECK(ah, "ibv_create_ah_from_wc: %s", strerror(errno)))
		return;
	for (i = 0; i < length; i++)
		conn->mem[i] = ~in[GRH_BYTES + i];
	if (conn_post_recv(conn) && conn_send(conn, length, ah, wc->src_qp, RDMA_UDP_QKEY))
		conn_wait(conn, &done);
	ibv_destroy_ah(ah);
}

static void talk(struct conn *conn)
{
	struct ibv_wc wc;

	while (conn_wait(conn, &wc))
		if (wc.opcode == IBV_WC_RECV)
			echo(conn, &wc);
	rdma_disconnect(conn->id);
}

static bool accept_request(struct conn *conn, struct request *request)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .rnr_retry_count = 7,
	};
	uint8_t data[256];

	if (request->service->does == SERVER_ACCEPTS) {
		private_fill(data, request->number);
		param.private_data = data;
		param.private_data_len = request->number;
	}
	if (request->service->does == SERVER_DATAGRAMS)
		param.qp_num = conn->id->qp->qp_num;
	if (!rdma_accept(conn->id, &param))
		return true;
	CHECK(conn_went(conn), "rdma_accept: %s", strerror(errno));
	return false;
}

static void reject(struct rdma_cm_id *id, unsigned int n)
{
	uint8_t data[256];

	private_fill(data, n);
	CHECK(!rdma_reject(id, data, n), "rdma_reject: %s", strerror(errno));
}

/* A client may be killed at any point: what comes then instead is no failure of the server. */
static void serve_connection(struct conn *conn, struct request *request)
{
	struct rdma_cm_event *event;
	bool established;

	if (!conn_create_qp(conn, MAX_MESSAGE, 1) || !accept_request(conn, request))
		return;
	event = conn_event(conn, PATIENCE_MSEC * 2, -1);
	if (!CHECK(event, "neither established nor not"))
		return;
	established = event->event == RDMA_CM_EVENT_ESTABLISHED;
	rdma_ack_cm_event(event);
	if (established)
		talk(conn);
}

/* A datagram QP has no connection that could end: it serves until the server shall stop. */
static void serve_datagrams(struct conn *conn, struct request *request)
{
	struct pollfd stop = { .fd = request->service->stop, .events = POLLIN };
	struct ibv_wc wc;

	if (!conn_create_qp(conn, MAX_DATAGRAM + GRH_BYTES, 1) || !accept_request(conn, request))
		return;
	while (!poll(&stop, 1, 1))
		if (ibv_poll_cq(conn->cq, 1, &wc) > 0 && wc.opcode == IBV_WC_RECV)
			echo_datagram(conn, &wc);
}

static void *serve(void *arg)
{
	struct request *request = arg;
	struct service *service = request->service;
	struct conn conn;

	if (conn_take(&conn, request->id)) {
		conn.doomed = service->does == SERVER_OUTLIVES;
		if (service->does == SERVER_REJECTS)
			reject(conn.id, request->number);
		else if (service->does == SERVER_DATAGRAMS)
			serve_datagrams(&conn, request);
		else
			serve_connection(&conn, request);
		conn_close(&conn);
	}
	free(request);
	pthread_mutex_lock(&service->lock);
	service->running--;
	pthread_cond_signal(&service->ended);
	pthread_mutex_unlock(&service->lock);
	return NULL;
}

static void take_request(struct service *service, struct rdma_cm_event *event)
{
	struct request *request = malloc(sizeof(*request));
	pthread_t thread;

	if (!CHECK(request, "no memory"))
		return;
	*request = (struct request){ service, event->id, service->requests++ };
	if (service->does == SERVER_ACCEPTS || service->does == SERVER_REJECTS)
		private_check(event->param.conn.private_data, event->param.conn.private_data_len,
			      request->number > REQ_MAX ? REQ_MAX : request->number);
	pthread_mutex_lock(&service->lock);
	service->running++;
	pthread_mutex_unlock(&service->lock);
	if (CHECK(!pthread_create(&thread, NULL, serve, request), "pthread_create"))
		pthread_detach(thread);
}

static bool listen_at(struct conn *conn, const char *address)
{
	struct sockaddr_storage at;

	return CHECK(address_of(address, 0, &at), "no address: %s", address) &&
	       CHECK(!rdma_bind_addr(conn->id, (struct sockaddr *)&at), "rdma_bind_addr: %s",
		     strerror(errno)) &&
	       CHECK(!rdma_listen(conn->id, BACKLOG), "rdma_listen: %s", strerror(errno));
}

static bool run_server(const struct env *env, void *arg, int word, int stop)
{
	struct service service = {
		.does = *(enum server_does *)arg, .stop = stop,
		.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER,
	};
	struct rdma_cm_event *event;
	struct conn conn;

	if (!conn_open(&conn, service.does == SERVER_DATAGRAMS ? RDMA_PS_UDP : RDMA_PS_TCP) ||
	    !listen_at(&conn, env->server))
		return false;
	child_tell(word, ntohs(rdma_get_src_port(conn.id)));
	while ((event = conn_event(&conn, 3600 * 1000, stop))) {
		if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
			take_request(&service, event);
		rdma_ack_cm_event(event);
	}
	pthread_mutex_lock(&service.lock);
	while (service.running)
		pthread_cond_wait(&service.ended, &service.lock);
	pthread_mutex_unlock(&service.lock);
	conn_close(&conn);
	return true;
}

struct child server_start(const struct env *env, enum server_does does, uint16_t *port)
{
	struct child child = child_start(env, env->server_ns, run_server, &does);

	*port = child_word(&child);
	CHECK(*port, "no server");
	return child;
}

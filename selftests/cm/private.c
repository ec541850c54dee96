// SPDX-License-Identifier: GPL-2.0
/*
 * Private data of requests, answers and rejections, of all lengths. The wire has fields of
 * fixed length: what a side gets is longer than what was sent, and zero behind it.
 */
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "server.h"
#include "tap.h"
#include "tests.h"

#define REJ_CONSUMER_DEFINED 28

static bool ask(struct conn *conn, const struct env *env, uint16_t port, unsigned int n)
{
	uint8_t data[256];

	n = n > REQ_MAX ? REQ_MAX : n;
	private_fill(data, n);
	return conn_open(conn, RDMA_PS_TCP) && conn_resolve(conn, env->server, port) &&
	       conn_create_qp(conn, 4096, 0) && conn_connect(conn, data, n);
}

/* The answer to request @n: @what, with @n bytes */
static bool answered(struct conn *conn, enum rdma_cm_event_type what, int status, unsigned int n)
{
	struct rdma_cm_event *event = conn_event(conn, PATIENCE_MSEC, -1);
	bool good;

	if (!CHECK(event, "no answer"))
		return false;
	good = CHECK(event->event == what && event->status == status, "%s, status %d",
		     rdma_event_str(event->event), event->status);
	if (good)
		private_check(event->param.conn.private_data, event->param.conn.private_data_len,
			      n);
	rdma_ack_cm_event(event);
	return good;
}

static bool run_accept(const struct env *env, void *arg, int word, int stop)
{
	struct conn conn;
	unsigned int n;

	for (n = 0; n <= REP_MAX && !tap_failed(); n++) {
		if (ask(&conn, env, *(uint16_t *)arg, n) &&
		    answered(&conn, RDMA_CM_EVENT_ESTABLISHED, 0, n))
			conn_disconnect(&conn);
		conn_close(&conn);
	}
	return CHECK(n == REP_MAX + 1, "with %u bytes", n - 1);
}

static bool run_reject(const struct env *env, void *arg, int word, int stop)
{
	struct conn conn;
	unsigned int n;

	for (n = 0; n <= REJ_MAX && !tap_failed(); n++) {
		if (ask(&conn, env, *(uint16_t *)arg, n))
			answered(&conn, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER_DEFINED, n);
		conn_close(&conn);
	}
	return CHECK(n == REJ_MAX + 1, "with %u bytes", n - 1);
}

static void with_server(const struct env *env, enum server_does does, child_fn fn)
{
	uint16_t port;
	struct child server = server_start(env, does, &port);
	struct child client = child_start(env, NULL, fn, &port);

	CHECK(child_end(&client), "the client failed");
	CHECK(child_end(&server), "the server failed");
}

void test_private_accept(const struct env *env)
{
	with_server(env, SERVER_ACCEPTS, run_accept);
}

void test_private_reject(const struct env *env)
{
	with_server(env, SERVER_REJECTS, run_reject);
}

static bool run_too_long(const struct env *env, void *arg, int word, int stop)
{
	struct rdma_conn_param param = { .private_data_len = REQ_MAX + 1 };
	uint8_t data[256] = { 0 };
	struct conn conn;

	param.private_data = data;
	if (!conn_open(&conn, RDMA_PS_TCP) ||
	    !conn_resolve(&conn, env->server, *(uint16_t *)arg) ||
	    !conn_create_qp(&conn, 4096, 0))
		return false;
	CHECK(rdma_connect(conn.id, &param) && errno == EINVAL, "it is not refused");
	conn_close(&conn);
	return true;
}

void test_private_too_long(const struct env *env)
{
	with_server(env, SERVER_ECHOES, run_too_long);
}

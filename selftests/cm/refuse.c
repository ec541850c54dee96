// SPDX-License-Identifier: GPL-2.0
/*
 * Connections that cannot be: how they end, and when.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "server.h"
#include "tap.h"
#include "tests.h"

/* IBA table 112: there is no such service ID. */
#define REJ_INVALID_SERVICE_ID 8
/* One try of the connection manager is 6.1 s. An answer comes long before. */
#define AT_ONCE_MSEC 2500
/* 16 tries, and some time for a slow machine. */
#define CM_MIN_MSEC 60000
#define CM_MAX_MSEC 130000

static bool run_closed(const struct env *env, void *arg, int word, int stop)
{
	struct conn conn;
	uint64_t began;
	int status = 0;

	if (!conn_open(&conn, RDMA_PS_TCP) ||
	    !conn_resolve(&conn, env->server, *(uint16_t *)arg) ||
	    !conn_create_qp(&conn, 4096, 0))
		return false;
	began = now_msec();
	if (!conn_connect(&conn, NULL, 0) ||
	    !conn_expect(&conn, RDMA_CM_EVENT_REJECTED, &status))
		return false;
	CHECK(now_msec() - began < AT_ONCE_MSEC, "after %u ms", (unsigned int)(now_msec() - began));
	CHECK(status == REJ_INVALID_SERVICE_ID, "reason %d", status);
	conn_close(&conn);
	return true;
}

/* A port that a listener has just left. */
void test_closed_port(const struct env *env)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_ECHOES, &port), client;

	CHECK(child_end(&server), "the server failed");
	client = child_start(env, NULL, run_closed, &port);
	CHECK(child_end(&client), "the client failed");
}

/* Return: the first event that says that there will be no connection, or that there is one. */
static enum rdma_cm_event_type outcome(const struct env *env, uint16_t port, unsigned int msec,
				       int *status)
{
	enum rdma_cm_event_type what = RDMA_CM_EVENT_TIMEWAIT_EXIT;	/* nothing came */
	struct sockaddr_storage to;
	struct rdma_cm_event *event;
	struct conn conn;
	bool goes_on = true;

	if (!CHECK(address_of(env->server, port, &to), "no address") ||
	    !conn_open(&conn, RDMA_PS_TCP))
		return what;
	*status = 0;
	if (rdma_resolve_addr(conn.id, NULL, (struct sockaddr *)&to, 2000)) {
		conn_close(&conn);
		return RDMA_CM_EVENT_ADDR_ERROR;
	}
	while (goes_on && (event = conn_event(&conn, msec, -1))) {
		goes_on = false;
		if (event->event == RDMA_CM_EVENT_ADDR_RESOLVED)
			goes_on = !rdma_resolve_route(conn.id, 2000);
		else if (event->event == RDMA_CM_EVENT_ROUTE_RESOLVED)
			goes_on = conn_create_qp(&conn, 4096, 0) && conn_connect(&conn, NULL, 0);
		else
			what = event->event;
		*status = event->status;
		rdma_ack_cm_event(event);
	}
	conn_close(&conn);
	return what;
}

static bool run_nobody(const struct env *env, void *arg, int word, int stop)
{
	uint64_t began = now_msec();
	enum rdma_cm_event_type what;
	int status;

	what = outcome(env, 7471, 20000, &status);
	CHECK(what == RDMA_CM_EVENT_ADDR_ERROR, "%s, status %d", rdma_event_str(what), status);
	CHECK(now_msec() - began < 10000, "after %u ms", (unsigned int)(now_msec() - began));
	return true;
}

/* The server's address is one that no neighbour has. */
void test_nobody(const struct env *env)
{
	struct child client = child_start(env, NULL, run_nobody, NULL);

	CHECK(child_end(&client), "the client failed");
}

static bool run_silent(const struct env *env, void *arg, int word, int stop)
{
	uint64_t began = now_msec(), msec;
	enum rdma_cm_event_type what;
	int status;

	what = outcome(env, *(uint16_t *)arg, CM_MAX_MSEC, &status);
	msec = now_msec() - began;
	CHECK(what == RDMA_CM_EVENT_UNREACHABLE && status == -ETIMEDOUT, "%s, status %d",
	      rdma_event_str(what), status);
	CHECK(msec > CM_MIN_MSEC && msec < CM_MAX_MSEC, "after %u ms", (unsigned int)msec);
	tap_note("after %u ms", (unsigned int)msec);
	return true;
}

/* Somebody drops all packets on the way: that is up to the caller. */
void test_silent(const struct env *env)
{
	uint16_t port = 7471;
	struct child client = child_start(env, NULL, run_silent, &port);

	CHECK(child_end(&client), "the client failed");
}

static bool run_isolated(const struct env *env, void *arg, int word, int stop)
{
	enum rdma_cm_event_type what;
	int status;

	what = outcome(env, *(uint16_t *)arg, 15000, &status);
	CHECK(what == RDMA_CM_EVENT_ADDR_ERROR || what == RDMA_CM_EVENT_UNREACHABLE ||
	      what == RDMA_CM_EVENT_TIMEWAIT_EXIT, "it was answered: %s, status %d",
	      rdma_event_str(what), status);
	tap_note("%s", what == RDMA_CM_EVENT_TIMEWAIT_EXIT ? "no answer" : rdma_event_str(what));
	return true;
}

/* The server listens where no network leads from here. */
void test_isolated(const struct env *env)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_ECHOES, &port);
	struct child client = child_start(env, NULL, run_isolated, &port);

	CHECK(child_end(&client), "the client failed");
	CHECK(child_end(&server), "the server failed");
}

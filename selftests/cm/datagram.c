// SPDX-License-Identifier: GPL-2.0
/*
 * UD queue pairs by the connection manager: datagrams to a service and back, and to a group.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "conn.h"
#include "server.h"
#include "tap.h"
#include "tests.h"

#define TO_GROUP 5
#define LENGTH 1000
#define MAX_DATAGRAM 4096
#define QUIET_MSEC 500
/* The kernel's own error number, which has no name here. */
#define KERNEL_ENOTSUPP 524

/* Where datagrams go: what an event says of it */
struct remote {
	struct ibv_ah *ah;
	uint32_t qpn;
	uint32_t qkey;
};

static bool remote_from(struct conn *conn, struct rdma_cm_event *event, struct remote *to)
{
	to->ah = ibv_create_ah(conn->id->pd, &event->param.ud.ah_attr);
	to->qpn = event->param.ud.qp_num;
	to->qkey = event->param.ud.qkey;
	return CHECK(to->ah, "ibv_create_ah: %s", strerror(errno));
}

static bool remote_event(struct conn *conn, enum rdma_cm_event_type what, struct remote *to)
{
	struct rdma_cm_event *event = conn_event(conn, PATIENCE_MSEC, -1);
	bool good;

	if (!CHECK(event, "no event"))
		return false;
	good = CHECK(event->event == what && !event->status, "%s, status %d",
		     rdma_event_str(event->event), event->status) &&
	       remote_from(conn, event, to);
	rdma_ack_cm_event(event);
	return good;
}

static void fill(struct conn *conn, uint32_t length, uint8_t key)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		conn->mem[i] = key + i * 5 + (i >> 8);
}

static bool check_received(struct conn *conn, struct ibv_wc *wc, uint32_t length, uint8_t invert)
{
	const uint8_t *in = conn->mem + conn->size + GRH_BYTES;
	uint32_t i;

	if (!CHECK(wc->byte_len == length + GRH_BYTES, "%u bytes, not %u", wc->byte_len,
		   length + GRH_BYTES) ||
	    !CHECK(wc->wc_flags & IBV_WC_GRH, "no GRH"))
		return false;
	for (i = 0; i < length; i++)
		if (!CHECK((in[i] ^ conn->mem[i]) == invert, "byte %u of %u is wrong", i, length))
			return false;
	return true;
}

/* ---- to a service ---- */

static bool echo_datagram(struct conn *conn, struct remote *to, uint32_t length)
{
	struct ibv_wc wc;
	int i;

	fill(conn, length, length);
	if (!conn_post_recv(conn) ||
	    !CHECK(conn_send(conn, length, to->ah, to->qpn, to->qkey), "ibv_post_send"))
		return false;
	for (i = 0; i < 2; i++) {
		if (!CHECK(conn_wait(conn, &wc), "no completion of %u bytes", length))
			return false;
		if (wc.opcode == IBV_WC_RECV && !check_received(conn, &wc, length, 0xff))
			return false;
	}
	return true;
}

static uint32_t largest(struct conn *conn)
{
	struct ibv_port_attr attr;

	if (!CHECK(!ibv_query_port(conn->id->verbs, conn->id->port_num, &attr), "ibv_query_port"))
		return 0;
	return 128 << attr.active_mtu;
}

static bool run_datagrams(const struct env *env, void *arg, int word, int stop)
{
	struct remote to = { NULL };
	struct conn conn;
	uint32_t length, mtu;
	bool good;

	good = conn_open(&conn, RDMA_PS_UDP) &&
	       conn_resolve(&conn, env->server, *(uint16_t *)arg) &&
	       conn_create_qp(&conn, MAX_DATAGRAM + GRH_BYTES, 0) &&
	       conn_connect(&conn, NULL, 0) &&
	       remote_event(&conn, RDMA_CM_EVENT_ESTABLISHED, &to);
	mtu = good ? largest(&conn) : 0;
	for (length = 1; good && length < mtu; length = length * 3 + 1)
		good = echo_datagram(&conn, &to, length);
	good = good && echo_datagram(&conn, &to, mtu);
	if (to.ah)
		ibv_destroy_ah(to.ah);
	conn_close(&conn);
	return good;
}

void test_datagrams(const struct env *env)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_DATAGRAMS, &port);
	struct child client = child_start(env, NULL, run_datagrams, &port);

	CHECK(child_end(&client), "the client failed");
	CHECK(child_end(&server), "the server failed");
}

/* ---- to a group ---- */

/* Return: 0, or the error of joining */
static int join(struct conn *conn, const char *local, const char *group, unsigned int recvs,
		struct remote *to)
{
	struct sockaddr_storage from, at;

	if (!CHECK(address_of(local, 0, &from) && address_of(group, 0, &at), "no address") ||
	    !conn_open(conn, RDMA_PS_UDP) ||
	    !CHECK(!rdma_resolve_addr(conn->id, (struct sockaddr *)&from, (struct sockaddr *)&at,
				      2000), "rdma_resolve_addr: %s", strerror(errno)) ||
	    !conn_expect(conn, RDMA_CM_EVENT_ADDR_RESOLVED, NULL) ||
	    !conn_create_qp(conn, MAX_DATAGRAM + GRH_BYTES, recvs))
		return -1;
	if (rdma_join_multicast(conn->id, (struct sockaddr *)&at, NULL))
		return errno == KERNEL_ENOTSUPP ? errno :
		       CHECK(0, "rdma_join_multicast: %s", strerror(errno)) - 1;
	return remote_event(conn, RDMA_CM_EVENT_MULTICAST_JOIN, to) ? 0 : -1;
}

static bool leave(struct conn *conn, const char *group, struct remote *to)
{
	struct sockaddr_storage at;

	ibv_destroy_ah(to->ah);
	return address_of(group, 0, &at) &&
	       CHECK(!rdma_leave_multicast(conn->id, (struct sockaddr *)&at),
		     "rdma_leave_multicast: %s", strerror(errno));
}

static const char *group_of(const struct env *env)
{
	return strchr(env->server, ':') ? "ff05::4:791" : "239.4.7.91";
}

/* Gets what is sent while it is a member, and nothing that is sent later. */
static bool run_member(const struct env *env, void *arg, int word, int stop)
{
	struct remote to;
	struct ibv_wc wc;
	struct conn conn;
	char byte;
	int i, err = join(&conn, env->server, group_of(env), TO_GROUP * 2, &to);

	if (err) {
		child_tell(word, err);
		conn_close(&conn);
		return err > 0;
	}
	child_tell(word, 1);
	fill(&conn, LENGTH, 1);
	for (i = 0; i < TO_GROUP; i++)
		if (!CHECK(conn_wait(&conn, &wc), "datagram %d did not come", i) ||
		    !check_received(&conn, &wc, LENGTH, 0))
			return false;
	if (!leave(&conn, group_of(env), &to))
		return false;
	child_tell(word, 2);
	CHECK(!read(stop, &byte, 1), "pipe from the parent");
	CHECK(ibv_poll_cq(conn.cq, 1, &wc) == 0, "a datagram came after it left");
	conn_close(&conn);
	return true;
}

static bool run_sender(const struct env *env, void *arg, int word, int stop)
{
	struct remote to;
	struct ibv_wc wc;
	struct conn conn;
	int i;

	if (join(&conn, arg, group_of(env), 0, &to))
		return false;
	fill(&conn, LENGTH, 1);
	for (i = 0; i < TO_GROUP; i++)
		if (!CHECK(conn_send(&conn, LENGTH, to.ah, to.qpn, to.qkey), "ibv_post_send") ||
		    !CHECK(conn_wait(&conn, &wc), "no completion"))
			return false;
	leave(&conn, group_of(env), &to);
	conn_close(&conn);
	return true;
}

static void send_to_group(const struct env *env)
{
	struct child sender = child_start(env, NULL, run_sender, (void *)env->client);

	CHECK(child_end(&sender), "the sender failed");
}

/* Two members on one device: each gets its copy. */
void test_multicast(const struct env *env)
{
	struct child member[2];
	uint32_t word[2];
	int i;

	for (i = 0; i < 2; i++) {
		member[i] = child_start(env, env->server_ns, run_member, NULL);
		word[i] = child_word(&member[i]);
	}
	if (word[0] == KERNEL_ENOTSUPP) {
		tap_skip("the kernel's rdma_cm joins no IPv6 groups over RoCE v2");
	} else if (CHECK(word[0] == 1 && word[1] == 1, "a member did not join")) {
		send_to_group(env);
		for (i = 0; i < 2; i++)
			CHECK(child_word(&member[i]) == 2, "member %d did not get all", i);
		send_to_group(env);
		sleep_msec(QUIET_MSEC);
	}
	for (i = 0; i < 2; i++)
		CHECK(child_end(&member[i]), "member %d failed", i);
}

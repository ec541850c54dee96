// SPDX-License-Identifier: GPL-2.0
/*
 * Rounds of connect, transfer and disconnect, one after the other, with one side killed, and
 * many at once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "conn.h"
#include "server.h"
#include "tap.h"
#include "tests.h"

#define MESSAGES 4
#define SIZE 65536
#define SMALL 4096
/* The connection manager tries 16 times, 6.1 s each, before it gives a peer up. */
#define CM_MSEC 120000

static bool one_round(const struct env *env, uint16_t port)
{
	struct conn conn;
	bool good;
	int i;

	good = conn_dial(&conn, env->server, port, SIZE);
	for (i = 0; good && i < MESSAGES; i++)
		good = CHECK(conn_echo(&conn, 1 + rnd_below(SIZE)), "message %d", i);
	good = good && conn_disconnect(&conn);
	conn_close(&conn);
	return good;
}

static bool run_rounds(const struct env *env, void *arg, int word, int stop)
{
	unsigned int i;

	for (i = 0; i < env->rounds; i++)
		if (!CHECK(one_round(env, *(uint16_t *)arg), "in round %u", i))
			return false;
	return true;
}

void test_rounds(const struct env *env)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_ECHOES, &port);
	struct child client = child_start(env, NULL, run_rounds, &port);

	CHECK(child_end(&client), "the client failed");
	CHECK(child_end(&server), "the server failed");
}

/* ---- killed ---- */

/* Until it is killed, or its peer is: what fails here is no failure of the test. */
static bool run_endless(const struct env *env, void *arg, int word, int stop)
{
	struct conn conn;

	child_tell(word, 1);
	if (!conn_open(&conn, RDMA_PS_TCP) ||
	    !conn_resolve(&conn, env->server, *(uint16_t *)arg) ||
	    !conn_create_qp(&conn, SIZE, 0) || !conn_connect(&conn, NULL, 0))
		_exit(1);
	rdma_ack_cm_event(conn_event(&conn, CM_MSEC, -1) ?: (_exit(1), NULL));
	while (conn_echo(&conn, 1 + rnd_below(SIZE)))
		;
	rdma_disconnect(conn.id);
	conn_close(&conn);
	_exit(0);
}

/* Return: how long the survivor took to see it, msec; both are gone afterwards. */
static uint64_t kill_one(const struct env *env, unsigned int span_usec)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_OUTLIVES, &port);
	struct child client = child_start(env, NULL, run_endless, &port);
	uint64_t began;

	child_word(&client);
	usleep(rnd_below(span_usec));
	began = now_msec();
	if (rnd_below(2)) {
		child_kill(&client);
		close(server.stop);
		server.stop = -1;
		CHECK(child_wait(&server, CM_MSEC) == 0, "the server did not end well");
	} else {
		child_kill(&server);
		CHECK(child_wait(&client, CM_MSEC) <= 0, "the client did not end");
	}
	return now_msec() - began;
}

void test_killed(const struct env *env)
{
	/* A connection takes some 20 to 200 ms under emulation: before, during and after it. */
	static const unsigned int spans_usec[] = { 20000, 100000, 400000 };
	uint64_t msec, slowest = 0;
	unsigned int i;

	for (i = 0; i < env->rounds && !tap_failed(); i++) {
		msec = kill_one(env, spans_usec[i % 3]);
		if (msec > slowest)
			slowest = msec;
	}
	CHECK(i == env->rounds, "in round %u", i - 1);
	tap_note("the slowest survivor took %llu ms", (unsigned long long)slowest);
}

/* ---- many ---- */

struct caller {
	const struct env *env;
	uint16_t port;
	pthread_barrier_t *all;
	bool good;
};

/* All are connected before the first of them sends. */
static void *call(void *arg)
{
	struct caller *caller = arg;
	struct conn conn;

	caller->good = conn_dial(&conn, caller->env->server, caller->port, SMALL);
	pthread_barrier_wait(caller->all);
	caller->good = caller->good && conn_echo(&conn, SMALL) && conn_disconnect(&conn);
	conn_close(&conn);
	return NULL;
}

static bool run_threads(const struct env *env, void *arg, int word, int stop)
{
	struct caller *callers = calloc(env->clients, sizeof(*callers));
	pthread_t *threads = calloc(env->clients, sizeof(*threads));
	pthread_barrier_t all;
	unsigned int i, good = 0;

	pthread_barrier_init(&all, NULL, env->clients);
	for (i = 0; i < env->clients; i++) {
		callers[i] = (struct caller){ env, *(uint16_t *)arg, &all };
		if (!CHECK(!pthread_create(&threads[i], NULL, call, &callers[i]), "thread %u", i))
			return false;
	}
	for (i = 0; i < env->clients; i++) {
		pthread_join(threads[i], NULL);
		good += callers[i].good;
	}
	free(callers);
	free(threads);
	return CHECK(good == env->clients, "%u of %u connections were good", good, env->clients);
}

void test_threads(const struct env *env)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_ECHOES, &port);
	struct child client = child_start(env, NULL, run_threads, &port);

	CHECK(child_end(&client), "the clients failed");
	CHECK(child_end(&server), "the server failed");
}

/* Connects, says so, and goes on when it shall end. */
static bool run_process(const struct env *env, void *arg, int word, int stop)
{
	struct conn conn;
	bool good = conn_dial(&conn, env->server, *(uint16_t *)arg, SMALL);
	char byte;

	child_tell(word, good);
	if (read(stop, &byte, 1))
		good = false;
	good = good && conn_echo(&conn, SMALL) && conn_disconnect(&conn);
	conn_close(&conn);
	return good;
}

void test_processes(const struct env *env)
{
	uint16_t port;
	struct child server = server_start(env, SERVER_ECHOES, &port);
	struct child *clients = calloc(env->clients, sizeof(*clients));
	unsigned int i, connected = 0, good = 0;

	for (i = 0; i < env->clients; i++)
		clients[i] = child_start(env, NULL, run_process, &port);
	for (i = 0; i < env->clients; i++)
		connected += child_word(&clients[i]);
	/* All go on at once. */
	for (i = 0; i < env->clients; i++)
		close(clients[i].stop);
	for (i = 0; i < env->clients; i++) {
		clients[i].stop = -1;
		good += child_wait(&clients[i], CM_MSEC) == 0;
	}
	free(clients);
	CHECK(connected == env->clients, "%u of %u were connected", connected, env->clients);
	CHECK(good == env->clients, "%u of %u connections were good", good, env->clients);
	CHECK(child_end(&server), "the server failed");
}

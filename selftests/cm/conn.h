/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One connection: its identifier, queue pair and buffers, with a time limit on everything.
 */
#ifndef SORO_CM_CONN_H
#define SORO_CM_CONN_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

/* What a user may say at each step, over IP addresses; the kernel's header takes 36 bytes. */
#define REQ_MAX 56
#define REP_MAX 196
#define REJ_MAX 148

/* Longer than any wait for a peer that is alive. */
#define PATIENCE_MSEC 60000
#define GRH_BYTES 40

/**
 * struct conn - a connection, or a datagram QP
 * @channel: of the events of @id alone
 * @id: identifier
 * @comp, @cq, @mr: of its queue pair
 * @mem: first half to send from, second to receive into
 * @size: of a half
 * @gone: the peer has disconnected
 * @doomed: the peer may be killed before the connection is accepted. The core then forgets the
 *	request without an event: what follows fails, with EINVAL
 */
struct conn {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_comp_channel *comp;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *mem;
	uint32_t size;
	bool gone;
	bool doomed;
};

/** conn_open() - an identifier of its own channel; RDMA_PS_TCP or RDMA_PS_UDP */
bool conn_open(struct conn *conn, enum rdma_port_space ps);

/** conn_take() - the identifier of a connect request, moved to a channel of its own */
bool conn_take(struct conn *conn, struct rdma_cm_id *id);

/** conn_close() - all of it, from any state */
void conn_close(struct conn *conn);

/**
 * conn_event() - wait for the next event of the connection manager
 * Return: the event, to be acknowledged; NULL after @msec or when @fd (-1: none) can be read
 */
struct rdma_cm_event *conn_event(struct conn *conn, unsigned int msec, int fd);

/**
 * conn_expect() - wait for one event
 * @what: the event that is right
 * @status: its status is left there, NULL: it must be 0
 *
 * Return: whether it came; says which came instead
 */
bool conn_expect(struct conn *conn, enum rdma_cm_event_type what, int *status);

/**
 * conn_resolve() - address and route
 * Return: whether both are known
 */
bool conn_resolve(struct conn *conn, const char *address, uint16_t port);

/**
 * conn_went() - after something failed: is that since the peer has given up meanwhile?
 *
 * Waits some seconds for the event that says so, if there is one; leaves errno alone.
 */
bool conn_went(struct conn *conn);

/** conn_create_qp() - with buffers of @size bytes, and receives posted if @recvs */
bool conn_create_qp(struct conn *conn, uint32_t size, unsigned int recvs);

/** conn_connect() - ask the peer; what it answers is an event */
bool conn_connect(struct conn *conn, const void *data, uint8_t length);

/** conn_post_recv() - one receive into the second half */
bool conn_post_recv(struct conn *conn);

/** conn_wait() - next completion; Return: whether one came that is good, before the peer went */
bool conn_wait(struct conn *conn, struct ibv_wc *wc);

/** conn_send() - @length bytes of the first half, completed; @ah is NULL for a connection */
bool conn_send(struct conn *conn, uint32_t length, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey);

/** conn_echo() - send @length random bytes, and get each of them back inverted */
bool conn_echo(struct conn *conn, uint32_t length);

/** conn_disconnect() - and wait until it is */
bool conn_disconnect(struct conn *conn);

/** conn_dial() - conn_open to established, with a queue pair */
bool conn_dial(struct conn *conn, const char *address, uint16_t port, uint32_t size);

/** address_of() - numeric address and port as a socket address; Return: false if it is none */
bool address_of(const char *text, uint16_t port, struct sockaddr_storage *to);

#endif

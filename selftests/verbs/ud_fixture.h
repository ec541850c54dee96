/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UD queue pairs: two ends that know each other's address, datagrams between them
 * whose every byte is checked, and requests written into the ring by hand.
 */
#ifndef SORO_VERBS_UD_FIXTURE_H
#define SORO_VERBS_UD_FIXTURE_H

#include <rdma/rdma_user_rxe.h>

#include "op.h"

#define UD_GRH_BYTES	40
#define UD_QKEY		0x11223344u
#define UD_RING_SGE	32

/**
 * struct ud - two UD QPs
 * @pair: the ends; their peers are each other
 * @ah: of each end, leads to the other
 * @mtu: bytes of the longest datagram
 */
struct ud {
	struct pair pair;
	struct ibv_ah *ah[2];
	unsigned int mtu;
};

/**
 * struct ud_msg - a datagram to send and check
 * @len: bytes
 * @sge: SGEs of the sender; 0 is taken only with @len 0
 * @recv_sge: SGEs of the receive
 * @flags: IBV_SEND_ flags besides SIGNALED
 * @has_imm: with immediate data
 * @ah: address, NULL: the one of struct ud
 * @tclass: @label: what the network header must say
 */
struct ud_msg {
	size_t len;
	int sge, recv_sge;
	unsigned int flags;
	bool has_imm;
	struct ibv_ah *ah;
	uint8_t tclass;
	uint32_t label;
};

/** ud_end_open() - make one more end, in RTS with @qkey; Return: false after a failed check */
bool ud_end_open(struct end *end, struct env *env, int dev, const struct pair_opts *opts,
		 uint32_t qkey);

/** ud_end_create() - as ud_end_open(), but the QP stays in RESET */
bool ud_end_create(struct end *end, struct env *env, int dev, const struct pair_opts *opts);

/** ud_end_connect() - RESET to RTS; Return: 0 or errno */
int ud_end_connect(struct end *end, uint32_t qkey);

/** ud_end_close() - destroy whatever of the end exists */
void ud_end_close(struct end *end);

/** ud_open() - make two ends, in RTS with UD_QKEY; Return: false after a failed check */
bool ud_open(struct ud *ud, struct env *env, const struct pair_opts *opts);

/** ud_close() - destroy whatever exists */
void ud_close(struct ud *ud);

/** ud_mtu() - Return: bytes of the longest datagram, that of the smaller port */
unsigned int ud_mtu(const struct env *env);

/** ud_ah_attr() - Return: attributes of an address handle of @from that leads to @to */
struct ibv_ah_attr ud_ah_attr(const struct device *from, const struct device *to);

/** ud_ah() - an address handle of @from that leads to @to; NULL after a failed check */
struct ibv_ah *ud_ah(struct device *from, const struct device *to);

/** ud_ah_destroy() - destroy it, if there is one; checked */
void ud_ah_destroy(struct ibv_ah *ah);

/** ud_send() - send one datagram alone and check all of it; Return: whether all was right */
bool ud_send(struct ud *ud, int from, struct bufs *bufs, const struct ud_msg *msg);

/** ud_follow() - an empty datagram is sent and arrives; Return: whether all was right */
bool ud_follow(struct ud *ud, int from, const char *what);

/** ud_post_recv() - post a receive for a datagram of @len bytes into @buf; Return: 0 or errno */
int ud_post_recv(struct end *end, uint64_t wr_id, const struct buf *buf, unsigned int len);

/** ud_wr() - Return: an empty signalled SEND of @from to the other end */
struct ibv_send_wr ud_wr(const struct ud *ud, int from, uint64_t wr_id);

/** struct ud_ring - the send ring of a QP, as the process has mapped it */
struct ud_ring {
	struct ibv_qp *qp;
	struct rxe_queue_buf *queue;
};

/**
 * ud_ring_find() - find the send ring of @end
 * @ring: filled
 * @end: its QP has the largest slots of all that are open (UD_RING_SGE)
 *
 * Return: false after a failed check.
 */
bool ud_ring_find(struct ud_ring *ring, struct end *end);

/** ud_ring_wqe() - Return: the slot of the next request, empty; nobody else posts meanwhile */
struct rxe_send_wqe *ud_ring_wqe(struct ud_ring *ring);

/** ud_ring_post() - hand over what ud_ring_wqe() gave; Return: 0 or errno of the doorbell */
int ud_ring_post(struct ud_ring *ring);

/** ud_ring_ud_send() - fill a slot: an empty signalled SEND to @qpn; without an address */
void ud_ring_ud_send(struct rxe_send_wqe *wqe, uint64_t wr_id, uint32_t qpn);

/** ud_ring_av() - the address vector that an older provider makes of @attr */
void ud_ring_av(struct rxe_av *av, const struct ibv_ah_attr *attr, const union ibv_gid *sgid);

/** ud_counter() - Return: value of a counter of the device, -1 if it has none of that name */
long long ud_counter(const struct device *dev, const char *name);

/** ud_expect_counter() - a counter grows to @value, soon; true if the device has it not */
bool ud_expect_counter(const struct device *dev, const char *name, long long value);

#endif

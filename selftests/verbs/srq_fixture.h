/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared receive queues: creation, posts, events.
 */
#ifndef SORO_VERBS_SRQ_FIXTURE_H
#define SORO_VERBS_SRQ_FIXTURE_H

#include "op.h"

/** srq_open() - an SRQ of @dev for at least @wr receives; NULL after a failed check */
struct ibv_srq *srq_open(struct device *dev, unsigned int wr, unsigned int sge);

/** srq_close() - destroy it, if there is one; checked */
void srq_close(struct ibv_srq *srq);

/** srq_post() - post one receive; Return: 0 or errno */
int srq_post(struct ibv_srq *srq, uint64_t wr_id, struct ibv_sge *sge, int count);

/** srq_post_empty() - post @count receives without memory, their wr_id from @first on */
bool srq_post_empty(struct ibv_srq *srq, uint64_t first, unsigned int count);

/** srq_set_limit() - arm; Return: 0 or errno */
int srq_set_limit(struct ibv_srq *srq, uint32_t limit);

/** srq_resize() - ask for another size; Return: 0 or errno */
int srq_resize(struct ibv_srq *srq, uint32_t max_wr);

/** srq_expect_attr() - query, and check size (at least) and limit */
bool srq_expect_attr(struct ibv_srq *srq, uint32_t max_wr, uint32_t limit, const char *what);

/**
 * srq_event() - wait for an asynchronous event of an SRQ
 * @dev: its device
 * @srq: only its events count, others are acknowledged and dropped
 * @type: expected type
 * @msec: time to wait
 *
 * Return: whether it came.
 */
bool srq_event(struct device *dev, struct ibv_srq *srq, enum ibv_event_type type,
	       unsigned int msec);

/** srq_last_wqe_event() - Return: whether the QP of @end said that it takes no more of its SRQ */
bool srq_last_wqe_event(struct end *end, unsigned int msec);

/** struct srq_pair - a queue and a pair whose end 1 takes from it */
struct srq_pair {
	struct ibv_srq *srq;
	struct pair pair;
};

/** srq_pair_open() - both, with room for 15 receives; Return: false after a failed check */
bool srq_pair_open(struct srq_pair *shared, struct env *env, struct pair_opts *opts);

/** srq_pair_close() - destroy both */
void srq_pair_close(struct srq_pair *shared);

/** srq_post_send() - post a SEND of @sge, or of nothing, with wr_id 1 */
bool srq_post_send(struct end *end, struct ibv_sge *sge);

/**
 * srq_send_one() - send an empty message from end 0 and check what it took
 * @pair: end 1 takes its receives from an SRQ
 * @wr_id: of the receive that it has to take
 * @what: for messages
 *
 * Return: whether all was right.
 */
bool srq_send_one(struct pair *pair, uint64_t wr_id, const char *what);

#endif

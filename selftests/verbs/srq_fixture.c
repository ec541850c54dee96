// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues: creation, posts, events.
 */
#include <errno.h>
#include <string.h>

#include "srq_fixture.h"
#include "tap.h"

struct ibv_srq *srq_open(struct device *dev, unsigned int wr, unsigned int sge)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = wr, .max_sge = sge } };
	struct ibv_srq *srq = ibv_create_srq(dev->pd, &init);

	if (!CHECK(srq, "create SRQ (%u WRs, %u SGEs): %s", wr, sge, strerror(errno)))
		return NULL;
	if (CHECK(init.attr.max_wr >= wr && init.attr.max_sge >= sge, "granted %u WRs, %u SGEs",
		  init.attr.max_wr, init.attr.max_sge))
		return srq;
	srq_close(srq);
	return NULL;
}

void srq_close(struct ibv_srq *srq)
{
	int err = srq ? ibv_destroy_srq(srq) : 0;

	CHECK(!err, "ibv_destroy_srq: %s", strerror(err));
}

int srq_post(struct ibv_srq *srq, uint64_t wr_id, struct ibv_sge *sge, int count)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = count }, *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

bool srq_post_empty(struct ibv_srq *srq, uint64_t first, unsigned int count)
{
	int err = 0;

	while (count-- && !err)
		err = srq_post(srq, first++, NULL, 0);
	return CHECK(!err, "post_srq_recv: %s", strerror(err));
}

int srq_set_limit(struct ibv_srq *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

int srq_resize(struct ibv_srq *srq, uint32_t max_wr)
{
	struct ibv_srq_attr attr = { .max_wr = max_wr };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
}

bool srq_expect_attr(struct ibv_srq *srq, uint32_t max_wr, uint32_t limit, const char *what)
{
	struct ibv_srq_attr attr;
	int err = ibv_query_srq(srq, &attr);

	return CHECK(!err, "%s: ibv_query_srq: %s", what, strerror(err)) &&
	       CHECK(attr.max_wr >= max_wr && attr.srq_limit == limit,
		     "%s: %u WRs and limit %u, not %u and %u", what, attr.max_wr, attr.srq_limit,
		     max_wr, limit);
}

bool srq_event(struct device *dev, struct ibv_srq *srq, enum ibv_event_type type,
	       unsigned int msec)
{
	return device_event(dev, srq, type, msec);
}

bool srq_last_wqe_event(struct end *end, unsigned int msec)
{
	return device_event(end->dev, end->qp, IBV_EVENT_QP_LAST_WQE_REACHED, msec);
}

bool srq_pair_open(struct srq_pair *shared, struct env *env, struct pair_opts *opts)
{
	memset(shared, 0, sizeof(*shared));
	device_drain_events(&env->dev[1]);
	shared->srq = srq_open(&env->dev[1], 15, 4);
	opts->srq = shared->srq;
	if (shared->srq && pair_open(&shared->pair, env, opts))
		return true;
	srq_close(shared->srq);
	return false;
}

void srq_pair_close(struct srq_pair *shared)
{
	pair_close(&shared->pair);
	srq_close(shared->srq);
}

bool srq_post_send(struct end *end, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .sg_list = sge, .num_sge = !!sge,
		.send_flags = IBV_SEND_SIGNALED,
	};

	return CHECK(!end_post_send(end, &wr), "post_send");
}

bool srq_send_one(struct pair *pair, uint64_t wr_id, const char *what)
{
	return srq_post_send(&pair->end[0], NULL) &&
	       end_expect_status(&pair->end[0], false, 1, IBV_WC_SUCCESS, what) &&
	       end_expect_status(&pair->end[1], true, wr_id, IBV_WC_SUCCESS, what);
}

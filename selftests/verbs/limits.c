// SPDX-License-Identifier: GPL-2.0
/*
 * Limits: what is granted can be used, what is more than a limit is refused
 * where it is asked for.
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

static void test_attributes(struct env *env, long arg)
{
	const struct ibv_device_attr *a = &env->dev[0].attr;
	const struct ibv_port_attr *p = &env->dev[0].port;

	(void)arg;
	CHECK(a->sys_image_guid && a->node_guid, "GUIDs are zero");
	CHECK(a->max_qp > 0 && a->max_qp_wr > 0 && a->max_sge > 0 && a->max_cq > 0 &&
	      a->max_cqe > 0 && a->max_mr > 0 && a->max_pd > 0, "a limit is not positive");
	CHECK(a->max_mr_size >= 1ULL << 31, "max_mr_size is %llu",
	      (unsigned long long)a->max_mr_size);
	CHECK(a->max_qp_rd_atom > 0 && a->max_qp_init_rd_atom > 0, "no READs allowed");
	CHECK(a->phys_port_cnt == 1, "%u ports", a->phys_port_cnt);
	CHECK(p->state == IBV_PORT_ACTIVE, "port state %d", p->state);
	CHECK(p->link_layer == IBV_LINK_LAYER_ETHERNET, "link layer %d", p->link_layer);
	CHECK(p->max_mtu == IBV_MTU_4096, "max_mtu %d", p->max_mtu);
	CHECK(p->active_mtu >= IBV_MTU_256 && p->active_mtu <= p->max_mtu, "active_mtu %d",
	      p->active_mtu);
	/* IBA 9.4: a message may have 2^31 bytes. */
	CHECK(p->max_msg_sz == 1u << 31, "max_msg_sz %u", p->max_msg_sz);
	CHECK(p->pkey_tbl_len >= 1 && p->gid_tbl_len >= 1, "empty tables");
}

struct qp_limit {
	struct ibv_qp_cap cap;
	const char *what;
};

static void test_qp_limits(struct env *env, long arg)
{
	const struct ibv_device_attr *a = &env->dev[0].attr;
	const uint32_t wr = a->max_qp_wr, sge = a->max_sge;
	const struct qp_limit over[] = {
		{ { .max_send_wr = wr + 1, 1, 1, 1, 0 }, "max_send_wr" },
		{ { 1, .max_recv_wr = wr + 1, 1, 1, 0 }, "max_recv_wr" },
		{ { 1, 1, .max_send_sge = sge + 1, 1, 0 }, "max_send_sge" },
		{ { 1, 1, 1, .max_recv_sge = sge + 1, 0 }, "max_recv_sge" },
		{ { 1, 1, 1, 1, .max_inline_data = 1 << 20 }, "max_inline_data" },
		{ { ~0u, 1, 1, 1, 0 }, "max_send_wr of 2^32 - 1" },
		{ { 1, ~0u, 1, 1, 0 }, "max_recv_wr of 2^32 - 1" },
		{ { 1, 1, ~0u, 1, 0 }, "max_send_sge of 2^32 - 1" },
		{ { 1, 1, 1, 1, ~0u }, "max_inline_data of 2^32 - 1" },
	};
	struct ibv_cq *cq = ibv_create_cq(env->dev[0].ctx, 10, NULL, NULL, 0);
	struct ibv_qp *qp;
	unsigned int i;

	(void)arg;
	if (!CHECK(cq, "ibv_create_cq: %s", strerror(errno)))
		return;
	for (i = 0; i < sizeof(over) / sizeof(over[0]); i++) {
		struct ibv_qp_init_attr attr = {
			.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = over[i].cap,
		};

		errno = 0;
		qp = ibv_create_qp(env->dev[0].pd, &attr);
		if (!CHECK(!qp, "a QP over the limit of %s was created", over[i].what))
			ibv_destroy_qp(qp);
		else
			CHECK(errno == EINVAL || errno == ENOMEM, "%s: errno %d", over[i].what,
			      errno);
	}
	CHECK(ibv_destroy_cq(cq) == 0, "ibv_destroy_cq");
}

static void test_qp_type(struct env *env, long arg)
{
	struct ibv_cq *cq = ibv_create_cq(env->dev[0].ctx, 10, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = 99,
		.cap = { 1, 1, 1, 1, 0 },
	};
	struct ibv_qp *qp;

	(void)arg;
	if (!CHECK(cq, "ibv_create_cq: %s", strerror(errno)))
		return;
	qp = ibv_create_qp(env->dev[0].pd, &attr);
	if (!CHECK(!qp, "a QP of type 99 was created"))
		ibv_destroy_qp(qp);
	CHECK(ibv_destroy_cq(cq) == 0, "ibv_destroy_cq");
}

static void test_cq_limits(struct env *env, long arg)
{
	int over[] = { env->dev[0].attr.max_cqe + 1, 0, -1 };
	struct ibv_cq *cq;
	unsigned int i;

	(void)arg;
	for (i = 0; i < 3; i++) {
		cq = ibv_create_cq(env->dev[0].ctx, over[i], NULL, NULL, 0);
		if (!CHECK(!cq, "a CQ of %d entries was created", over[i]))
			ibv_destroy_cq(cq);
	}
	cq = ibv_create_cq(env->dev[0].ctx, 1, NULL, NULL, 0);
	if (CHECK(cq, "a CQ of one entry: %s", strerror(errno))) {
		CHECK(cq->cqe >= 1, "granted %d entries", cq->cqe);
		CHECK(!ibv_destroy_cq(cq), "ibv_destroy_cq");
	}
	cq = ibv_create_cq(env->dev[0].ctx, 10, NULL, NULL, 64);
	if (!CHECK(!cq, "a CQ on completion vector 64 was created"))
		ibv_destroy_cq(cq);
}

/* A CQ in use cannot be destroyed. */
static void test_busy_cq(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;

	(void)arg;
	if (!pair_create(&pair, env, &opts))
		return;
	CHECK(ibv_destroy_cq(pair.end[0].scq) == EBUSY, "a CQ in use was destroyed");
	pair_close(&pair);
}

/* Each granted entry can be used, and a full queue says ENOMEM. */
static void test_granted_depth(struct env *env, long depth)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct pair pair;
	unsigned int i;
	int err = 0;

	opts.send_wr = opts.recv_wr = depth;
	if (!pair_open(&pair, env, &opts))
		return;
	for (i = 0; i < pair.end[0].cap.max_recv_wr && !err; i++)
		err = end_post_recv(&pair.end[0], i, NULL, 0);
	CHECK(!err, "receive %u of %u granted: %s", i, pair.end[0].cap.max_recv_wr, strerror(err));
	for (; i < 2 * pair.end[0].cap.max_recv_wr + 2 && !err; i++)
		err = end_post_recv(&pair.end[0], i, NULL, 0);
	CHECK(err == ENOMEM, "a full receive queue gives %d", err);
	/* No receive at the peer: the first send waits, and the others behind it. */
	for (i = 0, err = 0; i < pair.end[0].cap.max_send_wr && !err; i++)
		err = end_post_send(&pair.end[0], &wr);
	CHECK(!err, "send %u of %u granted: %s", i, pair.end[0].cap.max_send_wr, strerror(err));
	for (; i < 2 * pair.end[0].cap.max_send_wr + 2 && !err; i++)
		err = end_post_send(&pair.end[0], &wr);
	CHECK(err == ENOMEM, "a full send queue gives %d", err);
	pair_close(&pair);
}

static void test_too_many_sge(struct env *env, long wr_api)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_sge sge[MAX_SGE * 2 + 2] = { { 0 } };
	struct ibv_send_wr wr = { .sg_list = sge, .opcode = IBV_WR_SEND };
	struct pair pair;

	opts.sge = 2;
	opts.wr_api = wr_api;
	if (!pair_open(&pair, env, &opts))
		return;
	wr.num_sge = pair.end[0].cap.max_send_sge + 1;
	if (wr.num_sge <= MAX_SGE * 2 + 2)
		CHECK(end_post_send(&pair.end[0], &wr) > 0, "a send with %d SGEs was taken",
		      wr.num_sge);
	if (pair.end[0].cap.max_recv_sge + 1 <= MAX_SGE * 2 + 2)
		CHECK(end_post_recv(&pair.end[0], 1, sge, pair.end[0].cap.max_recv_sge + 1) > 0,
		      "a receive with too many SGEs was taken");
	end_expect_none(&pair.end[0], "at the end");
	pair_close(&pair);
}

/* IBA 11.6.2, local length error: longer than the port's largest message. */
static void test_too_long(struct env *env, long op)
{
	struct pair_opts opts = pair_defaults(env);
	unsigned int count = pair_max_sge(env);
	/* All entries name the same bytes, so that the message is long and the memory is not. */
	size_t part = env->dev[0].port.max_msg_sz / count + 4096;
	struct ibv_sge sge[MAX_SGE];
	struct buf buf = { 0 };
	struct pair pair;
	unsigned int i;

	if (part > 160u << 20) {
		tap_skip("too few SGEs to make so long a message");
		return;
	}
	opts.sge = count;
	if (buf_open(&buf, env->dev[0].pd, part, IBV_ACCESS_LOCAL_WRITE) &&
	    pair_open(&pair, env, &opts)) {
		struct ibv_send_wr wr = {
			.wr_id = 1, .sg_list = sge, .num_sge = count, .opcode = op_desc(op)->wr,
			.send_flags = IBV_SEND_SIGNALED,
		};

		for (i = 0; i < count; i++)
			sge[i] = (struct ibv_sge) { (uintptr_t)buf.mem, part, buf.mr->lkey };
		CHECK(!end_post_recv(&pair.end[1], 2, NULL, 0), "post_recv");
		if (CHECK(!end_post_send(&pair.end[0], &wr), "post_send"))
			end_expect_status(&pair.end[0], false, 1, IBV_WC_LOC_LEN_ERR,
					  "a message over max_msg_sz");
		end_wait_state(&pair.end[0], IBV_QPS_ERR, "requester");
		CHECK(end_state(&pair.end[1]) == IBV_QPS_RTS, "responder left RTS");
		end_expect_none(&pair.end[1], "responder");
		pair_close(&pair);
	}
	buf_close(&buf);
}

/* IBA 11.6.2, local QP operation error: refused when posted or completed with it. */
static void test_opcode(struct env *env, long opcode)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
	};
	struct pair pair;

	if (!pair_open(&pair, env, &opts))
		return;
	if (!end_post_send(&pair.end[0], &wr)) {
		end_expect_status(&pair.end[0], false, 1, IBV_WC_LOC_QP_OP_ERR, "unknown opcode");
		end_wait_state(&pair.end[0], IBV_QPS_ERR, "requester");
	}
	CHECK(end_state(&pair.end[1]) == IBV_QPS_RTS, "responder left RTS");
	pair_close(&pair);
}

const struct test limit_tests[] = {
	{ "limits/attributes", test_attributes, 0, 0 },
	{ "limits/qp", test_qp_limits, 0, 0 },
	{ "limits/qp-type", test_qp_type, 0, 0 },
	{ "limits/cq", test_cq_limits, 0, 0 },
	{ "limits/busy-cq", test_busy_cq, 0, 0 },
	{ "limits/granted-depth-1", test_granted_depth, 1, 0 },
	{ "limits/granted-depth-30", test_granted_depth, 30, 0 },
	{ "limits/too-many-sges", test_too_many_sge, 0, 0 },
	{ "limits/too-many-sges-wr-api", test_too_many_sge, 1, 0 },
	{ "limits/message-too-long-send", test_too_long, OP_SEND, 0 },
	{ "limits/message-too-long-write", test_too_long, OP_WRITE, 0 },
	{ "limits/message-too-long-read", test_too_long, OP_READ, 0 },
	{ "limits/opcode-tso", test_opcode, IBV_WR_TSO, 0 },
	{ "limits/opcode-31", test_opcode, 31, 0 },
	{ "limits/opcode-kernel-only", test_opcode, 32, 0 },	/* IB_WR_REG_MR */
	{ "limits/opcode-255", test_opcode, 255, 0 },
	{ }
};

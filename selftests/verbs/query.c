// SPDX-License-Identifier: GPL-2.0
/*
 * What queries say: the attributes of a QP as they are now, in each state; limits and
 * capabilities of the device that hold when they are tried.
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define ALL_ATTRS ((IBV_QP_DEST_QPN << 1) - 1)
#define PSN_MASK 0xffffffu

static bool query(struct end *end, struct ibv_qp_attr *attr)
{
	struct ibv_qp_init_attr init;

	memset(attr, 0xee, sizeof(*attr));
	return CHECK(!ibv_query_qp(end->qp, attr, ALL_ATTRS, &init), "ibv_query_qp");
}

#define EQUAL(field, value, what)						\
	CHECK((attr.field) == (value), "%s: " #field " is %lld, not %lld", what,	\
	      (long long)attr.field, (long long)(value))

/* PSNs are those of the next packet to be sent and to be received. */
static void test_psn(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr;
	struct pair pair;
	unsigned int i;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	for (i = 1; i <= 110 && !tap_failed(); i++) {
		/* A message of no bytes is one packet. */
		end_follow(&pair.end[0], "message");
		if (i % 10 || !query(&pair.end[0], &attr))
			continue;
		EQUAL(sq_psn, (pair.end[0].psn + i) & PSN_MASK, "sender");
		EQUAL(rq_psn, pair.end[1].psn, "sender");
		if (query(&pair.end[1], &attr)) {
			EQUAL(sq_psn, pair.end[1].psn, "receiver");
			EQUAL(rq_psn, (pair.end[0].psn + i) & PSN_MASK, "receiver");
		}
	}
	pair_close(&pair);
}

static void expect_nothing(struct end *end, enum ibv_qp_state state, const char *what)
{
	struct ibv_qp_attr attr;

	if (!query(end, &attr))
		return;
	EQUAL(qp_state, state, what);
	EQUAL(rq_psn, 0, what);
	EQUAL(sq_psn, 0, what);
	EQUAL(dest_qp_num, 0, what);
	EQUAL(timeout, 0, what);
	EQUAL(retry_cnt, 0, what);
	EQUAL(rnr_retry, 0, what);
	EQUAL(min_rnr_timer, 0, what);
	EQUAL(max_rd_atomic, 0, what);
	EQUAL(max_dest_rd_atomic, 0, what);
	EQUAL(sq_draining, 0, what);
	EQUAL(cap.max_send_wr, end->cap.max_send_wr, what);
	EQUAL(cap.max_recv_wr, end->cap.max_recv_wr, what);
}

/* An error changes the state alone; RESET forgets the connection. */
static void test_end(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr;
	struct pair pair;
	struct end *end = &pair.end[0];

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	end_follow(end, "message");
	CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR");
	if (query(end, &attr)) {
		EQUAL(qp_state, IBV_QPS_ERR, "in ERR");
		EQUAL(dest_qp_num, end->peer->qp->qp_num, "in ERR");
		EQUAL(timeout, opts.timeout, "in ERR");
		EQUAL(retry_cnt, opts.retry_cnt, "in ERR");
		EQUAL(path_mtu, opts.pmtu, "in ERR");
		EQUAL(sq_psn, (end->psn + 1) & PSN_MASK, "in ERR");
		EQUAL(rq_psn, end->peer->psn, "in ERR");
	}
	CHECK(!end_to_state(end, IBV_QPS_RESET), "to RESET");
	expect_nothing(end, IBV_QPS_RESET, "in RESET");
	CHECK(!end_to_init(end, &opts, opts.access[0]), "to INIT");
	expect_nothing(end, IBV_QPS_INIT, "in INIT");
	CHECK(!end_to_state(end, IBV_QPS_ERR), "INIT to ERR");
	expect_nothing(end, IBV_QPS_ERR, "from INIT to ERR");
	pair_close(&pair);
}

static void test_ud(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct end *end;
	struct ud ud;

	(void)arg;
	if (env->lossy) {
		tap_skip("datagrams are lost here");
		return;
	}
	if (!ud_open(&ud, env, &opts))
		return;
	end = &ud.pair.end[0];
	if (CHECK(!ibv_query_qp(end->qp, &attr, ALL_ATTRS, &init), "ibv_query_qp")) {
		uint32_t psn = attr.sq_psn;

		CHECK(init.qp_type == IBV_QPT_UD && init.send_cq == end->scq &&
		      init.recv_cq == end->rcq && !init.srq, "initial attributes");
		EQUAL(qkey, UD_QKEY, "UD");
		EQUAL(port_num, PORT_NUM, "UD");
		EQUAL(qp_state, IBV_QPS_RTS, "UD");
		ud_follow(&ud, 0, "datagram");
		if (query(end, &attr))
			EQUAL(sq_psn, (psn + 1) & PSN_MASK, "UD");
	}
	ud_close(&ud);
}

/* What a limit of zero says that there is not, cannot be made; what is there, can. */
static void test_objects(struct env *env, long arg)
{
	const struct device *dev = &env->dev[0];
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(dev->pd, &srq_attr);
	struct ibv_mw *mw = ibv_alloc_mw(dev->pd, IBV_MW_TYPE_1);

	(void)arg;
	CHECK(!srq == !dev->attr.max_srq, "max_srq is %d, an SRQ was %smade", dev->attr.max_srq,
	      srq ? "" : "not ");
	CHECK(!mw == !dev->attr.max_mw, "max_mw is %d, a window was %smade", dev->attr.max_mw,
	      mw ? "" : "not ");
	if (srq)
		CHECK(!ibv_destroy_srq(srq), "ibv_destroy_srq");
	if (mw)
		CHECK(!ibv_dealloc_mw(mw), "ibv_dealloc_mw");
}

/* Tables end where the port says. */
static void test_tables(struct env *env, long arg)
{
	const struct device *dev = &env->dev[0];
	struct ibv_port_attr port;
	union ibv_gid gid;
	__be16 pkey;

	(void)arg;
	CHECK(dev->attr.max_pkeys == dev->port.pkey_tbl_len, "max_pkeys %u, table of %u",
	      dev->attr.max_pkeys, dev->port.pkey_tbl_len);
	CHECK(!ibv_query_pkey(dev->ctx, PORT_NUM, 0, &pkey) && pkey == 0xffff, "P_Key 0");
	CHECK(ibv_query_pkey(dev->ctx, PORT_NUM, dev->port.pkey_tbl_len, &pkey),
	      "a P_Key behind the table");
	CHECK(!ibv_query_gid(dev->ctx, PORT_NUM, dev->gid_index, &gid) &&
	      !memcmp(&gid, &dev->gid, sizeof(gid)), "own GID");
	CHECK(ibv_query_gid(dev->ctx, PORT_NUM, dev->port.gid_tbl_len, &gid),
	      "a GID behind the table");
	CHECK(ibv_query_port(dev->ctx, 0, &port) == EINVAL, "port 0");
	CHECK(ibv_query_port(dev->ctx, PORT_NUM + 1, &port) == EINVAL, "port 2");
}

/* A flag that says what soro has not would be a lie; these are for hardware alone. */
static void test_flags(struct env *env, long arg)
{
	const struct ibv_device_attr *a = &env->dev[0].attr;
	const unsigned int never = IBV_DEVICE_RESIZE_MAX_WR | IBV_DEVICE_RAW_MULTI |
		IBV_DEVICE_AUTO_PATH_MIG | IBV_DEVICE_INIT_TYPE | IBV_DEVICE_SHUTDOWN_PORT |
		IBV_DEVICE_N_NOTIFY_CQ | IBV_DEVICE_UD_IP_CSUM | IBV_DEVICE_XRC |
		IBV_DEVICE_RC_IP_CSUM | IBV_DEVICE_RAW_IP_CSUM | IBV_DEVICE_MANAGED_FLOW_STEERING;

	(void)arg;
	CHECK(!(a->device_cap_flags & never), "device_cap_flags is 0x%x", a->device_cap_flags);
	CHECK(a->device_cap_flags & IBV_DEVICE_PORT_ACTIVE_EVENT &&
	      a->device_cap_flags & IBV_DEVICE_RC_RNR_NAK_GEN &&
	      a->device_cap_flags & IBV_DEVICE_BAD_PKEY_CNTR &&
	      a->device_cap_flags & IBV_DEVICE_BAD_QKEY_CNTR &&
	      a->device_cap_flags & IBV_DEVICE_CURR_QP_STATE_MOD, "device_cap_flags is 0x%x",
	      a->device_cap_flags);
	CHECK(a->atomic_cap == IBV_ATOMIC_GLOB, "atomic_cap is %d", a->atomic_cap);
	CHECK(a->max_res_rd_atom >= a->max_qp_rd_atom, "max_res_rd_atom is %d",
	      a->max_res_rd_atom);
	CHECK(!a->max_ee && !a->max_rdd && !a->max_raw_ipv6_qp && !a->max_raw_ethy_qp &&
	      !a->max_fmr, "a limit of what there is not");
}

const struct test query_tests[] = {
	{ "query/psn", test_psn, 0, 0 },
	{ "query/end", test_end, 0, 0 },
	{ "query/ud", test_ud, 0, 0 },
	{ "query/objects", test_objects, 0, 0 },
	{ "query/tables", test_tables, 0, 0 },
	{ "query/flags", test_flags, 0, 0 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong with datagrams. A send request that cannot be sent completes in error
 * and stops the send queue, SQE, from which the QP is brought back to RTS; a receive that
 * cannot take its datagram completes in error and puts the QP in error (IBA 10.3.1,
 * 11.6.2); nothing that the network brings is answered.
 */
#include <errno.h>
#include <string.h>

#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define COUNT 8
#define TX_BYTES (1 << 20)

struct errors {
	struct ud ud;
	struct buf tx, rx;
	struct ibv_pd *other_pd;
};

static void errors_close(struct errors *e)
{
	ud_close(&e->ud);
	buf_close(&e->tx);
	buf_close(&e->rx);
	if (e->other_pd)
		CHECK(!ibv_dealloc_pd(e->other_pd), "ibv_dealloc_pd");
}

static bool errors_open(struct errors *e, struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	memset(e, 0, sizeof(*e));
	if (buf_open(&e->tx, env->dev[0].pd, TX_BYTES, 0) &&
	    buf_open(&e->rx, env->dev[1].pd, 8192, IBV_ACCESS_LOCAL_WRITE) &&
	    ud_open(&e->ud, env, &opts))
		return true;
	errors_close(e);
	return false;
}

static struct ibv_sge sge_of(const struct buf *buf, size_t offset, unsigned int len)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)buf->mem + offset, .length = len, .lkey = buf->mr->lkey,
	};
}

static int post_sges(struct errors *e, uint64_t wr_id, struct ibv_sge *sge, int n,
		     unsigned int flags)
{
	struct ibv_send_wr wr = ud_wr(&e->ud, 0, wr_id);

	wr.sg_list = sge;
	wr.num_sge = n;
	wr.send_flags = flags;
	return end_post_send(&e->ud.pair.end[0], &wr);
}

static int post_len(struct errors *e, uint64_t wr_id, unsigned int len, unsigned int flags)
{
	struct ibv_sge sge = sge_of(&e->tx, 0, len);

	return post_sges(e, wr_id, &sge, 1, flags);
}

/*
 * After a fault of the sender its queue is flushed, and what is posted then too; receiving
 * goes on; RTS mends it.
 */
static void check_stopped(struct errors *e, const char *what)
{
	struct end *end = &e->ud.pair.end[0];

	if (!end_wait_state(end, IBV_QPS_SQE, what))
		return;
	CHECK(!post_len(e, 40, 4, 0), "%s: post in SQE", what);
	end_expect_status(end, false, 40, IBV_WC_WR_FLUSH_ERR, "posted in SQE");
	ud_follow(&e->ud, 1, "received in SQE");
	CHECK(end_state(end) == IBV_QPS_SQE, "%s: state is %d", what, end_state(end));
	CHECK(!end_to_state(end, IBV_QPS_RTS), "%s: SQE to RTS", what);
	ud_follow(&e->ud, 0, "in RTS again");
	ud_follow(&e->ud, 1, "in RTS again");
}

/* @beyond: bytes more than the path MTU. Not signalled: errors always complete. */
static void test_too_long(struct env *env, long beyond)
{
	struct errors e;
	unsigned int len;

	if (!errors_open(&e, env))
		return;
	len = e.ud.mtu + beyond;
	CHECK(!ud_post_recv(&e.ud.pair.end[1], 9, &e.rx, 4096 + 4), "post_recv");
	CHECK(!post_len(&e, 1, len, 0), "post_send");
	CHECK(!post_len(&e, 2, 4, 0), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 1, IBV_WC_LOC_LEN_ERR, "too long");
	end_expect_status(&e.ud.pair.end[0], false, 2, IBV_WC_WR_FLUSH_ERR, "behind it");
	end_expect_none(&e.ud.pair.end[1], "receiver");
	buf_check(&e.rx, "receive buffer");
	CHECK(!end_to_state(&e.ud.pair.end[1], IBV_QPS_ERR), "to ERR");
	end_expect_status(&e.ud.pair.end[1], true, 9, IBV_WC_WR_FLUSH_ERR, "receive");
	CHECK(!end_to_state(&e.ud.pair.end[1], IBV_QPS_RESET), "to RESET");
	CHECK(!ud_end_connect(&e.ud.pair.end[1], UD_QKEY), "to RTS");
	check_stopped(&e, "too long");
	errors_close(&e);
}

/* No SGE is too long alone, and the sum of them may not wrap. */
static void test_too_long_sum(struct env *env, long arg)
{
	struct ibv_sge sge[3];
	struct errors e;

	(void)arg;
	if (!errors_open(&e, env))
		return;
	sge[0] = sge_of(&e.tx, 0, e.ud.mtu / 2);
	sge[1] = sge_of(&e.tx, 0, e.ud.mtu / 2 + 1);
	CHECK(!post_sges(&e, 1, sge, 2, 0), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 1, IBV_WC_LOC_LEN_ERR, "sum of two");
	check_stopped(&e, "sum of two");
	sge[0].length = sge[1].length = 0x80000000;
	CHECK(!post_sges(&e, 2, sge, 2, 0), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 2, IBV_WC_LOC_LEN_ERR, "sum of 2^32");
	check_stopped(&e, "sum of 2^32");
	errors_close(&e);
}

enum memory_fault { KEY_WRONG, KEY_FREED, KEY_OTHER_PD, BELOW, ABOVE, SECOND_SGE, READ_ONLY };

static void test_send_memory(struct env *env, long fault)
{
	struct ibv_sge sge[2];
	struct errors e;
	struct buf other = { 0 };

	if (!errors_open(&e, env))
		return;
	e.other_pd = ibv_alloc_pd(env->dev[0].ctx);
	CHECK(e.other_pd, "ibv_alloc_pd");
	sge[0] = sge[1] = sge_of(&e.tx, 0, 100);
	switch (fault) {
	case KEY_WRONG:
		sge[0].lkey ^= 0x5a00;
		break;
	case KEY_OTHER_PD:
		if (buf_open(&other, e.other_pd, 4096, 0))
			sge[0].lkey = other.mr->lkey, sge[0].addr = (uintptr_t)other.mem;
		break;
	case KEY_FREED:
		if (buf_open(&other, env->dev[0].pd, 4096, 0)) {
			sge[0] = sge_of(&other, 0, 100);
			buf_dereg(&other);
		}
		break;
	case BELOW:
		sge[0].addr--;
		break;
	case ABOVE:
		sge[0].addr += TX_BYTES - 99;
		break;
	default:
		sge[1].lkey ^= 0x5a00;
	}
	CHECK(!post_sges(&e, 1, sge, 2, 0), "post_send");
	CHECK(!post_len(&e, 2, 4, 0), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 1, IBV_WC_LOC_PROT_ERR, "fault");
	end_expect_status(&e.ud.pair.end[0], false, 2, IBV_WC_WR_FLUSH_ERR, "behind it");
	check_stopped(&e, "fault");
	buf_close(&other);
	errors_close(&e);
}

/* ---- operations that UD has not ---- */

static void test_operation(struct env *env, long opcode)
{
	struct errors e;
	struct ibv_sge sge;
	struct ibv_send_wr wr;

	if (!errors_open(&e, env))
		return;
	sge = sge_of(&e.tx, 0, 8);
	wr = ud_wr(&e.ud, 0, 1);
	wr.opcode = opcode;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	CHECK(!end_post_send(&e.ud.pair.end[0], &wr), "post_send");
	CHECK(!post_len(&e, 2, 4, 0), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 1, IBV_WC_LOC_QP_OP_ERR, "operation");
	end_expect_status(&e.ud.pair.end[0], false, 2, IBV_WC_WR_FLUSH_ERR, "behind it");
	check_stopped(&e, "operation");
	errors_close(&e);
}

/* Those that the provider does not let through: written into the ring. */
static void test_ring_operation(struct env *env, long opcode)
{
	struct pair_opts opts = pair_defaults(env);
	struct rxe_send_wqe *wqe;
	struct ud_ring ring;
	struct end end;

	opts.sge = UD_RING_SGE;
	if (!ud_end_open(&end, env, 0, &opts, UD_QKEY))
		return;
	if (ud_ring_find(&ring, &end)) {
		wqe = ud_ring_wqe(&ring);
		ud_ring_ud_send(wqe, 1, end.qp->qp_num);
		wqe->wr.opcode = opcode;
		CHECK(!ud_ring_post(&ring), "doorbell: %s", strerror(errno));
		end_expect_status(&end, false, 1, IBV_WC_LOC_QP_OP_ERR, "operation");
		end_wait_state(&end, IBV_QPS_SQE, "operation");
	}
	ud_end_close(&end);
}

/* ---- the receiver ---- */

/*
 * @less: bytes that the receive has less than the datagram of 100 with its 40 before. The
 * receive completes with a length error and the QP goes to the error state.
 */
static void test_recv_small(struct env *env, long less)
{
	struct errors e;
	struct end *to;
	struct ibv_sge sge;

	if (!errors_open(&e, env))
		return;
	to = &e.ud.pair.end[1];
	sge = sge_of(&e.rx, 0, UD_GRH_BYTES + 100 - less);
	CHECK(!end_post_recv(to, 1, &sge, sge.length ? 1 : 0), "post_recv");
	CHECK(!ud_post_recv(to, 2, &e.rx, 1000), "post_recv");
	CHECK(!post_len(&e, 5, 100, IBV_SEND_SIGNALED), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 5, IBV_WC_SUCCESS, "send");
	end_expect_status(to, true, 1, IBV_WC_LOC_LEN_ERR, "too small");
	end_expect_status(to, true, 2, IBV_WC_WR_FLUSH_ERR, "behind it");
	end_wait_state(to, IBV_QPS_ERR, "too small");
	buf_check(&e.rx, "nothing is written");
	errors_close(&e);
}

static void test_recv_memory(struct env *env, long fault)
{
	struct errors e;
	struct buf other = { 0 };
	struct ibv_sge sge;
	struct end *to;

	if (!errors_open(&e, env))
		return;
	to = &e.ud.pair.end[1];
	e.other_pd = ibv_alloc_pd(env->dev[1].ctx);
	CHECK(e.other_pd, "ibv_alloc_pd");
	sge = sge_of(&e.rx, 0, UD_GRH_BYTES + 100);
	if (fault == KEY_WRONG)
		sge.lkey ^= 0x5a00;
	if (fault == ABOVE)
		sge.addr += 8192 - 60;
	if (fault == KEY_OTHER_PD && buf_open(&other, e.other_pd, 4096, IBV_ACCESS_LOCAL_WRITE))
		sge = sge_of(&other, 0, UD_GRH_BYTES + 100);
	if (fault == READ_ONLY && buf_open(&other, env->dev[1].pd, 4096, 0))
		sge = sge_of(&other, 0, UD_GRH_BYTES + 100);
	CHECK(!end_post_recv(to, 1, &sge, 1), "post_recv");
	CHECK(!ud_post_recv(to, 2, &e.rx, 1000), "post_recv");
	CHECK(!post_len(&e, 5, 100, IBV_SEND_SIGNALED), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 5, IBV_WC_SUCCESS, "send");
	end_expect_status(to, true, 1, IBV_WC_LOC_PROT_ERR, "fault");
	end_expect_status(to, true, 2, IBV_WC_WR_FLUSH_ERR, "behind it");
	end_wait_state(to, IBV_QPS_ERR, "fault");
	if (other.image)
		buf_check(&other, "nothing is written");
	buf_close(&other);
	errors_close(&e);
}

/* Without a receive a datagram is lost, and counted; the next one arrives. */
static void test_no_recv(struct env *env, long arg)
{
	const struct device *dev = &env->dev[1];
	long long dropped;
	struct errors e;
	int i;

	(void)arg;
	if (!errors_open(&e, env))
		return;
	dropped = ud_counter(dev, "drop_no_recv");
	for (i = 0; i < COUNT; i++) {
		CHECK(!post_len(&e, i, 100, IBV_SEND_SIGNALED), "post_send");
		end_expect_status(&e.ud.pair.end[0], false, i, IBV_WC_SUCCESS, "send");
	}
	if (dropped >= 0)
		ud_expect_counter(dev, "drop_no_recv", dropped + COUNT);
	else
		sleep_msec(200);
	end_expect_none(&e.ud.pair.end[1], "without a receive");
	ud_follow(&e.ud, 0, "with a receive");
	errors_close(&e);
}

/* ---- nobody there ---- */

static void send_into_nothing(struct errors *e, uint32_t qpn, const char *counter)
{
	const struct device *dev = e->ud.pair.end[1].dev;
	long long dropped = ud_counter(dev, counter);
	struct ibv_send_wr wr = ud_wr(&e->ud, 0, 1);

	wr.wr.ud.remote_qpn = qpn;
	CHECK(!end_post_send(&e->ud.pair.end[0], &wr), "post_send");
	end_expect_status(&e->ud.pair.end[0], false, 1, IBV_WC_SUCCESS, "to nobody");
	if (dropped >= 0)
		ud_expect_counter(dev, counter, dropped + 1);
	end_expect_none(&e->ud.pair.end[0], "sender");
	end_expect_none(&e->ud.pair.end[1], "receiver");
}

static void test_nobody(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct errors e;
	struct pair rc;
	uint32_t qpn;

	(void)arg;
	if (!errors_open(&e, env))
		return;
	if (pair_open(&rc, env, &opts)) {
		qpn = rc.end[1].qp->qp_num;
		send_into_nothing(&e, qpn, "drop_qp_type");
		pair_close(&rc);
		send_into_nothing(&e, qpn, "drop_no_qp");
	}
	send_into_nothing(&e, 0xfffffe, "drop_no_qp");
	ud_follow(&e.ud, 0, "somebody");
	errors_close(&e);
}

/* To a QP in @state; IBA 10.3.1: only from RTR on it receives. */
static void test_receiver_state(struct env *env, long state)
{
	struct errors e;
	struct end *to;

	if (!errors_open(&e, env))
		return;
	to = &e.ud.pair.end[1];
	CHECK(!end_to_state(to, state), "to the state");
	send_into_nothing(&e, to->qp->qp_num, "drop_qp_state");
	CHECK(!end_to_state(to, IBV_QPS_RESET), "to RESET");
	CHECK(!ud_end_connect(to, UD_QKEY), "to RTS");
	ud_follow(&e.ud, 0, "in RTS");
	errors_close(&e);
}

/* ---- flushing and states ---- */

static bool post_both(struct errors *e, unsigned int first)
{
	struct ibv_send_wr wr;
	unsigned int i;

	for (i = first; i < first + COUNT; i++) {
		wr = ud_wr(&e->ud, 1, i);
		wr.send_flags = i & 1 ? IBV_SEND_SIGNALED : 0;
		if (!CHECK(!ud_post_recv(&e->ud.pair.end[1], i, &e->rx, 0), "post_recv") ||
		    !CHECK(!end_post_send(&e->ud.pair.end[1], &wr), "post_send"))
			return false;
	}
	return true;
}

static void expect_flushed(struct errors *e, unsigned int first)
{
	struct end *end = &e->ud.pair.end[1];
	unsigned int i;

	for (i = first; i < first + COUNT; i++) {
		if (!end_expect_status(end, false, i, IBV_WC_WR_FLUSH_ERR, "send") ||
		    !end_expect_status(end, true, i, IBV_WC_WR_FLUSH_ERR, "receive"))
			return;
	}
	end_expect_none(end, "after the flush");
}

static void test_flush(struct env *env, long arg)
{
	struct errors e;
	struct end *end;

	(void)arg;
	if (!errors_open(&e, env))
		return;
	end = &e.ud.pair.end[1];
	CHECK(!end_to_state(end, IBV_QPS_SQD), "to SQD");
	if (post_both(&e, 0) && CHECK(!end_to_state(end, IBV_QPS_ERR), "to ERR")) {
		expect_flushed(&e, 0);
		if (post_both(&e, 100))
			expect_flushed(&e, 100);
	}
	CHECK(!end_to_state(end, IBV_QPS_RESET), "to RESET");
	CHECK(!ud_end_connect(end, UD_QKEY), "to RTS");
	ud_follow(&e.ud, 0, "after the flush");
	ud_follow(&e.ud, 1, "after the flush");
	errors_close(&e);
}

/* RESET forgets what was posted; below RTS nothing is sent, and the call says so. */
static void test_states(struct env *env, long arg)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = PORT_NUM, .qkey = UD_QKEY,
	};
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .sq_psn = 0xfffffe };
	struct ibv_send_wr wr;
	struct errors e;
	struct end *end;

	(void)arg;
	if (!errors_open(&e, env))
		return;
	end = &e.ud.pair.end[1];
	CHECK(!ud_post_recv(end, 70, &e.rx, 0), "post_recv");
	CHECK(!end_to_state(end, IBV_QPS_RESET), "to RESET");
	CHECK(!ibv_modify_qp(end->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_QKEY), "to INIT");
	wr = ud_wr(&e.ud, 1, 71);
	CHECK(end_post_send(end, &wr) == EINVAL, "post_send in INIT");
	CHECK(!ud_post_recv(end, 72, &e.rx, 0), "post_recv in INIT");
	CHECK(!end_to_state(end, IBV_QPS_RTR), "to RTR");
	CHECK(end_post_send(end, &wr) == EINVAL, "post_send in RTR");
	CHECK(!post_len(&e, 73, 0, IBV_SEND_SIGNALED), "post_send");
	end_expect_status(&e.ud.pair.end[0], false, 73, IBV_WC_SUCCESS, "send");
	end_expect_status(end, true, 72, IBV_WC_SUCCESS, "received in RTR");
	CHECK(!ibv_modify_qp(end->qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN), "to RTS");
	end_expect_none(end, "what was refused below RTS");
	ud_follow(&e.ud, 1, "PSN before the wrap");
	ud_follow(&e.ud, 1, "PSN at the wrap");
	ud_follow(&e.ud, 1, "PSN behind the wrap");
	errors_close(&e);
}

/* A UD QP needs its Q_Key and has no peer: what the core's table says, and we with it. */
static void test_attributes(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = PORT_NUM, .qkey = UD_QKEY, .dest_qp_num = 5,
		.path_mtu = IBV_MTU_1024,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	struct end end;

	(void)arg;
	if (!ud_end_create(&end, env, 0, &opts))
		return;
	CHECK(ibv_modify_qp(end.qp, &attr, mask) == EINVAL, "INIT without a Q_Key");
	CHECK(ibv_modify_qp(end.qp, &attr, mask | IBV_QP_QKEY | IBV_QP_ACCESS_FLAGS) == EINVAL,
	      "INIT with access flags");
	attr.pkey_index = 1;
	CHECK(ibv_modify_qp(end.qp, &attr, mask | IBV_QP_QKEY), "INIT with P_Key 1");
	attr.pkey_index = 0;
	attr.port_num = 2;
	CHECK(ibv_modify_qp(end.qp, &attr, mask | IBV_QP_QKEY), "INIT with port 2");
	attr.port_num = PORT_NUM;
	CHECK(!ibv_modify_qp(end.qp, &attr, mask | IBV_QP_QKEY), "INIT");
	attr.qp_state = IBV_QPS_RTR;
	CHECK(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE | IBV_QP_DEST_QPN) == EINVAL,
	      "RTR with a destination");
	CHECK(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU) == EINVAL,
	      "RTR with a path MTU");
	CHECK(!ibv_modify_qp(end.qp, &attr, IBV_QP_STATE), "RTR");
	attr.qp_state = IBV_QPS_RTS;
	CHECK(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE) == EINVAL, "RTS without a PSN");
	ud_end_close(&end);
}

const struct test ud_error_tests[] = {
	{ "ud-error/too-long-by-1", test_too_long, 1 },
	{ "ud-error/too-long-by-4096", test_too_long, 4096 },
	{ "ud-error/too-long-by-1000000", test_too_long, 1000000 },
	{ "ud-error/too-long-sum", test_too_long_sum },
	{ "ud-error/send-key-wrong", test_send_memory, KEY_WRONG },
	{ "ud-error/send-key-freed", test_send_memory, KEY_FREED },
	{ "ud-error/send-key-other-pd", test_send_memory, KEY_OTHER_PD },
	{ "ud-error/send-below", test_send_memory, BELOW },
	{ "ud-error/send-above", test_send_memory, ABOVE },
	{ "ud-error/send-second-sge", test_send_memory, SECOND_SGE },
	{ "ud-error/write", test_operation, IBV_WR_RDMA_WRITE },
	{ "ud-error/write-imm", test_operation, IBV_WR_RDMA_WRITE_WITH_IMM },
	{ "ud-error/read", test_operation, IBV_WR_RDMA_READ },
	{ "ud-error/cmp-swp", test_operation, IBV_WR_ATOMIC_CMP_AND_SWP },
	{ "ud-error/fetch-add", test_operation, IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ "ud-error/local-inv", test_ring_operation, 7 },
	{ "ud-error/bind-mw", test_ring_operation, 8 },
	{ "ud-error/send-inv", test_ring_operation, 9 },
	{ "ud-error/flush", test_ring_operation, 14 },
	{ "ud-error/atomic-write", test_ring_operation, 15 },
	{ "ud-error/opcode-10", test_ring_operation, 10 },
	{ "ud-error/opcode-32", test_ring_operation, 32 },
	{ "ud-error/opcode-largest", test_ring_operation, 0xffffffff },
	{ "ud-error/recv-1-too-small", test_recv_small, 1 },
	{ "ud-error/recv-header-only", test_recv_small, 100 },
	{ "ud-error/recv-part-of-header", test_recv_small, 101 },
	{ "ud-error/recv-empty", test_recv_small, UD_GRH_BYTES + 100 },
	{ "ud-error/recv-key-wrong", test_recv_memory, KEY_WRONG },
	{ "ud-error/recv-key-other-pd", test_recv_memory, KEY_OTHER_PD },
	{ "ud-error/recv-above", test_recv_memory, ABOVE },
	{ "ud-error/recv-read-only", test_recv_memory, READ_ONLY },
	{ "ud-error/no-receive", test_no_recv },
	{ "ud-error/nobody", test_nobody },
	{ "ud-error/receiver-in-error", test_receiver_state, IBV_QPS_ERR },
	{ "ud-error/receiver-in-reset", test_receiver_state, IBV_QPS_RESET },
	{ "ud-error/flush-queues", test_flush },
	{ "ud-error/states", test_states },
	{ "ud-error/attributes", test_attributes },
	{ }
};

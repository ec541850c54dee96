// SPDX-License-Identifier: GPL-2.0
/*
 * One thing is wrong with a request or a receive: which completion each side
 * gets, what becomes of both QPs, and that no byte is written. The statuses
 * are those of IBA 11.6.2, the reactions those of the error tables in 9.9.2
 * (requester) and 9.9.3 (responder). With UC nobody hears of the other side's
 * errors, and what follows them arrives.
 */
#include <errno.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

enum fault {
	/* The key or range that the request names */
	RKEY_WRONG, RKEY_FREED, RKEY_OTHER_PD,
	REMOTE_BELOW, REMOTE_ABOVE, REMOTE_WRAPS, REMOTE_HUGE,
	REMOTE_MR_NO_RIGHT, REMOTE_QP_NO_RIGHT,
	/* The requester's own memory */
	LKEY_WRONG, LKEY_FREED, LKEY_OTHER_PD, LOCAL_BELOW, LOCAL_ABOVE, LOCAL_SECOND_SGE,
	LOCAL_NO_WRITE,
	/* The memory of the receive */
	RECV_LKEY_WRONG, RECV_LKEY_FREED, RECV_LKEY_OTHER_PD, RECV_BELOW, RECV_ABOVE,
	RECV_NO_WRITE, RECV_SMALL, RECV_EMPTY,
};

/* What the error should lead to. */
enum outcome {
	/* Responder NAKs "remote access error", becomes ERR, event QP_ACCESS_ERR */
	REMOTE_ACCESS,
	/*
	 * Responder NAKs "invalid request" (11.6.2: "operation is not supported by this
	 * receive queue"), becomes ERR, event QP_REQ_ERR
	 */
	REMOTE_INVALID,
	/* Receive completes with LOC_LEN_ERR, requester with REM_INV_REQ_ERR */
	RECV_LENGTH,
	/* Receive completes with LOC_PROT_ERR, requester with REM_OP_ERR */
	RECV_PROTECTION,
	/* Requester completes with LOC_PROT_ERR; the responder never knows */
	LOCAL_PROTECTION,
};

static const struct outcome_row {
	enum ibv_wc_status send, recv;
	int event;	/* at the responder, -1: none */
	bool responder_lives;
} outcomes[] = {
	[REMOTE_ACCESS] = { IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR,
			    IBV_EVENT_QP_ACCESS_ERR, false },
	[REMOTE_INVALID] = { IBV_WC_REM_INV_REQ_ERR, IBV_WC_WR_FLUSH_ERR,
			     IBV_EVENT_QP_REQ_ERR, false },
	[RECV_LENGTH] = { IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR, -1, false },
	[RECV_PROTECTION] = { IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, -1, false },
	[LOCAL_PROTECTION] = { IBV_WC_LOC_PROT_ERR, IBV_WC_SUCCESS, -1, true },
};

/*
 * Name, operation, length, what is wrong, what it leads to. 3000 bytes are
 * three packets, 100 are one.
 */
#define MESSAGE_CASES(X)							\
	X(write_rkey_wrong, OP_WRITE, 100, RKEY_WRONG, REMOTE_ACCESS)		\
	X(write_long_rkey_wrong, OP_WRITE, 3000, RKEY_WRONG, REMOTE_ACCESS)	\
	X(write_imm_rkey_wrong, OP_WRITE_IMM, 100, RKEY_WRONG, REMOTE_ACCESS)	\
	X(write_imm_long_rkey_wrong, OP_WRITE_IMM, 3000, RKEY_WRONG, REMOTE_ACCESS) \
	X(write_rkey_freed, OP_WRITE, 100, RKEY_FREED, REMOTE_ACCESS)		\
	X(write_imm_rkey_freed, OP_WRITE_IMM, 100, RKEY_FREED, REMOTE_ACCESS)	\
	X(write_other_pd, OP_WRITE, 100, RKEY_OTHER_PD, REMOTE_ACCESS)		\
	X(write_imm_other_pd, OP_WRITE_IMM, 100, RKEY_OTHER_PD, REMOTE_ACCESS)	\
	X(write_below, OP_WRITE, 100, REMOTE_BELOW, REMOTE_ACCESS)		\
	X(write_above, OP_WRITE, 100, REMOTE_ABOVE, REMOTE_ACCESS)		\
	X(write_long_above, OP_WRITE, 3000, REMOTE_ABOVE, REMOTE_ACCESS)	\
	X(write_one_byte_above, OP_WRITE, 1, REMOTE_ABOVE, REMOTE_ACCESS)	\
	X(write_imm_above, OP_WRITE_IMM, 100, REMOTE_ABOVE, REMOTE_ACCESS)	\
	X(write_imm_long_above, OP_WRITE_IMM, 3000, REMOTE_ABOVE, REMOTE_ACCESS) \
	X(write_wraps, OP_WRITE, 100, REMOTE_WRAPS, REMOTE_ACCESS)		\
	X(write_far_away, OP_WRITE, 100, REMOTE_HUGE, REMOTE_ACCESS)		\
	X(write_mr_without_right, OP_WRITE, 100, REMOTE_MR_NO_RIGHT, REMOTE_ACCESS) \
	X(write_imm_mr_without_right, OP_WRITE_IMM, 100, REMOTE_MR_NO_RIGHT, REMOTE_ACCESS) \
	X(write_qp_without_right, OP_WRITE, 100, REMOTE_QP_NO_RIGHT, REMOTE_INVALID) \
	X(write_imm_qp_without_right, OP_WRITE_IMM, 100, REMOTE_QP_NO_RIGHT, REMOTE_INVALID) \
	X(send_lkey_wrong, OP_SEND, 100, LKEY_WRONG, LOCAL_PROTECTION)		\
	X(write_lkey_wrong, OP_WRITE, 3000, LKEY_WRONG, LOCAL_PROTECTION)	\
	X(send_lkey_freed, OP_SEND, 100, LKEY_FREED, LOCAL_PROTECTION)		\
	X(write_lkey_freed, OP_WRITE, 100, LKEY_FREED, LOCAL_PROTECTION)	\
	X(send_lkey_other_pd, OP_SEND, 100, LKEY_OTHER_PD, LOCAL_PROTECTION)	\
	X(write_lkey_other_pd, OP_WRITE, 100, LKEY_OTHER_PD, LOCAL_PROTECTION)	\
	X(send_local_below, OP_SEND, 100, LOCAL_BELOW, LOCAL_PROTECTION)	\
	X(send_local_above, OP_SEND, 100, LOCAL_ABOVE, LOCAL_PROTECTION)	\
	X(send_long_local_above, OP_SEND, 3000, LOCAL_ABOVE, LOCAL_PROTECTION)	\
	X(write_local_above, OP_WRITE, 100, LOCAL_ABOVE, LOCAL_PROTECTION)	\
	X(send_second_sge, OP_SEND, 100, LOCAL_SECOND_SGE, LOCAL_PROTECTION)	\
	X(write_long_second_sge, OP_WRITE, 3000, LOCAL_SECOND_SGE, LOCAL_PROTECTION) \
	X(recv_lkey_wrong, OP_SEND, 100, RECV_LKEY_WRONG, RECV_PROTECTION)	\
	X(recv_long_lkey_wrong, OP_SEND, 3000, RECV_LKEY_WRONG, RECV_PROTECTION) \
	X(recv_imm_lkey_wrong, OP_SEND_IMM, 100, RECV_LKEY_WRONG, RECV_PROTECTION) \
	X(recv_lkey_freed, OP_SEND, 100, RECV_LKEY_FREED, RECV_PROTECTION)	\
	X(recv_lkey_other_pd, OP_SEND, 100, RECV_LKEY_OTHER_PD, RECV_PROTECTION) \
	X(recv_below, OP_SEND, 100, RECV_BELOW, RECV_PROTECTION)		\
	X(recv_above, OP_SEND, 100, RECV_ABOVE, RECV_PROTECTION)		\
	X(recv_long_above, OP_SEND, 3000, RECV_ABOVE, RECV_PROTECTION)		\
	X(recv_read_only, OP_SEND, 100, RECV_NO_WRITE, RECV_PROTECTION)		\
	X(recv_one_too_small, OP_SEND, 100, RECV_SMALL, RECV_LENGTH)		\
	X(recv_long_one_too_small, OP_SEND, 3000, RECV_SMALL, RECV_LENGTH)	\
	X(recv_imm_one_too_small, OP_SEND_IMM, 1, RECV_SMALL, RECV_LENGTH)	\
	X(recv_empty, OP_SEND, 1, RECV_EMPTY, RECV_LENGTH)			\
	X(recv_imm_long_empty, OP_SEND_IMM, 3000, RECV_EMPTY, RECV_LENGTH)

#define READ_CASES(X)								\
	X(read_rkey_wrong, OP_READ, 100, RKEY_WRONG, REMOTE_ACCESS)		\
	X(read_long_rkey_wrong, OP_READ, 3000, RKEY_WRONG, REMOTE_ACCESS)	\
	X(read_rkey_freed, OP_READ, 100, RKEY_FREED, REMOTE_ACCESS)		\
	X(read_other_pd, OP_READ, 100, RKEY_OTHER_PD, REMOTE_ACCESS)		\
	X(read_below, OP_READ, 100, REMOTE_BELOW, REMOTE_ACCESS)		\
	X(read_above, OP_READ, 100, REMOTE_ABOVE, REMOTE_ACCESS)		\
	X(read_long_above, OP_READ, 3000, REMOTE_ABOVE, REMOTE_ACCESS)		\
	X(read_wraps, OP_READ, 100, REMOTE_WRAPS, REMOTE_ACCESS)		\
	X(read_far_away, OP_READ, 100, REMOTE_HUGE, REMOTE_ACCESS)		\
	X(read_mr_without_right, OP_READ, 100, REMOTE_MR_NO_RIGHT, REMOTE_ACCESS) \
	X(read_qp_without_right, OP_READ, 100, REMOTE_QP_NO_RIGHT, REMOTE_INVALID) \
	X(read_lkey_wrong, OP_READ, 100, LKEY_WRONG, LOCAL_PROTECTION)		\
	X(read_lkey_freed, OP_READ, 100, LKEY_FREED, LOCAL_PROTECTION)		\
	X(read_lkey_other_pd, OP_READ, 100, LKEY_OTHER_PD, LOCAL_PROTECTION)	\
	X(read_local_below, OP_READ, 100, LOCAL_BELOW, LOCAL_PROTECTION)	\
	X(read_local_above, OP_READ, 100, LOCAL_ABOVE, LOCAL_PROTECTION)	\
	X(read_long_local_above, OP_READ, 3000, LOCAL_ABOVE, LOCAL_PROTECTION)	\
	X(read_second_sge, OP_READ, 100, LOCAL_SECOND_SGE, LOCAL_PROTECTION)	\
	X(read_local_read_only, OP_READ, 100, LOCAL_NO_WRITE, LOCAL_PROTECTION)

#define CASES(X)	MESSAGE_CASES(X) READ_CASES(X)

#define ROW(name, op, len, fault, outcome) { op, len, fault, outcome },
#define NUMBER(name, op, len, fault, outcome) CASE_##name,
#define TEST(name, op, len, fault, outcome) { "error/" #name, test_error, CASE_##name, 0 },
#define UC_TEST(name, op, len, fault, outcome) { "uc-error/" #name, test_uc_error, CASE_##name, 0 },

enum { CASES(NUMBER) };

static const struct error_case {
	enum op_id op;
	size_t len;
	enum fault fault;
	enum outcome outcome;
} cases[] = { CASES(ROW) };

#define SGES 2

/* A case while it runs. */
struct error_run {
	const struct error_case *row;
	const struct op_desc *op;
	struct buf local, remote;
	struct ibv_pd *other_pd;
	struct ibv_sge sge[SGES], recv_sge;
	struct ibv_send_wr wr, next;
};

static int access_of(const struct error_run *run, bool remote)
{
	enum fault fault = run->row->fault;

	if (remote) {
		if (fault == RECV_NO_WRITE)
			return 0;
		if (fault == REMOTE_MR_NO_RIGHT)
			return run->op->is_read ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE :
						  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
		return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	}
	return run->op->is_read && fault != LOCAL_NO_WRITE ? IBV_ACCESS_LOCAL_WRITE : 0;
}

static bool open_buffers(struct error_run *run, struct env *env)
{
	enum fault fault = run->row->fault;
	bool remote_other = fault == RKEY_OTHER_PD || fault == RECV_LKEY_OTHER_PD;
	bool local_other = fault == LKEY_OTHER_PD;
	size_t size = run->row->len + 64;

	run->other_pd = ibv_alloc_pd(env->dev[local_other ? 0 : 1].ctx);
	if (!CHECK(run->other_pd, "ibv_alloc_pd: %s", strerror(errno)))
		return false;
	return buf_open(&run->local, local_other ? run->other_pd : env->dev[0].pd, size,
			access_of(run, false)) &&
	       buf_open(&run->remote, remote_other ? run->other_pd : env->dev[1].pd, size,
			access_of(run, true));
}

static void close_buffers(struct error_run *run)
{
	buf_close(&run->local);
	buf_close(&run->remote);
	if (run->other_pd)
		CHECK(!ibv_dealloc_pd(run->other_pd), "ibv_dealloc_pd: %s", strerror(errno));
}

/* What is right, before the fault is put in. */
static void fill_requests(struct error_run *run)
{
	struct ibv_sge whole = {
		.addr = (uintptr_t)run->local.mem, .length = run->row->len,
		.lkey = run->local.mr->lkey,
	};

	run->sge[0] = whole;
	run->recv_sge = (struct ibv_sge) {
		.addr = (uintptr_t)run->remote.mem, .length = run->remote.len,
		.lkey = run->remote.mr->lkey,
	};
	run->wr = (struct ibv_send_wr) {
		.wr_id = 1, .next = &run->next, .sg_list = run->sge, .num_sge = 1,
		.opcode = run->op->wr, .send_flags = IBV_SEND_SIGNALED, .imm_data = 0x11223344,
		.wr.rdma = {
			.remote_addr = (uintptr_t)run->remote.mem, .rkey = run->remote.mr->rkey,
		},
	};
	/* A good request behind it, which must be flushed. */
	run->next = (struct ibv_send_wr) {
		.wr_id = 2, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
}

static void put_fault(struct error_run *run)
{
	/* The registered range ends at mem + len: one byte more is one too many. */
	uintptr_t local_end = (uintptr_t)run->local.mem + run->local.len - run->row->len;
	uintptr_t remote_end = (uintptr_t)run->remote.mem + run->remote.len - run->row->len;

	switch (run->row->fault) {
	case RKEY_WRONG:
		/* The low byte is the consumer's: as good a wrong key as any. */
		run->wr.wr.rdma.rkey ^= 0x55;
		break;
	case RKEY_FREED:
	case RECV_LKEY_FREED:
		buf_dereg(&run->remote);
		break;
	case REMOTE_BELOW:
		run->wr.wr.rdma.remote_addr -= 1;
		break;
	case REMOTE_ABOVE:
		run->wr.wr.rdma.remote_addr = remote_end + 1;
		break;
	case REMOTE_WRAPS:
		run->wr.wr.rdma.remote_addr = ~0ULL - run->row->len / 2;
		break;
	case REMOTE_HUGE:
		run->wr.wr.rdma.remote_addr ^= 1ULL << 63;
		break;
	case LKEY_WRONG:
		run->sge[0].lkey ^= 0x55;
		break;
	case LKEY_FREED:
		buf_dereg(&run->local);
		break;
	case LOCAL_BELOW:
		run->sge[0].addr -= 1;
		break;
	case LOCAL_ABOVE:
		run->sge[0].addr = local_end + 1;
		break;
	case LOCAL_SECOND_SGE:
		run->sge[0].length = 10;
		run->sge[1] = run->sge[0];
		run->sge[1].length = run->row->len - 10;
		run->sge[1].addr += 10;
		run->sge[1].lkey ^= 0xaa;
		run->wr.num_sge = 2;
		break;
	case RECV_LKEY_WRONG:
		run->recv_sge.lkey ^= 0x55;
		break;
	case RECV_BELOW:
		run->recv_sge.addr -= 1;
		break;
	case RECV_ABOVE:
		run->recv_sge.addr = remote_end + 1;
		run->recv_sge.length = run->row->len;
		break;
	case RECV_SMALL:
		run->recv_sge.length = run->row->len - 1;
		break;
	case RECV_EMPTY:
		run->recv_sge.length = 0;
		break;
	default:
		/* In the registrations or in the QP's access flags. */
		break;
	}
}

/* A lost NAK makes the requester ask a responder that is in ERR and silent. */
static void expect_send_error(struct pair *pair, enum ibv_wc_status status, bool from_peer)
{
	struct end *end = &pair->end[0];
	struct ibv_wc wc;

	if (!CHECK(end_wait_wc(end, end->scq, &wc), "no completion of the faulty request"))
		return;
	if (pair->env->lossy && from_peer && wc.status == IBV_WC_RETRY_EXC_ERR)
		return;
	CHECK(wc.status == status, "requester's status is \"%s\", not \"%s\"",
	      ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
	CHECK(wc.wr_id == 1 && wc.qp_num == end->qp->qp_num, "wr_id %#llx, qp_num %u",
	      (unsigned long long)wc.wr_id, wc.qp_num);
}

static void check_responder(struct pair *pair, const struct outcome_row *outcome)
{
	struct end *end = &pair->end[1];

	if (outcome->responder_lives) {
		CHECK(end_state(end) == IBV_QPS_RTS, "responder left RTS");
		end_expect_none(end, "responder");
		return;
	}
	end_expect_status(end, true, 11, outcome->recv, "responder's first receive");
	end_expect_status(end, true, 12, IBV_WC_WR_FLUSH_ERR, "responder's second receive");
	end_wait_state(end, IBV_QPS_ERR, "responder");
	if (outcome->event >= 0)
		CHECK(device_event(end->dev, end->qp, outcome->event, 2000),
		      "no asynchronous event \"%s\" at the responder",
		      ibv_event_type_str(outcome->event));
}

/* Take over the bytes of a range that lie inside the registration. */
static void adopt(struct buf *buf, struct ibv_sge sge)
{
	struct layout layout = { .buf = buf, .count = 1 };
	uintptr_t end = (uintptr_t)buf->mem + buf->len;

	if (sge.addr + sge.length > end)
		sge.length = end - sge.addr;
	layout.sge[0] = sge;
	layout_adopt(&layout);
}

/*
 * Packets before the one that meets the fault may have had their effect;
 * bytes that no right request could touch must be untouched in any case.
 */
static void check_memory(struct error_run *run)
{
	enum fault fault = run->row->fault;
	bool late_local = fault == LOCAL_ABOVE || fault == LOCAL_SECOND_SGE;

	if (run->op->to_recv && (late_local || fault >= RECV_ABOVE))
		adopt(&run->remote, run->recv_sge);
	else if (run->op->is_remote && !run->op->is_read && late_local)
		adopt(&run->remote, (struct ibv_sge) {
			.addr = run->wr.wr.rdma.remote_addr, .length = run->row->len });
	else if (run->op->is_read && late_local)
		adopt(&run->local, run->sge[0]);
	buf_check(&run->remote, "responder's memory");
	buf_check(&run->local, "requester's memory");
}

static void run_case(struct error_run *run, struct pair *pair)
{
	const struct outcome_row *outcome = &outcomes[run->row->outcome];
	struct end *req = &pair->end[0], *resp = &pair->end[1];

	fill_requests(run);
	put_fault(run);
	CHECK(!end_post_recv(resp, 11, &run->recv_sge, 1), "post_recv");
	CHECK(!end_post_recv(resp, 12, NULL, 0), "post_recv");
	CHECK(!end_post_recv(req, 13, NULL, 0), "post_recv");
	if (!CHECK(!end_post_send(req, &run->wr), "post_send of the faulty request"))
		return;
	expect_send_error(pair, outcome->send, run->row->outcome != LOCAL_PROTECTION);
	end_expect_status(req, false, 2, IBV_WC_WR_FLUSH_ERR, "request behind the faulty one");
	end_expect_status(req, true, 13, IBV_WC_WR_FLUSH_ERR, "requester's receive");
	end_wait_state(req, IBV_QPS_ERR, "requester");
	check_responder(pair, outcome);
	end_expect_none(req, "requester at the end");
	check_memory(run);
}

/* The faulty request of UC is over; what becomes of the one behind it and of the QP. */
static void check_uc_requester(struct pair *pair, const struct error_run *run)
{
	bool local = run->row->outcome == LOCAL_PROTECTION;
	struct end *req = &pair->end[0];

	end_expect_status(req, false, 1, local ? IBV_WC_LOC_PROT_ERR : IBV_WC_SUCCESS,
			  "faulty request");
	end_expect_status(req, false, 2, local ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS,
			  "request behind the faulty one");
	end_wait_state(req, local ? IBV_QPS_SQE : IBV_QPS_RTS, "requester");
}

/* The peer's fault costs its message, a fault of the receive the QP. */
static void check_uc_responder(struct pair *pair, const struct error_run *run)
{
	const struct outcome_row *outcome = &outcomes[run->row->outcome];
	bool own = run->row->outcome == RECV_LENGTH || run->row->outcome == RECV_PROTECTION;
	struct expect next = {
		.wr_id = 11, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .recv = true,
	};
	struct end *resp = &pair->end[1];

	if (own) {
		end_expect_status(resp, true, 11, outcome->recv, "first receive");
		end_expect_status(resp, true, 12, IBV_WC_WR_FLUSH_ERR, "second receive");
		end_wait_state(resp, IBV_QPS_ERR, "responder");
	} else {
		if (run->row->outcome != LOCAL_PROTECTION)
			end_expect(resp, &next, "what follows the faulty request");
		CHECK(end_state(resp) == IBV_QPS_RTS, "responder left RTS");
	}
	CHECK(!device_event(resp->dev, resp->qp, IBV_EVENT_QP_ACCESS_ERR, 0),
	      "an event at the responder");
}

static void run_uc_case(struct error_run *run, struct pair *pair)
{
	struct end *req = &pair->end[0], *resp = &pair->end[1];

	fill_requests(run);
	put_fault(run);
	CHECK(!end_post_recv(resp, 11, &run->recv_sge, 1), "post_recv");
	CHECK(!end_post_recv(resp, 12, NULL, 0), "post_recv");
	CHECK(!end_post_recv(req, 13, NULL, 0), "post_recv");
	if (!CHECK(!end_post_send(req, &run->wr), "post_send of the faulty request"))
		return;
	check_uc_requester(pair, run);
	check_uc_responder(pair, run);
	end_expect_none(req, "requester at the end");
	end_expect_none(resp, "responder at the end");
	check_memory(run);
}

static void test_case(struct env *env, long number, bool uc)
{
	struct error_run run = { .row = &cases[number] };
	struct pair_opts opts = pair_defaults(env);
	struct pair pair;

	opts.uc = uc;
	run.op = op_desc(run.row->op);
	if (run.row->fault == REMOTE_QP_NO_RIGHT)
		opts.access[1] &= ~(run.op->is_read ? IBV_ACCESS_REMOTE_READ :
						      IBV_ACCESS_REMOTE_WRITE);
	if (open_buffers(&run, env) && pair_open(&pair, env, &opts)) {
		if (uc)
			run_uc_case(&run, &pair);
		else
			run_case(&run, &pair);
		pair_close(&pair);
	}
	close_buffers(&run);
}

static void test_error(struct env *env, long number)
{
	test_case(env, number, false);
}

static void test_uc_error(struct env *env, long number)
{
	if (!skip_if_lost(env, true))
		test_case(env, number, true);
}

const struct test error_tests[] = {
	CASES(TEST)
	MESSAGE_CASES(UC_TEST)
	{ }
};

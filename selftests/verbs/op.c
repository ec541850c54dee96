// SPDX-License-Identifier: GPL-2.0
/*
 * The table of operations, posting and completions. An operation that is new
 * begins with a row here.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"

static const struct op_desc op_table[OP_COUNT] = {
	[OP_SEND] = {
		.name = "send", .wr = IBV_WR_SEND, .wc = IBV_WC_SEND,
		.recv_wc = IBV_WC_RECV, .takes_recv = true, .to_recv = true,
	},
	[OP_SEND_IMM] = {
		.name = "send_imm", .wr = IBV_WR_SEND_WITH_IMM, .wc = IBV_WC_SEND,
		.recv_wc = IBV_WC_RECV, .takes_recv = true, .to_recv = true, .has_imm = true,
	},
	[OP_WRITE] = {
		.name = "write", .wr = IBV_WR_RDMA_WRITE, .wc = IBV_WC_RDMA_WRITE,
		.is_remote = true,
	},
	[OP_WRITE_IMM] = {
		.name = "write_imm", .wr = IBV_WR_RDMA_WRITE_WITH_IMM, .wc = IBV_WC_RDMA_WRITE,
		.recv_wc = IBV_WC_RECV_RDMA_WITH_IMM, .takes_recv = true, .is_remote = true,
		.has_imm = true,
	},
	[OP_READ] = {
		.name = "read", .wr = IBV_WR_RDMA_READ, .wc = IBV_WC_RDMA_READ,
		.is_remote = true, .is_read = true,
	},
};

const struct op_desc *op_desc(enum op_id op)
{
	return &op_table[op];
}

int op_by_name(const char *name)
{
	int i;

	for (i = 0; i < OP_COUNT; i++) {
		if (!strcmp(op_table[i].name, name))
			return i;
	}
	return -1;
}

/* The wr_* builder keeps no reference to the data, so one static piece will do. */
static void set_inline(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	static uint8_t piece[64 * 1024];
	size_t len = 0;
	int i;

	for (i = 0; i < wr->num_sge && len + wr->sg_list[i].length <= sizeof(piece); i++) {
		memcpy(piece + len, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		len += wr->sg_list[i].length;
	}
	ibv_wr_set_inline_data(qpx, piece, len);
}

static void build_wr(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags & ~IBV_SEND_INLINE;
	switch (wr->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qpx);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, wr->imm_data);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
				      wr->imm_data);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
					wr->wr.atomic.compare_add);
		break;
	default:
		ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	}
	if (wr->send_flags & IBV_SEND_INLINE)
		set_inline(qpx, wr);
	else if (wr->num_sge == 1)
		ibv_wr_set_sge(qpx, wr->sg_list[0].lkey, wr->sg_list[0].addr,
			       wr->sg_list[0].length);
	else
		ibv_wr_set_sge_list(qpx, wr->num_sge, wr->sg_list);
}

int end_post_send(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	if (!end->qpx)
		return ibv_post_send(end->qp, wr, &bad);
	ibv_wr_start(end->qpx);
	for (; wr; wr = wr->next)
		build_wr(end->qpx, wr);
	return ibv_wr_complete(end->qpx);
}

int end_post_recv(struct end *end, uint64_t wr_id, struct ibv_sge *sge, int count)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = count }, *bad;

	if (end->qp->srq)
		return ibv_post_srq_recv(end->qp->srq, &wr, &bad);
	return ibv_post_recv(end->qp, &wr, &bad);
}

int end_post_recv_layout(struct end *end, uint64_t wr_id, struct layout *layout)
{
	return end_post_recv(end, wr_id, layout->sge, layout->count);
}

/* Take one event from the channel, of whichever CQ. */
static void take_event(struct end *end, uint64_t deadline)
{
	struct pollfd pfd = { .fd = end->chan->fd, .events = POLLIN };
	uint64_t now = now_msec();
	struct ibv_cq *cq;
	void *context;

	if (poll(&pfd, 1, now < deadline ? (int)(deadline - now) : 0) <= 0)
		return;
	if (!ibv_get_cq_event(end->chan, &cq, &context))
		ibv_ack_cq_events(cq, 1);
}

bool end_wait_wc(struct end *end, struct ibv_cq *cq, struct ibv_wc *wc)
{
	uint64_t deadline = now_msec() + end->wait_msec;
	bool armed = false;
	int n;

	for (;;) {
		n = ibv_poll_cq(cq, 1, wc);
		if (n)
			return CHECK(n == 1, "ibv_poll_cq returned %d", n);
		if (now_msec() >= deadline)
			return false;
		if (!end->events) {
			sched_yield();
		} else if (!armed) {
			/* Arm, then look once more: only later completions raise an event. */
			armed = true;
			CHECK(!ibv_req_notify_cq(cq, 0), "ibv_req_notify_cq failed");
		} else {
			take_event(end, deadline);
			armed = false;
		}
	}
}

static bool check_head(struct end *end, const struct ibv_wc *wc, uint64_t wr_id,
		       enum ibv_wc_status status, const char *what)
{
	bool ok;

	ok = CHECK(wc->status == status, "%s: status is \"%s\", not \"%s\" (vendor 0x%x)", what,
		   ibv_wc_status_str(wc->status), ibv_wc_status_str(status), wc->vendor_err);
	ok &= CHECK(wc->wr_id == wr_id, "%s: wr_id is %#llx, not %#llx", what,
		    (unsigned long long)wc->wr_id, (unsigned long long)wr_id);
	ok &= CHECK(!end->qp || wc->qp_num == end->qp->qp_num, "%s: qp_num is %u, not %u", what,
		    wc->qp_num, end->qp ? end->qp->qp_num : 0);
	return ok;
}

bool end_expect(struct end *end, const struct expect *expect, const char *what)
{
	struct ibv_wc wc;
	bool ok;

	if (!CHECK(end_wait_wc(end, expect->recv ? end->rcq : end->scq, &wc),
		   "%s: no %s completion within %u ms", what, expect->recv ? "receive" : "send",
		   end->wait_msec))
		return false;
	ok = check_head(end, &wc, expect->wr_id, expect->status, what);
	if (!ok || expect->status != IBV_WC_SUCCESS)
		return ok;
	ok = CHECK(wc.opcode == expect->opcode, "%s: opcode is %d, not %d", what, wc.opcode,
		   expect->opcode);
	if (expect->recv || expect->has_len)
		ok &= CHECK(wc.byte_len == expect->byte_len, "%s: byte_len is %u, not %u", what,
			    wc.byte_len, expect->byte_len);
	if (!expect->recv)
		return ok;
	/* RoCE always has a GRH; whether an RC completion says so is left open. */
	ok &= CHECK((wc.wc_flags & ~IBV_WC_GRH) == (expect->has_imm ? IBV_WC_WITH_IMM : 0u),
		    "%s: wc_flags is 0x%x", what, wc.wc_flags);
	if (expect->has_imm)
		ok &= CHECK(wc.imm_data == expect->imm, "%s: imm_data is 0x%x, not 0x%x", what,
			    wc.imm_data, expect->imm);
	return ok;
}

bool end_expect_status(struct end *end, bool recv, uint64_t wr_id,
		       enum ibv_wc_status status, const char *what)
{
	struct ibv_wc wc;

	if (!CHECK(end_wait_wc(end, recv ? end->rcq : end->scq, &wc),
		   "%s: no %s completion within %u ms", what, recv ? "receive" : "send",
		   end->wait_msec))
		return false;
	return check_head(end, &wc, wr_id, status, what);
}

bool end_expect_none(struct end *end, const char *what)
{
	struct ibv_wc wc;
	bool ok = true;

	if (ibv_poll_cq(end->scq, 1, &wc))
		ok &= CHECK(false, "%s: unexpected send completion, wr_id %#llx, \"%s\"", what,
			    (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	if (ibv_poll_cq(end->rcq, 1, &wc))
		ok &= CHECK(false, "%s: unexpected receive completion, wr_id %#llx, \"%s\"", what,
			    (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	return ok;
}

bool end_follow(struct end *end, const char *what)
{
	struct ibv_send_wr wr = { .wr_id = 501, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };

	return CHECK(!end_post_recv(end->peer, 502, NULL, 0), "%s: post_recv", what) &&
	       CHECK(!end_post_send(end, &wr), "%s: post_send", what) &&
	       end_expect_status(end, false, 501, IBV_WC_SUCCESS, what) &&
	       end_expect_status(end->peer, true, 502, IBV_WC_SUCCESS, what);
}

bool bufs_open(struct bufs *bufs, struct env *env, size_t len)
{
	/* Room for gaps, and for a different place each time. */
	size_t size = len + 64 * MAX_SGE + 16 * 1024;
	int i;

	memset(bufs, 0, sizeof(*bufs));
	bufs->scratch = malloc(len + 1);
	if (!CHECK(bufs->scratch, "no memory"))
		return false;
	for (i = 0; i < 2; i++) {
		/* Without LOCAL_WRITE: nobody may ever write where is sent from. */
		if (!buf_open(&bufs->tx[i], env->dev[i].pd, size, IBV_ACCESS_REMOTE_READ) ||
		    !buf_open(&bufs->rx[i], env->dev[i].pd, size,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)) {
			bufs_close(bufs);
			return false;
		}
	}
	return true;
}

void bufs_close(struct bufs *bufs)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (bufs->tx[i].image)
			buf_check(&bufs->tx[i], "send buffer at the end");
		if (bufs->rx[i].image)
			buf_check(&bufs->rx[i], "receive buffer at the end");
		buf_close(&bufs->tx[i]);
		buf_close(&bufs->rx[i]);
	}
	free(bufs->scratch);
	memset(bufs, 0, sizeof(*bufs));
}

/* One run: where its bytes come from and go to. */
struct run_state {
	const struct op_desc *op;
	struct layout src, dst, recv;
	struct ibv_send_wr wr;
	uint64_t recv_id;
	char what[128];
};

static void lay_out(struct run_state *s, struct pair *pair, int from, struct bufs *bufs,
		    const struct op_run *run)
{
	int recv_sge = 1 + rnd_below(pair->end[!from].cap.max_recv_sge < MAX_SGE ?
				     pair->end[!from].cap.max_recv_sge : MAX_SGE);

	if (s->op->is_read) {
		layout_make(&s->src, &bufs->tx[!from], run->len, 1);
		layout_make(&s->dst, &bufs->rx[from], run->len, run->sge);
	} else {
		layout_make(&s->src, &bufs->tx[from], run->len, run->sge);
		layout_make(&s->dst, &bufs->rx[!from], run->len, s->op->to_recv ? recv_sge : 1);
	}
	if (!s->op->takes_recv)
		return;
	if (!s->op->to_recv) {
		layout_make(&s->recv, &bufs->rx[!from], 0, 0);
		return;
	}
	/* Half of the receives are longer than the message. */
	if (run->len && (rnd() & 1)) {
		layout_make(&s->dst, &bufs->rx[!from], run->len + 1 + rnd_below(100), recv_sge);
		s->recv = s->dst;
		layout_cut(&s->dst, run->len);
	} else {
		s->recv = s->dst;
	}
}

static void fill_wr(struct run_state *s, const struct op_run *run)
{
	const struct layout *local = s->op->is_read ? &s->dst : &s->src;
	const struct layout *remote = s->op->is_read ? &s->src : &s->dst;

	s->wr.wr_id = rnd();
	s->wr.opcode = s->op->wr;
	s->wr.sg_list = (struct ibv_sge *)local->sge;
	s->wr.num_sge = local->count;
	s->wr.send_flags = IBV_SEND_SIGNALED | run->flags;
	s->wr.imm_data = (uint32_t)rnd();
	if (s->op->is_remote && remote->count) {
		s->wr.wr.rdma.remote_addr = remote->sge[0].addr;
		/* The registrations give lkey and rkey the same right to exist. */
		s->wr.wr.rdma.rkey = remote->buf->mr->rkey;
	}
}

static bool check_completions(struct run_state *s, struct pair *pair, int from,
			      const struct op_run *run)
{
	struct expect send = {
		.wr_id = s->wr.wr_id, .status = IBV_WC_SUCCESS, .opcode = s->op->wc,
		.has_len = s->op->is_read, .byte_len = run->len,
	};
	struct expect recv = {
		.wr_id = s->recv_id, .status = IBV_WC_SUCCESS, .opcode = s->op->recv_wc,
		.recv = true, .byte_len = run->len,
		.has_imm = s->op->has_imm, .imm = s->wr.imm_data,
	};
	bool ok = end_expect(&pair->end[from], &send, s->what);

	if (s->op->takes_recv)
		ok &= end_expect(&pair->end[!from], &recv, s->what);
	else if (pair->opts.uc)
		ok &= end_follow(&pair->end[from], s->what);
	return ok;
}

bool op_run(struct pair *pair, int from, struct bufs *bufs, const struct op_run *run)
{
	struct run_state s = { .op = op_desc(run->op) };
	int err;

	snprintf(s.what, sizeof(s.what), "%s of %zu bytes from end %d, %d SGEs, flags 0x%x%s",
		 s.op->name, run->len, from, run->sge, run->flags,
		 pair->opts.wr_api ? ", wr api" : "");
	lay_out(&s, pair, from, bufs, run);
	fill_wr(&s, run);
	layout_gather(&s.src, bufs->scratch);
	if (s.op->takes_recv) {
		s.recv_id = rnd();
		err = end_post_recv_layout(&pair->end[!from], s.recv_id, &s.recv);
		if (!CHECK(!err, "%s: post_recv: %s", s.what, strerror(err)))
			return false;
	}
	err = end_post_send(&pair->end[from], &s.wr);
	if (!CHECK(!err, "%s: post_send: %s", s.what, strerror(err)))
		return false;
	if (!check_completions(&s, pair, from, run))
		return false;
	layout_expect(&s.dst, bufs->scratch);
	return layout_check(&s.dst, s.what) && end_expect_none(&pair->end[from], s.what) &&
	       end_expect_none(&pair->end[!from], s.what);
}

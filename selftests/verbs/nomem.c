// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation of the kernel, and every copy from and to the program, fails once: the call
 * fails and leaves nothing, or it works all the same. Needs a kernel with fault injection.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define TRIES_MAX	2000	/* more than any call allocates */
#define BYTES		20000

/* ---- injection ---- */

static int nth_fd = -1;

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Allocations that may wait fail too, and nothing is printed. */
static bool inject_open(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[100];
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kinds[i]);
		if (!put(path, "0"))
			return false;
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", kinds[i]);
		put(path, "N");
	}
	put("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	return nth_fd >= 0;
}

static void inject(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	/* That may fail, too. */
	CHECK(pwrite(nth_fd, text, n, 0) == n || pwrite(nth_fd, text, n, 0) == n,
	      "fail-nth: %s", strerror(errno));
}

/* Return: whether something failed since inject() */
static bool injected(void)
{
	char text[16] = "";
	bool hit = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	inject(0);
	return hit;
}

/* ---- steps ---- */

/**
 * struct stage - what the steps work on
 * @env: the devices
 * @pair: two QPs of end 0 and end 1
 * @buf: memory of end 0
 * @target: of end 1
 * @pd: @cq: @srq: @qp: @mr: @mw: @ah: what a step makes
 * @place: where a message goes to
 * @wr_id: of the last send
 */
struct stage {
	struct env *env;
	struct pair pair;
	struct buf buf;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_ah *ah;
	struct buf target;
	struct ibv_sge place;
	uint64_t wr_id;
};

/**
 * struct step - one call
 * @name: of it
 * @before: prepares it; may be NULL
 * @run: it; Return: 0 or errno
 * @after: undoes it and what @before did; may be NULL
 * @must: it works whatever fails
 */
struct step {
	const char *name;
	void (*before)(struct stage *s);
	int (*run)(struct stage *s);
	void (*after)(struct stage *s);
	bool must;
};

static struct device *dev(struct stage *s)
{
	return &s->env->dev[0];
}

/* What could not be destroyed can be now, or is gone: only the response was lost. */
#define AGAIN(call) do {						\
	int err_ = call;						\
									\
	CHECK(!err_ || err_ == ENOENT, "%s: %s", #call, strerror(err_));	\
} while (0)

#define MAKE(what, call)						\
static int what##_make(struct stage *s)					\
{									\
	s->what = call;							\
	return s->what ? 0 : errno;					\
}									\
									\
static void what##_need(struct stage *s)				\
{									\
	CHECK(!what##_make(s), #what ": %s", strerror(errno));		\
}

#define END(what, call)							\
static int what##_end(struct stage *s)					\
{									\
	int err = s->what ? call(s->what) : 0;				\
									\
	if (!err)							\
		s->what = NULL;						\
	return err;							\
}									\
									\
static void what##_gone(struct stage *s)				\
{									\
	AGAIN(what##_end(s));						\
}

static struct ibv_srq *make_srq(struct stage *s)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 20, .max_sge = 2 } };

	return ibv_create_srq(dev(s)->pd, &attr);
}

static struct ibv_qp *make_qp(struct stage *s, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = s->cq, .recv_cq = s->cq, .srq = s->srq, .qp_type = type,
		.cap = { .max_send_wr = 20, .max_recv_wr = 20, .max_send_sge = 2,
			 .max_recv_sge = 2, .max_inline_data = 64 },
	};

	return ibv_create_qp(dev(s)->pd, &attr);
}

static struct ibv_ah *make_ah(struct stage *s)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = PORT_NUM,
		.grh = { .dgid = s->env->dev[1].gid, .sgid_index = dev(s)->gid_index,
			 .hop_limit = 64 },
	};

	return ibv_create_ah(dev(s)->pd, &attr);
}

MAKE(pd, ibv_alloc_pd(dev(s)->ctx))
MAKE(cq, ibv_create_cq(dev(s)->ctx, 100, NULL, NULL, 0))
MAKE(srq, make_srq(s))
MAKE(qp, make_qp(s, IBV_QPT_RC))
MAKE(mr, ibv_reg_mr(dev(s)->pd, s->buf.map, BYTES, IBV_ACCESS_REMOTE_READ))
MAKE(mw, ibv_alloc_mw(dev(s)->pd, IBV_MW_TYPE_2))
MAKE(ah, make_ah(s))
END(pd, ibv_dealloc_pd)
END(cq, ibv_destroy_cq)
END(srq, ibv_destroy_srq)
END(qp, ibv_destroy_qp)
END(mr, ibv_dereg_mr)
END(mw, ibv_dealloc_mw)
END(ah, ibv_destroy_ah)

static int qp_uc_make(struct stage *s)
{
	s->qp = make_qp(s, IBV_QPT_UC);
	return s->qp ? 0 : errno;
}

static int qp_ud_make(struct stage *s)
{
	s->qp = make_qp(s, IBV_QPT_UD);
	return s->qp ? 0 : errno;
}

static void cq_srq_need(struct stage *s)
{
	cq_need(s);
	srq_need(s);
}

static void cq_qp_need(struct stage *s)
{
	cq_need(s);
	qp_need(s);
}

static void qp_srq_cq_gone(struct stage *s)
{
	qp_gone(s);
	srq_gone(s);
	cq_gone(s);
}

static void ud_need(struct stage *s)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT_NUM };

	cq_need(s);
	CHECK(!qp_ud_make(s), "UD QP");
	CHECK(!ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_QKEY), "INIT");
}

static const union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 7, 7, 7 } };

static int attach(struct stage *s)
{
	return ibv_attach_mcast(s->qp, &group, 0);
}

static int detach(struct stage *s)
{
	return ibv_detach_mcast(s->qp, &group, 0);
}

static void attached_need(struct stage *s)
{
	ud_need(s);
	CHECK(!attach(s), "attach");
}

static void attached_gone(struct stage *s)
{
	detach(s);
	qp_srq_cq_gone(s);
}

static int cq_resize(struct stage *s)
{
	return ibv_resize_cq(s->cq, 1000);
}

static int srq_resize(struct stage *s)
{
	struct ibv_srq_attr attr = { .max_wr = 1000 };

	return ibv_modify_srq(s->srq, &attr, IBV_SRQ_MAX_WR);
}

static int srq_limit(struct stage *s)
{
	struct ibv_srq_attr attr = { .srq_limit = 1 };

	return ibv_modify_srq(s->srq, &attr, IBV_SRQ_LIMIT);
}

static int qp_init(struct stage *s)
{
	return end_to_init(&s->pair.end[0], &s->pair.opts, s->pair.opts.access[0]);
}

static int qp_rtr(struct stage *s)
{
	return end_to_rtr(&s->pair.end[0], &s->pair.opts, s->pair.end[1].qp->qp_num);
}

static int qp_rts(struct stage *s)
{
	return end_to_rts(&s->pair.end[0], &s->pair.opts);
}

static void qp_reset(struct stage *s)
{
	CHECK(!end_to_state(&s->pair.end[0], IBV_QPS_RESET), "RESET");
}

static void init_need(struct stage *s)
{
	CHECK(!qp_init(s), "INIT");
}

static void rtr_need(struct stage *s)
{
	init_need(s);
	CHECK(!qp_rtr(s), "RTR");
}

static int query(struct stage *s)
{
	return end_state(&s->pair.end[0]) < 0 ? errno : 0;
}

static int context(struct stage *s)
{
	struct ibv_context *ctx = ibv_open_device(dev(s)->ctx->device);

	if (!ctx)
		return errno ? errno : ENOMEM;
	return ibv_close_device(ctx) ? errno : 0;
}

static void connect_need(struct stage *s)
{
	pair_connect(&s->pair);
}

static void reset_both(struct stage *s)
{
	CHECK(!end_to_state(&s->pair.end[0], IBV_QPS_RESET), "RESET");
	CHECK(!end_to_state(&s->pair.end[1], IBV_QPS_RESET), "RESET");
}

/* No lack of memory ends a connection. A bell that failed is rung again by the next request. */
static int transfer(struct stage *s)
{
	struct ibv_sge sge = { (uintptr_t)s->buf.mem, BYTES, s->buf.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = ++s->wr_id, .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
	}, next = { .opcode = IBV_WR_RDMA_WRITE };
	int err = end_post_recv(&s->pair.end[1], s->wr_id, &s->place, 1);

	if (err)
		return err;
	return end_post_send(&s->pair.end[0], &wr) ? end_post_send(&s->pair.end[0], &next) : 0;
}

static void transferred(struct stage *s)
{
	end_expect_status(&s->pair.end[0], false, s->wr_id, IBV_WC_SUCCESS, "SEND");
	end_expect_status(&s->pair.end[1], true, s->wr_id, IBV_WC_SUCCESS, "receive");
	CHECK(!memcmp(s->target.mem, s->buf.mem, BYTES), "other bytes arrived");
	memset(s->target.mem, 0, BYTES);
	reset_both(s);
}

#define STEPS(X)							\
	X(open_device, NULL, context, NULL, false)			\
	X(alloc_pd, NULL, pd_make, pd_gone, false)			\
	X(dealloc_pd, pd_need, pd_end, pd_gone, false)			\
	X(create_cq, NULL, cq_make, cq_gone, false)			\
	X(resize_cq, cq_need, cq_resize, cq_gone, false)		\
	X(destroy_cq, cq_need, cq_end, cq_gone, false)			\
	X(create_srq, NULL, srq_make, srq_gone, false)			\
	X(resize_srq, srq_need, srq_resize, srq_gone, false)		\
	X(limit_srq, srq_need, srq_limit, srq_gone, false)		\
	X(destroy_srq, srq_need, srq_end, srq_gone, false)		\
	X(create_qp, cq_need, qp_make, qp_srq_cq_gone, false)		\
	X(create_qp_srq, cq_srq_need, qp_make, qp_srq_cq_gone, false)	\
	X(create_qp_uc, cq_need, qp_uc_make, qp_srq_cq_gone, false)	\
	X(create_qp_ud, cq_need, qp_ud_make, qp_srq_cq_gone, false)	\
	X(destroy_qp, cq_qp_need, qp_end, qp_srq_cq_gone, false)	\
	X(modify_qp_init, NULL, qp_init, qp_reset, false)		\
	X(modify_qp_rtr, init_need, qp_rtr, qp_reset, false)		\
	X(modify_qp_rts, rtr_need, qp_rts, qp_reset, false)		\
	X(query_qp, NULL, query, NULL, false)				\
	X(attach_mcast, ud_need, attach, attached_gone, false)		\
	X(detach_mcast, attached_need, detach, attached_gone, false)	\
	X(reg_mr, NULL, mr_make, mr_gone, false)			\
	X(dereg_mr, mr_need, mr_end, mr_gone, false)			\
	X(alloc_mw, NULL, mw_make, mw_gone, false)			\
	X(dealloc_mw, mw_need, mw_end, mw_gone, false)			\
	X(create_ah, NULL, ah_make, ah_gone, false)			\
	X(destroy_ah, ah_need, ah_end, ah_gone, false)			\
	X(transfer, connect_need, transfer, transferred, true)

#define STEP_INDEX(name, before, run, after, must) STEP_##name,
#define STEP_ROW(name, before, run, after, must) { #name, before, run, after, must },
#define STEP_TEST(name, before, run, after, must)			\
	{ "nomem/" #name, test_step, STEP_##name, 300, TEST_LONG },

enum { STEPS(STEP_INDEX) };

static const struct step steps[] = { STEPS(STEP_ROW) };

/* Return: whether the step came to its end without a fault: there is no further one. */
static bool run_step(struct stage *s, const struct step *step, unsigned int nth)
{
	bool hit;
	int err;

	if (step->before)
		step->before(s);
	inject(nth);
	err = step->run(s);
	hit = injected();
	CHECK(!err || (hit && !step->must), "%s: fault %u: %s", step->name, nth, strerror(err));
	if (step->after)
		step->after(s);
	return !hit;
}

static void test_step(struct env *env, long index)
{
	struct pair_opts opts = pair_defaults(env);
	struct stage s = { .env = env };
	unsigned int nth = 1;

	if (!inject_open()) {
		tap_skip("the kernel injects no faults");
		return;
	}
	if (pair_create(&s.pair, env, &opts) &&
	    buf_open(&s.buf, env->dev[0].pd, BYTES, IBV_ACCESS_LOCAL_WRITE) &&
	    buf_open(&s.target, env->dev[1].pd, BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		s.place = (struct ibv_sge) { (uintptr_t)s.target.mem, BYTES, s.target.mr->lkey };
		while (!run_step(&s, &steps[index], nth) && nth < TRIES_MAX && !tap_failed())
			nth++;
		tap_note("%u faults", nth - 1);
	}
	buf_close(&s.target);
	buf_close(&s.buf);
	pair_close(&s.pair);
	close(nth_fd);
}

const struct test nomem_tests[] = {
	STEPS(STEP_TEST)
	{ }
};

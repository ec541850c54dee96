// SPDX-License-Identifier: GPL-2.0
/*
 * The path goes away under load (--cut) and comes back (--mend): each QP ends within
 * the time that its timeout and its retries give, and new connections work.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define DEPTH		8
#define LEN		3000
#define LOAD_MSEC	500
/* Scheduling of a slow guest, on top of the times that a QP's parameters give. */
#define SLACK_MSEC	4000
#define DEAD_MSEC	60000

static const struct {
	uint8_t timeout, retry_cnt;
} params[] = {
	{ 16, 5 }, { 17, 3 }, { 16, 2 }, { 18, 1 }, { 19, 0 }, { 17, 4 },
};

#define PAIRS (sizeof(params) / sizeof(params[0]))

/* One requester under load. */
struct load {
	struct end *end;
	struct buf *local, *remote;
	uint64_t posted, done, last_msec, error_msec;
};

struct cut {
	struct env *env;
	struct pair pair[PAIRS];
	struct load load[2 * PAIRS];
	struct buf buf[2];
	uint64_t begin_msec, end_msec;	/* of the command; 0 while it runs */
	int status;
};

/* IBA 9.7.6.1.3: the timeout is between T and 4 T, T = 4.096 us << timeout. */
static uint64_t timeouts_msec(const struct pair_opts *opts, unsigned int count)
{
	return (4096ULL << opts->timeout) * count / 1000000;
}

static void *run_cut(void *arg)
{
	struct cut *c = arg;

	c->begin_msec = now_msec();
	c->status = system(c->env->cut);
	__atomic_store_n(&c->end_msec, now_msec(), __ATOMIC_RELEASE);
	return NULL;
}

static bool post(struct load *load)
{
	static const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ };
	struct ibv_sge sge = {
		.addr = (uintptr_t)load->local->mem, .length = rnd_below(LEN),
		.lkey = load->local->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = load->posted, .sg_list = &sge, .num_sge = 1,
		.opcode = opcodes[rnd() & 1], .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)load->remote->mem, load->remote->mr->rkey },
	};

	if (!CHECK(!end_post_send(load->end, &wr), "post_send"))
		return false;
	load->posted++;
	return true;
}

/* The first error is the one that was to come, what is behind it is flushed. */
static bool take(struct load *load, const struct ibv_wc *wc, uint64_t now)
{
	enum ibv_wc_status wanted = load->error_msec ? IBV_WC_WR_FLUSH_ERR : IBV_WC_RETRY_EXC_ERR;

	if (!CHECK(wc->wr_id == load->done, "completion of %llu, not of %llu",
		   (unsigned long long)wc->wr_id, (unsigned long long)load->done))
		return false;
	load->done++;
	if (wc->status == IBV_WC_SUCCESS && !load->error_msec) {
		load->last_msec = now;
		return true;
	}
	if (!load->error_msec)
		load->error_msec = now;
	return CHECK(wc->status == wanted, "status is \"%s\", not \"%s\"",
		     ibv_wc_status_str(wc->status), ibv_wc_status_str(wanted));
}

static bool step(struct load *load)
{
	struct ibv_wc wc[DEPTH];
	int n, i;

	while (!load->error_msec && load->posted - load->done < DEPTH) {
		if (!post(load))
			return false;
	}
	n = ibv_poll_cq(load->end->scq, DEPTH, wc);
	if (!CHECK(n >= 0, "ibv_poll_cq: %d", n))
		return false;
	for (i = 0; i < n; i++) {
		if (!take(load, &wc[i], now_msec()))
			return false;
	}
	return true;
}

/* Every QP has had a success. */
static bool all_run(const struct cut *c)
{
	unsigned int i;

	for (i = 0; i < 2 * PAIRS; i++) {
		if (!c->load[i].done)
			return false;
	}
	return true;
}

/* Run until all have ended, or @until; Return: whether all have ended. */
static bool run_load(struct cut *c, uint64_t until)
{
	bool over = false;
	unsigned int i;

	while (!over && now_msec() < until) {
		over = true;
		for (i = 0; i < 2 * PAIRS; i++) {
			if (!step(&c->load[i]))
				return false;
			over &= c->load[i].error_msec && c->load[i].done == c->load[i].posted;
		}
		sched_yield();
	}
	return over;
}

static void check_times(struct cut *c)
{
	unsigned int i;

	for (i = 0; i < 2 * PAIRS; i++) {
		const struct load *load = &c->load[i];
		const struct pair_opts *opts = &c->pair[i / 2].opts;
		/* A NAK for what was lost at the moment of the cut may cost one of the tries. */
		uint64_t low = timeouts_msec(opts, opts->retry_cnt);
		uint64_t bound = 4 * timeouts_msec(opts, opts->retry_cnt + 1);
		uint64_t high = bound + SLACK_MSEC;
		/* The command's end is the latest moment at which the path went. */
		uint64_t since = load->error_msec < c->end_msec ? 0 : load->error_msec - c->end_msec;
		uint64_t silent = load->error_msec - load->last_msec;

		tap_note("timeout %u, retry_cnt %u: %llu ms after the cut, %llu after the last success, bound %llu to %llu",
			 opts->timeout, opts->retry_cnt, (unsigned long long)since,
			 (unsigned long long)silent, (unsigned long long)low,
			 (unsigned long long)bound);
		CHECK(load->error_msec >= c->begin_msec, "timeout %u, retry_cnt %u: over before the cut",
		      opts->timeout, opts->retry_cnt);
		CHECK(since <= high, "timeout %u, retry_cnt %u: over after %llu ms, not %llu",
		      opts->timeout, opts->retry_cnt, (unsigned long long)since,
		      (unsigned long long)high);
		/* What takes less than a guest may stand still cannot be told from below. */
		CHECK(low < 500 || silent >= low, "timeout %u, retry_cnt %u: over after %llu ms, before %llu",
		      opts->timeout, opts->retry_cnt, (unsigned long long)silent,
		      (unsigned long long)low);
		end_wait_state(load->end, IBV_QPS_ERR, "after the last retry");
		end_expect_none(load->end, "after the last retry");
	}
}

static bool cut_open(struct cut *c, struct env *env)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	unsigned int i;

	c->env = env;
	for (i = 0; i < 2; i++) {
		if (!buf_open(&c->buf[i], env->dev[i].pd, LEN, access))
			return false;
	}
	for (i = 0; i < PAIRS; i++) {
		struct pair_opts opts = pair_defaults(env);

		opts.timeout = params[i].timeout;
		opts.retry_cnt = params[i].retry_cnt;
		if (!pair_open(&c->pair[i], env, &opts))
			return false;
	}
	for (i = 0; i < 2 * PAIRS; i++) {
		c->load[i].end = &c->pair[i / 2].end[i & 1];
		c->load[i].local = &c->buf[i & 1];
		c->load[i].remote = &c->buf[!(i & 1)];
	}
	return true;
}

static void cut_close(struct cut *c)
{
	uint64_t start = now_msec();
	unsigned int i;

	for (i = 0; i < PAIRS; i++)
		pair_close(&c->pair[i]);
	CHECK(now_msec() - start < 2 * SLACK_MSEC, "to destroy the QPs took %llu ms",
	      (unsigned long long)(now_msec() - start));
	for (i = 0; i < 2; i++)
		buf_close(&c->buf[i]);
}

static void load_and_cut(struct cut *c)
{
	uint64_t deadline = now_msec() + c->env->wait_msec;
	pthread_t thread;
	bool over;

	do {
		over = run_load(c, now_msec() + LOAD_MSEC);
	} while (!over && !tap_failed() && !all_run(c) && now_msec() < deadline);
	if (tap_failed() ||
	    !CHECK(!over && all_run(c), "no traffic on some QP before the cut") ||
	    !CHECK(!pthread_create(&thread, NULL, run_cut, c), "pthread_create"))
		return;
	over = run_load(c, now_msec() + DEAD_MSEC);
	pthread_join(thread, NULL);
	CHECK(!c->status, "%s: status %d", c->env->cut, c->status);
	if (CHECK(over || tap_failed(), "some QPs did not end within %u ms", DEAD_MSEC) &&
	    !tap_failed())
		check_times(c);
}

static bool port_is(struct device *dev, enum ibv_port_state state)
{
	struct ibv_port_attr port;

	return !ibv_query_port(dev->ctx, PORT_NUM, &port) && port.state == state;
}

static void mend(struct env *env)
{
	struct pair_opts opts = pair_defaults(env);
	uint64_t deadline = now_msec() + env->wait_msec;
	struct bufs bufs;
	struct pair pair;
	unsigned int op, i;

	if (!CHECK(!system(env->mend), "%s failed", env->mend))
		return;
	for (i = 0; i < 2; i++) {
		while (!port_is(&env->dev[i], IBV_PORT_ACTIVE) && now_msec() < deadline)
			sleep_msec(10);
		CHECK(port_is(&env->dev[i], IBV_PORT_ACTIVE), "port of end %u is not active", i);
	}
	if (tap_failed() || !bufs_open(&bufs, env, 20000))
		return;
	if (pair_open(&pair, env, &opts)) {
		for (op = 0; op < 2 * OP_COUNT; op++) {
			struct op_run run = { .op = op / 2, .len = rnd_below(20000), .sge = 2 };

			if (!op_run(&pair, op & 1, &bufs, &run))
				break;
		}
		pair_close(&pair);
	}
	bufs_close(&bufs);
}

static void test_cut(struct env *env, long arg)
{
	struct cut *c = calloc(1, sizeof(*c));

	(void)arg;
	if (!CHECK(c, "no memory"))
		return;
	if (cut_open(c, env))
		load_and_cut(c);
	cut_close(c);
	free(c);
	if (env->mend)
		mend(env);
}

const struct test cut_tests[] = {
	{ "cut/under-load", test_cut, 0, 200, TEST_CUT },
	{ }
};

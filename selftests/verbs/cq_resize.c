// SPDX-License-Identifier: GPL-2.0
/*
 * Resizing of CQs (IBA 11.2.8.3): completions that wait to be polled stay, in their order,
 * whatever happens meanwhile; a size that cannot be is refused and changes nothing.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define WINDOW 30

static bool resize(struct ibv_cq *cq, int cqe)
{
	int err = ibv_resize_cq(cq, cqe);

	return CHECK(!err, "ibv_resize_cq to %d: %s", cqe, strerror(err)) &&
	       CHECK(cq->cqe >= cqe, "asked for %d entries, granted %d", cqe, cq->cqe);
}

static bool refuse(struct ibv_cq *cq, int cqe)
{
	int before = cq->cqe, err = ibv_resize_cq(cq, cqe);

	return CHECK(err == EINVAL, "resize to %d gives %d", cqe, err) &&
	       CHECK(cq->cqe == before, "%d entries after a refused resize", cq->cqe);
}

static bool post_pair(struct pair *pair, uint64_t wr_id)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};

	return CHECK(!end_post_recv(&pair->end[1], wr_id, NULL, 0), "post_recv") &&
	       CHECK(!end_post_send(&pair->end[0], &wr), "post_send");
}

/* Messages whose receive completions nobody polls; they are there when this returns. */
static bool leave_unread(struct pair *pair, uint64_t first, unsigned int count)
{
	uint64_t id;

	for (id = first; id < first + count; id++) {
		if (!post_pair(pair, id) ||
		    !end_expect_status(&pair->end[0], false, id, IBV_WC_SUCCESS, "send"))
			return false;
	}
	return true;
}

/* One completion of each number from @first on, in order. */
static bool expect_received(struct pair *pair, uint64_t first, unsigned int count)
{
	while (count--) {
		if (!end_expect_status(&pair->end[1], true, first++, IBV_WC_SUCCESS, "receive"))
			return false;
	}
	return true;
}

static void test_sizes(struct env *env, long arg)
{
	const int sizes[] = { 64, 1, 2, 3, 4, 1000, 5, 4096, 65535, 200,
			      env->dev[1].attr.max_cqe, 40 };
	struct pair_opts opts = pair_defaults(env);
	struct ibv_cq *cq;
	struct pair pair;
	unsigned int i;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	cq = pair.end[1].rcq;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !tap_failed(); i++) {
		if (resize(cq, sizes[i]) && resize(pair.end[1].scq, sizes[i]) &&
		    end_follow(&pair.end[0], "after a resize"))
			end_follow(&pair.end[1], "after a resize");
	}
	refuse(cq, 0);
	refuse(cq, -1);
	refuse(cq, env->dev[1].attr.max_cqe + 1);
	end_follow(&pair.end[0], "after a refused resize");
	end_expect_none(&pair.end[1], "at the end");
	pair_close(&pair);
}

static void test_unread(struct env *env, long count)
{
	struct pair_opts opts = pair_defaults(env);
	const int half = count / 2, rest = count - half;
	struct ibv_cq *cq;
	struct pair pair;

	opts.recv_wr = count;
	if (!pair_open(&pair, env, &opts))
		return;
	cq = pair.end[1].rcq;
	if (!leave_unread(&pair, 1000, count))
		goto out_close;
	/* One less than what waits is too few, and as many are enough. */
	refuse(cq, count - 1);
	refuse(cq, 1);
	if (!resize(cq, count) || !resize(cq, 8 * count) || !resize(cq, 2 * count))
		goto out_close;
	expect_received(&pair, 1000, half);
	refuse(cq, rest - 1);
	if (!resize(cq, count + 8) || !resize(cq, 3 * count))
		goto out_close;
	/* New ones queue up behind those that wait. */
	if (leave_unread(&pair, 1000 + count, half) && resize(cq, count) && resize(cq, 16 * count))
		expect_received(&pair, 1000 + half, count);
	end_expect_none(&pair.end[1], "at the end");
out_close:
	pair_close(&pair);
}

/* Armed before, and completed after it: one event. */
static void test_armed(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pollfd pfd = { .events = POLLIN };
	struct ibv_cq *cq;
	struct pair pair;
	struct end *to;
	void *context;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	to = &pair.end[1];
	pfd.fd = to->chan->fd;
	CHECK(!ibv_req_notify_cq(to->rcq, 0), "arm");
	if (resize(to->rcq, 500) && leave_unread(&pair, 1, 1)) {
		CHECK(poll(&pfd, 1, env->wait_msec) == 1, "no event after a resize");
		if (!ibv_get_cq_event(to->chan, &cq, &context))
			ibv_ack_cq_events(cq, 1);
		resize(to->rcq, 20);
		CHECK(poll(&pfd, 1, 100) == 0, "a resize raised an event");
		expect_received(&pair, 1, 1);
	}
	pair_close(&pair);
}

/* ---- under traffic ---- */

/**
 * struct resizer - a thread that changes the size of both CQs of a connection
 * @pair: the connection
 * @stop: told to end
 * @count: how often it did
 */
struct resizer {
	struct pair *pair;
	volatile bool stop;
	unsigned int count;
};

static void *keep_resizing(void *arg)
{
	static const int sizes[] = { WINDOW + 1, 4000, 40, 127, 1023, 64, 255, 20000 };
	struct resizer *r = arg;
	int err = 0;

	while (!r->stop && !err) {
		err = ibv_resize_cq(r->pair->end[0].scq, sizes[r->count % 8]);
		if (!err)
			err = ibv_resize_cq(r->pair->end[1].rcq, sizes[(r->count + 3) % 8]);
		if (r->count++ % 4 == 0)
			sleep_msec(1);
	}
	CHECK(!err, "resize under traffic: %s", strerror(err));
	return NULL;
}

/* Take what there is, at most a few; numbers follow each other. Return: how many there were. */
static int take(struct ibv_cq *cq, uint64_t *next, const char *what)
{
	struct ibv_wc wc[4];
	int n = ibv_poll_cq(cq, 4, wc), i;

	CHECK(n >= 0, "%s: ibv_poll_cq returned %d", what, n);
	for (i = 0; i < n; i++) {
		CHECK(wc[i].wr_id == *next && !wc[i].status, "%s %llu, not %llu, \"%s\"", what,
		      (unsigned long long)wc[i].wr_id, (unsigned long long)*next,
		      ibv_wc_status_str(wc[i].status));
		(*next)++;
	}
	return n;
}

/* Messages for so long, and until all have completed. Return: how many there were. */
static uint64_t stream(struct pair *pair, unsigned int msec)
{
	uint64_t end = now_msec() + msec, posted = 0, sent = 0, received = 0;

	while (!tap_failed()) {
		bool over = now_msec() >= end;

		if (over && sent == posted && received == posted)
			break;
		if (!CHECK(now_msec() < end + pair->env->wait_msec,
			   "%llu posted, %llu sent, %llu received", (unsigned long long)posted,
			   (unsigned long long)sent, (unsigned long long)received))
			break;
		if (!over && posted < sent + WINDOW && posted < received + WINDOW &&
		    post_pair(pair, posted))
			posted++;
		/* Not all at once, so that some wait while the size changes. */
		if (posted % 3 == 0 || over)
			take(pair->end[0].scq, &sent, "send");
		if (posted % 5 == 0 || over || posted >= received + WINDOW)
			take(pair->end[1].rcq, &received, "receive");
		if (posted >= sent + WINDOW)
			take(pair->end[0].scq, &sent, "send");
	}
	return posted;
}

static void test_traffic(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct resizer resizer = { 0 };
	pthread_t thread;
	struct pair pair;
	uint64_t n;

	(void)arg;
	if (!pair_open(&pair, env, &opts))
		return;
	resizer.pair = &pair;
	if (CHECK(!pthread_create(&thread, NULL, keep_resizing, &resizer), "no thread")) {
		n = stream(&pair, env->quick ? 2000 : 10000);
		resizer.stop = true;
		pthread_join(thread, NULL);
		CHECK(n > 20 && resizer.count > 2, "%llu messages, %u resizes",
		      (unsigned long long)n, resizer.count);
		tap_note("%llu messages, %u resizes", (unsigned long long)n, resizer.count);
	}
	end_expect_none(&pair.end[0], "at the end");
	end_expect_none(&pair.end[1], "at the end");
	pair_close(&pair);
}

const struct test cq_resize_tests[] = {
	{ "cq/resize-sizes", test_sizes, 0, 0 },
	{ "cq/resize-unread-5", test_unread, 5, 0 },
	{ "cq/resize-unread-700", test_unread, 700, 0 },
	{ "cq/resize-armed", test_armed, 0, 0 },
	{ "cq/resize-traffic", test_traffic, 0, 0 },
	{ }
};

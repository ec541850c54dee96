// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams alone: sizes, scatter/gather, inline, immediate, both posting interfaces,
 * the network header in front, events, unsignalled and waiting requests.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define BYTES_MAX 4096

static bool open_all(struct ud *ud, struct bufs *bufs, struct env *env,
		     const struct pair_opts *opts)
{
	if (!bufs_open(bufs, env, UD_GRH_BYTES + BYTES_MAX + 128))
		return false;
	if (ud_open(ud, env, opts))
		return true;
	bufs_close(bufs);
	return false;
}

static void close_all(struct ud *ud, struct bufs *bufs)
{
	ud_close(ud);
	bufs_close(bufs);
}

/* Every length at which something changes: pad, a cache line, a page fragment, the MTU. */
static unsigned int sizes_of(const struct ud *ud, size_t *sizes)
{
	const size_t all[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 255, 256, 257, 511, 512, 1000, 1023,
		ud->mtu / 2, ud->mtu - 5, ud->mtu - 4, ud->mtu - 3, ud->mtu - 2, ud->mtu - 1,
		ud->mtu,
	};
	const size_t few[] = { 0, 1, 3, 4, 257, ud->mtu - 1, ud->mtu };

	if (ud->pair.env->quick) {
		memcpy(sizes, few, sizeof(few));
		return sizeof(few) / sizeof(few[0]);
	}
	memcpy(sizes, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static void run_sizes(struct ud *ud, struct bufs *bufs, bool has_imm)
{
	size_t sizes[32];
	unsigned int n = sizes_of(ud, sizes), i;

	for (i = 0; i < n; i++) {
		struct ud_msg msg = {
			.len = sizes[i], .has_imm = has_imm, .sge = sizes[i] ? 1 + i % 3 : i % 2,
			.recv_sge = 1 + i % 3,
		};

		if (!ud_send(ud, i & 1, bufs, &msg) || !ud_send(ud, !(i & 1), bufs, &msg))
			return;
	}
}

static void test_sizes(struct env *env, long has_imm)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct ud ud;
	int api;

	for (api = 0; api < 2 && !tap_failed(); api++) {
		opts.wr_api = api;
		opts.events = api;
		if (!open_all(&ud, &bufs, env, &opts))
			return;
		run_sizes(&ud, &bufs, has_imm);
		close_all(&ud, &bufs);
	}
}

static void test_sges(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct ud ud;
	int n;

	(void)arg;
	opts.sge = pair_max_sge(env);
	if (!open_all(&ud, &bufs, env, &opts))
		return;
	for (n = 1; n <= (int)opts.sge && !tap_failed(); n += env->quick ? 5 : 1) {
		struct ud_msg msg = {
			.len = 100 + rnd_below(ud.mtu - 100), .sge = n,
			.recv_sge = opts.sge + 1 - n,
		};

		ud_send(&ud, n & 1, &bufs, &msg);
	}
	close_all(&ud, &bufs);
}

/* The first SGE of a receive ends in the middle of the network header, or with it. */
static void test_split_header(struct env *env, long arg)
{
	static const unsigned int first[] = { 1, 19, 20, 21, 39, 40, 41 };
	struct pair_opts opts = pair_defaults(env);
	uint8_t whole[UD_GRH_BYTES + 100];
	struct ibv_sge sge[2];
	struct bufs bufs;
	struct ud ud;
	unsigned int i;

	(void)arg;
	if (!open_all(&ud, &bufs, env, &opts))
		return;
	for (i = 0; i < sizeof(first) / sizeof(first[0]) && !tap_failed(); i++) {
		struct ibv_send_wr wr = ud_wr(&ud, 0, i);
		struct ibv_sge from = {
			.addr = (uintptr_t)bufs.tx[0].mem, .length = 100,
			.lkey = bufs.tx[0].mr->lkey,
		};
		struct layout dst = { .buf = &bufs.rx[1], .count = 2, .total = sizeof(whole) };

		sge[0].addr = (uintptr_t)bufs.rx[1].mem;
		sge[0].length = first[i];
		sge[1].addr = sge[0].addr + first[i] + 3;
		sge[1].length = sizeof(whole) - first[i];
		sge[0].lkey = sge[1].lkey = bufs.rx[1].mr->lkey;
		memcpy(dst.sge, sge, sizeof(sge));
		wr.sg_list = &from;
		wr.num_sge = 1;
		if (!CHECK(!end_post_recv(&ud.pair.end[1], i, sge, 2), "post_recv") ||
		    !CHECK(!end_post_send(&ud.pair.end[0], &wr), "post_send") ||
		    !end_expect_status(&ud.pair.end[0], false, i, IBV_WC_SUCCESS, "send") ||
		    !end_expect_status(&ud.pair.end[1], true, i, IBV_WC_SUCCESS, "receive"))
			break;
		layout_gather(&dst, whole);
		CHECK(!memcmp(whole + UD_GRH_BYTES, bufs.tx[0].mem, 100),
		      "first SGE of %u bytes: the message is not behind 40 bytes", first[i]);
		layout_adopt(&dst);
		layout_check(&dst, "around the receive");
	}
	close_all(&ud, &bufs);
}

static void test_inline(struct env *env, long api)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct ud ud;
	size_t len, max;

	opts.inline_bytes = 128;
	opts.wr_api = api;
	if (!open_all(&ud, &bufs, env, &opts))
		return;
	max = ud.pair.end[0].cap.max_inline_data;
	for (len = 0; len <= max && !tap_failed(); len += env->quick ? 31 : 1) {
		struct ud_msg msg = {
			.len = len, .sge = len ? 1 + len % 2 : 0, .flags = IBV_SEND_INLINE,
			.has_imm = len & 1,
		};

		ud_send(&ud, 0, &bufs, &msg);
	}
	close_all(&ud, &bufs);
}

/* What the handle says stands in the header; of the hop limit the core decides. */
static void test_header(struct env *env, long arg)
{
	static const struct {
		uint8_t tclass;
		uint32_t label;
	} rows[] = { { 0, 0 }, { 0x28, 1 }, { 0xb8, 0xfffff }, { 0x04, 0x12345 } };
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct ud ud;
	unsigned int i;

	(void)arg;
	if (!open_all(&ud, &bufs, env, &opts))
		return;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && !tap_failed(); i++) {
		struct ibv_ah_attr attr = ud_ah_attr(&env->dev[0], &env->dev[1]);
		struct ud_msg msg = {
			.len = 37, .sge = 1, .tclass = rows[i].tclass, .label = rows[i].label,
		};

		attr.grh.traffic_class = msg.tclass;
		attr.grh.flow_label = msg.label;
		msg.ah = ibv_create_ah(env->dev[0].pd, &attr);
		if (!CHECK(msg.ah, "ibv_create_ah: %s", strerror(errno)))
			break;
		ud_send(&ud, 0, &bufs, &msg);
		ud_ah_destroy(msg.ah);
	}
	close_all(&ud, &bufs);
}

static bool has_event(struct end *end)
{
	struct ibv_wc wc;
	struct ibv_cq *cq;
	void *context;

	while (ibv_poll_cq(end->rcq, 1, &wc))
		;
	/* The event of a completion comes with it; the channel does not block. */
	if (ibv_get_cq_event(end->chan, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

static void test_solicited(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct buf area;
	struct end *to;
	struct ud ud;
	int i;

	(void)arg;
	if (!ud_open(&ud, env, &opts))
		return;
	to = &ud.pair.end[1];
	if (!buf_open(&area, to->dev->pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE))
		goto out;
	CHECK(!fcntl(to->chan->fd, F_SETFL, O_NONBLOCK), "O_NONBLOCK");
	CHECK(!ibv_req_notify_cq(to->rcq, 1), "ibv_req_notify_cq");
	for (i = 0; i < 4 && !tap_failed(); i++) {
		struct ibv_send_wr wr = ud_wr(&ud, 0, i);
		bool solicited = i >= 2;

		/* Not solicited, twice; then solicited with and without immediate. */
		wr.send_flags |= solicited ? IBV_SEND_SOLICITED : 0;
		wr.opcode = i & 1 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
		CHECK(!ud_post_recv(to, i, &area, 0), "post_recv");
		CHECK(!end_post_send(&ud.pair.end[0], &wr), "post_send");
		if (!end_expect_status(&ud.pair.end[0], false, i, IBV_WC_SUCCESS, "send") ||
		    !end_expect_status(to, true, i, IBV_WC_SUCCESS, "receive"))
			break;
		CHECK(has_event(to) == solicited, "datagram %d: %s event", i,
		      solicited ? "no" : "an");
		if (solicited)
			CHECK(!ibv_req_notify_cq(to->rcq, 1), "ibv_req_notify_cq");
	}
	buf_close(&area);
out:
	ud_close(&ud);
}

static bool post_many(struct ud *ud, struct buf *area, unsigned int n, unsigned int signal_each)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct ibv_send_wr wr = ud_wr(ud, 0, i);

		wr.send_flags = (i + 1) % signal_each ? 0 : IBV_SEND_SIGNALED;
		if (!CHECK(!ud_post_recv(&ud->pair.end[1], i, area, 0), "post_recv %u", i) ||
		    !CHECK(!end_post_send(&ud->pair.end[0], &wr), "post_send %u", i))
			return false;
	}
	return true;
}

static void expect_many(struct ud *ud, unsigned int n, unsigned int signal_each)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if ((i + 1) % signal_each == 0 &&
		    !end_expect_status(&ud->pair.end[0], false, i, IBV_WC_SUCCESS, "send"))
			return;
		if (!end_expect_status(&ud->pair.end[1], true, i, IBV_WC_SUCCESS, "receive"))
			return;
	}
	end_expect_none(&ud->pair.end[0], "sender");
	end_expect_none(&ud->pair.end[1], "receiver");
}

/* @each: every so many requests one is signalled; sq_sig_all when 0. */
static void test_signalling(struct env *env, long each)
{
	struct pair_opts opts = pair_defaults(env);
	unsigned int rounds = env->quick ? 3 : 10;
	struct buf area;
	struct ud ud;

	opts.sig_all = !each;
	if (!ud_open(&ud, env, &opts))
		return;
	if (buf_open(&area, env->dev[1].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		while (rounds-- && !tap_failed()) {
			/* With sq_sig_all no request asks for its completion. */
			if (post_many(&ud, &area, 24, each ? each : 1000))
				expect_many(&ud, 24, each ? each : 1);
		}
		buf_close(&area);
	}
	ud_close(&ud);
}

/* In SQD requests wait: the ring takes what was granted, no more, and all of it is sent. */
static void test_full_queue(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_send_wr wr;
	struct buf area;
	struct ud ud;
	unsigned int i, n;
	int err = 0;

	(void)arg;
	if (!ud_open(&ud, env, &opts))
		return;
	if (!buf_open(&area, env->dev[1].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE))
		goto out;
	n = ud.pair.end[0].cap.max_send_wr;
	if (ud.pair.end[1].cap.max_recv_wr < n)
		n = ud.pair.end[1].cap.max_recv_wr;
	for (i = 0; i < n; i++)
		CHECK(!ud_post_recv(&ud.pair.end[1], i, &area, 0), "post_recv %u", i);
	CHECK(!end_to_state(&ud.pair.end[0], IBV_QPS_SQD), "to SQD");
	for (i = 0; i < ud.pair.end[0].cap.max_send_wr && !err; i++) {
		wr = ud_wr(&ud, 0, i);
		err = end_post_send(&ud.pair.end[0], &wr);
		CHECK(!err, "request %u of %u: %s", i, ud.pair.end[0].cap.max_send_wr,
		      strerror(err));
	}
	end_expect_none(&ud.pair.end[0], "in SQD");
	wr = ud_wr(&ud, 0, 10000);
	err = end_post_send(&ud.pair.end[0], &wr);
	CHECK(err == ENOMEM, "one more: %s", strerror(err));
	CHECK(!end_to_state(&ud.pair.end[0], IBV_QPS_RTS), "to RTS");
	for (i = 0; i < ud.pair.end[0].cap.max_send_wr && !tap_failed(); i++)
		end_expect_status(&ud.pair.end[0], false, i, IBV_WC_SUCCESS, "send");
	for (i = 0; i < n && !tap_failed(); i++)
		end_expect_status(&ud.pair.end[1], true, i, IBV_WC_SUCCESS, "receive");
	buf_close(&area);
out:
	ud_close(&ud);
}

const struct test ud_data_tests[] = {
	{ "ud/send", test_sizes, false },
	{ "ud/send-imm", test_sizes, true },
	{ "ud/sges", test_sges },
	{ "ud/split-header", test_split_header },
	{ "ud/inline", test_inline, false },
	{ "ud/inline-wr-api", test_inline, true },
	{ "ud/header", test_header },
	{ "ud/solicited", test_solicited },
	{ "ud/signalled-all", test_signalling, 0 },
	{ "ud/signalled-each-4", test_signalling, 4 },
	{ "ud/signalled-last-of-24", test_signalling, 24 },
	{ "ud/full-queue", test_full_queue },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups of UD QPs: who hears a group and who does not, limits and errors.
 *
 * Every datagram carries a tag. That an end hears nothing of a multicast is shown by a
 * unicast sent after it, which is the next that it hears.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define MULTICAST_QPN	0xffffffu
#define SLOTS		8
#define TAG_BYTES	sizeof(uint32_t)
#define SLOT_BYTES	(UD_GRH_BYTES + TAG_BYTES)

/* An end with receives posted, and the buffer of those. */
struct listener {
	struct end end;
	struct buf buf;
};

/* ---- ends and groups ---- */

static bool is_ip4(const struct env *env)
{
	const uint8_t *raw = env->dev[0].gid.raw;

	return raw[10] == 0xff && raw[11] == 0xff;
}

/* Group @n: 239.44.x.y, or one of the site's for IPv6. */
static union ibv_gid group(const struct env *env, unsigned int n)
{
	union ibv_gid gid = { };

	if (is_ip4(env)) {
		gid.raw[10] = 0xff;
		gid.raw[11] = 0xff;
		gid.raw[12] = 239;
		gid.raw[13] = 44;
	} else {
		gid.raw[0] = 0xff;
		gid.raw[1] = 0x15;
		gid.raw[13] = 44;
	}
	gid.raw[14] = n >> 8;
	gid.raw[15] = n;
	return gid;
}

static bool post_slot(struct listener *l, unsigned int slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)l->buf.mem + slot * SLOT_BYTES,
		.length = SLOT_BYTES,
		.lkey = l->buf.mr->lkey,
	};

	return CHECK(!end_post_recv(&l->end, slot, &sge, 1), "post_recv");
}

static void listener_close(struct listener *l)
{
	ud_end_close(&l->end);
	if (l->buf.map)
		buf_close(&l->buf);
	memset(l, 0, sizeof(*l));
}

static bool listener_open(struct listener *l, struct env *env, int dev, uint32_t qkey)
{
	struct pair_opts opts = pair_defaults(env);
	unsigned int slot;

	memset(l, 0, sizeof(*l));
	if (env->lossy) {
		tap_skip("datagrams are lost here");
		return false;
	}
	opts.inline_bytes = TAG_BYTES;
	if (!ud_end_open(&l->end, env, dev, &opts, qkey))
		return false;
	if (!buf_open(&l->buf, env->dev[dev].pd, SLOTS * SLOT_BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		listener_close(l);
		return false;
	}
	for (slot = 0; slot < SLOTS; slot++)
		post_slot(l, slot);
	return true;
}

static bool attach(struct end *end, union ibv_gid gid)
{
	int err = ibv_attach_mcast(end->qp, &gid, 0);

	return CHECK(!err, "ibv_attach_mcast: %s", strerror(err));
}

static bool detach(struct end *end, union ibv_gid gid)
{
	int err = ibv_detach_mcast(end->qp, &gid, 0);

	return CHECK(!err, "ibv_detach_mcast: %s", strerror(err));
}

static struct ibv_ah *group_ah(struct device *dev, union ibv_gid gid)
{
	struct ibv_ah_attr attr = ud_ah_attr(dev, dev);
	struct ibv_ah *ah;

	attr.grh.dgid = gid;
	ah = ibv_create_ah(dev->pd, &attr);
	CHECK(ah, "ibv_create_ah: %s", strerror(errno));
	return ah;
}

/* ---- datagrams ---- */

static bool send_tag(struct end *from, struct ibv_ah *ah, uint32_t qpn, uint32_t tag)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&tag, .length = TAG_BYTES };
	struct ibv_send_wr wr = {
		.wr_id = tag,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.ud = { .ah = ah, .remote_qpn = qpn, .remote_qkey = UD_QKEY },
	};
	int err = end_post_send(from, &wr);

	return CHECK(!err, "post_send: %s", strerror(err)) &&
	       end_expect_status(from, false, tag, IBV_WC_SUCCESS, "datagram");
}

static bool send_group(struct end *from, union ibv_gid gid, uint32_t tag)
{
	struct ibv_ah *ah = group_ah(from->dev, gid);
	bool ok = ah && send_tag(from, ah, MULTICAST_QPN, tag);

	ud_ah_destroy(ah);
	return ok;
}

/* What an end hears next; its slot is posted again. 0: nothing. */
static uint32_t next_tag(struct listener *l, struct ibv_wc *wc, uint8_t *grh)
{
	const uint8_t *at;
	uint32_t tag;

	if (!end_wait_wc(&l->end, l->end.rcq, wc))
		return 0;
	if (!CHECK(wc->status == IBV_WC_SUCCESS && wc->wr_id < SLOTS, "receive: %s",
		   ibv_wc_status_str(wc->status)))
		return 0;
	at = l->buf.mem + wc->wr_id * SLOT_BYTES;
	memcpy(grh, at, UD_GRH_BYTES);
	memcpy(&tag, at + UD_GRH_BYTES, TAG_BYTES);
	post_slot(l, wc->wr_id);
	return tag;
}

static bool hears(struct listener *l, uint32_t tag, const char *what)
{
	uint8_t grh[UD_GRH_BYTES];
	struct ibv_wc wc = { };
	uint32_t got = next_tag(l, &wc, grh);

	return CHECK(got == tag, "%s: heard 0x%x, not 0x%x", what, got, tag);
}

/* It hears nothing of what @from sent before this. */
static bool hears_nothing(struct listener *l, struct end *from, const char *what)
{
	uint32_t tag = rnd() | 1;
	struct ibv_ah *ah = ud_ah(from->dev, l->end.dev);
	bool ok = ah && send_tag(from, ah, l->end.qp->qp_num, tag) && hears(l, tag, what);

	ud_ah_destroy(ah);
	return ok;
}

/* ---- tests ---- */

enum { SENDER, NEAR_1, NEAR_2, FAR_1, FAR_2, NEAR_OUT, FAR_OUT, ALL };

static const int on_dev[ALL] = { [FAR_1] = 1, [FAR_2] = 1, [FAR_OUT] = 1 };

static bool open_all(struct listener *l, struct env *env)
{
	int i;

	memset(l, 0, ALL * sizeof(*l));
	for (i = 0; i < ALL; i++)
		if (!listener_open(&l[i], env, on_dev[i], UD_QKEY))
			return false;
	return true;
}

static void close_all(struct listener *l)
{
	int i;

	for (i = 0; i < ALL; i++)
		listener_close(&l[i]);
}

/* Send to the group; those whose bit is in @members hear it, and the others do not. */
static bool check_hearers(struct listener *l, union ibv_gid gid, unsigned int members,
			  const char *what)
{
	uint32_t tag = rnd() | 1;
	char which[64];
	bool ok = send_group(&l[SENDER].end, gid, tag);
	int i;

	for (i = 0; ok && i < ALL; i++) {
		snprintf(which, sizeof(which), "%s, end %d", what, i);
		if (members & 1u << i)
			ok = hears(&l[i], tag, which);
		else
			ok = hears_nothing(&l[i], &l[SENDER].end, which);
	}
	return ok;
}

static void run_delivery(struct listener *l, union ibv_gid gid)
{
	unsigned int members = 0;
	int i;

	check_hearers(l, gid, 0, "nobody attached");
	for (i = SENDER; i <= FAR_2; i++) {
		if (!attach(&l[i].end, gid))
			return;
		members |= 1u << i;
	}
	check_hearers(l, gid, members, "all attached");
	for (i = FAR_2; i >= SENDER; i--) {
		if (!detach(&l[i].end, gid))
			return;
		members &= ~(1u << i);
		if (!check_hearers(l, gid, members, "one left"))
			return;
	}
}

static void test_delivery(struct env *env, long arg)
{
	struct listener l[ALL];

	(void)arg;
	if (open_all(l, env))
		run_delivery(l, group(env, 1 + rnd_below(1000)));
	close_all(l);
}

/* Only its own groups, of many. */
static void test_many(struct env *env, long count)
{
	struct listener l, from;
	int i;

	if (!listener_open(&l, env, 1, UD_QKEY))
		return;
	if (!listener_open(&from, env, 0, UD_QKEY)) {
		listener_close(&l);
		return;
	}
	for (i = 0; i < count; i++)
		attach(&l.end, group(env, 2 * i));
	for (i = 0; i < 10 && !tap_failed(); i++) {
		unsigned int n = rnd_below(2 * count);
		uint32_t tag = rnd() | 1;

		if (!send_group(&from.end, group(env, n), tag))
			break;
		if (n % 2)
			hears_nothing(&l, &from.end, "a group that it is not in");
		else
			hears(&l, tag, "a group that it is in");
	}
	for (i = 0; i < count; i++)
		detach(&l.end, group(env, 2 * i));
	listener_close(&from);
	listener_close(&l);
}

static bool names_group(const uint8_t *grh, union ibv_gid gid, bool ip4)
{
	return ip4 ? !memcmp(grh + UD_GRH_BYTES - 4, gid.raw + 12, 4) :
		     !memcmp(grh + UD_GRH_BYTES - 16, gid.raw, 16);
}

static void test_header(struct env *env, long arg)
{
	union ibv_gid gid = group(env, 7);
	uint8_t grh[UD_GRH_BYTES];
	uint32_t tag = rnd() | 1;
	struct listener l, from;
	struct ibv_wc wc = { };

	(void)arg;
	if (!listener_open(&l, env, 1, UD_QKEY))
		return;
	if (listener_open(&from, env, 0, UD_QKEY)) {
		if (attach(&l.end, gid) && send_group(&from.end, gid, tag) &&
		    CHECK(next_tag(&l, &wc, grh) == tag, "nothing came")) {
			CHECK(wc.qp_num == l.end.qp->qp_num, "qp_num is 0x%x", wc.qp_num);
			CHECK(wc.src_qp == from.end.qp->qp_num, "src_qp is 0x%x", wc.src_qp);
			CHECK(wc.wc_flags == IBV_WC_GRH, "wc_flags are 0x%x", wc.wc_flags);
			CHECK(wc.byte_len == SLOT_BYTES, "byte_len is %u", wc.byte_len);
			CHECK(names_group(grh, gid, is_ip4(env)), "destination in the header");
			detach(&l.end, gid);
		}
		listener_close(&from);
	}
	listener_close(&l);
}

/* Each member has its own Q_Key. */
static void test_qkey(struct env *env, long arg)
{
	long long before = ud_counter(&env->dev[1], "drop_qkey");
	union ibv_gid gid = group(env, 8);
	struct listener from, right, wrong;
	uint32_t tag = rnd() | 1;

	(void)arg;
	memset(&right, 0, sizeof(right));
	memset(&wrong, 0, sizeof(wrong));
	if (!listener_open(&from, env, 0, UD_QKEY))
		return;
	if (listener_open(&right, env, 1, UD_QKEY) &&
	    listener_open(&wrong, env, 1, UD_QKEY + 1) &&
	    attach(&wrong.end, gid) && attach(&right.end, gid) &&
	    send_group(&from.end, gid, tag) && hears(&right, tag, "Q_Key of the datagram")) {
		ud_expect_counter(&env->dev[1], "drop_qkey", before + 1);
		end_expect_none(&wrong.end, "other Q_Key");
		detach(&wrong.end, gid);
		detach(&right.end, gid);
	}
	listener_close(&wrong);
	listener_close(&right);
	listener_close(&from);
}

/* The number of multicasts with a unicast address, and the other way round. */
static void test_qpn(struct env *env, long arg)
{
	long long before = ud_counter(&env->dev[1], "drop_multicast");
	union ibv_gid gid = group(env, 9);
	struct ibv_ah *to_group = group_ah(&env->dev[0], gid);
	struct ibv_ah *to_dev = ud_ah(&env->dev[0], &env->dev[1]);
	struct listener l, from;

	(void)arg;
	memset(&from, 0, sizeof(from));
	if (listener_open(&l, env, 1, UD_QKEY) && listener_open(&from, env, 0, UD_QKEY) &&
	    to_group && to_dev && attach(&l.end, gid)) {
		send_tag(&from.end, to_group, l.end.qp->qp_num, 1);
		send_tag(&from.end, to_dev, MULTICAST_QPN, 1);
		hears_nothing(&l, &from.end, "wrong QP numbers");
		ud_expect_counter(&env->dev[1], "drop_multicast", before + 2);
		detach(&l.end, gid);
	}
	listener_close(&from);
	listener_close(&l);
	ud_ah_destroy(to_group);
	ud_ah_destroy(to_dev);
}

static void check_refusals(struct listener *l, struct env *env)
{
	union ibv_gid gid = group(env, 10), other = group(env, 11), unicast = env->dev[0].gid;

	CHECK(ibv_attach_mcast(l->end.qp, &unicast, 0) == EINVAL, "a unicast address");
	CHECK(ibv_detach_mcast(l->end.qp, &gid, 0) == EINVAL, "detach of what is not attached");
	if (!attach(&l->end, gid))
		return;
	/* The core answers for the same LID; the LID means nothing, so the other is the same. */
	CHECK(!ibv_attach_mcast(l->end.qp, &gid, 0), "attach once more");
	CHECK(ibv_attach_mcast(l->end.qp, &gid, 0xc001) == EINVAL, "once more by another LID");
	CHECK(ibv_detach_mcast(l->end.qp, &other, 0) == EINVAL, "detach of another group");
	CHECK(ibv_destroy_qp(l->end.qp) == EBUSY, "a QP that is attached was destroyed");
	detach(&l->end, gid);
	CHECK(ibv_detach_mcast(l->end.qp, &gid, 0) == EINVAL, "detach twice");
}

static void test_errors(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	union ibv_gid gid = group(env, 12);
	struct listener l;
	struct pair rc;

	(void)arg;
	if (pair_create(&rc, env, &opts)) {
		CHECK(ibv_attach_mcast(rc.end[0].qp, &gid, 0) == EINVAL, "an RC QP");
		pair_close(&rc);
	}
	if (!listener_open(&l, env, 0, UD_QKEY))
		return;
	check_refusals(&l, env);
	listener_close(&l);
}

static void test_max_groups(struct env *env, long arg)
{
	int max = env->dev[0].attr.max_mcast_grp, i;
	union ibv_gid gid = group(env, max);
	struct listener l;

	(void)arg;
	if (!CHECK(max > 0 && max < 65536, "max_mcast_grp is %d", max) ||
	    !listener_open(&l, env, 0, UD_QKEY))
		return;
	for (i = 0; i < max; i++)
		if (!attach(&l.end, group(env, i)))
			break;
	if (i == max)
		CHECK(ibv_attach_mcast(l.end.qp, &gid, 0) == ENOMEM, "a group beyond the limit");
	while (i--)
		detach(&l.end, group(env, i));
	attach(&l.end, gid);
	detach(&l.end, gid);
	listener_close(&l);
}

static void test_max_members(struct env *env, long arg)
{
	int max = env->dev[0].attr.max_mcast_qp_attach, n = 0;
	struct pair_opts opts = pair_defaults(env);
	union ibv_gid gid = group(env, 13);
	struct end *end;

	(void)arg;
	if (!CHECK(max > 0 && max < 65536, "max_mcast_qp_attach is %d", max) ||
	    !CHECK(env->dev[0].attr.max_total_mcast_qp_attach >= max,
		   "max_total_mcast_qp_attach is %d",
		   env->dev[0].attr.max_total_mcast_qp_attach))
		return;
	opts.send_wr = 1;
	opts.recv_wr = 1;
	opts.sge = 1;
	end = calloc(max + 1, sizeof(*end));
	while (end && n <= max && ud_end_create(&end[n], env, 0, &opts)) {
		int err = ibv_attach_mcast(end[n].qp, &gid, 0);

		n++;
		if (!CHECK(err == (n <= max ? 0 : ENOMEM), "member %d: %s", n, strerror(err)))
			break;
	}
	while (n-- > 0) {
		if (n < max)
			detach(&end[n], gid);
		ud_end_close(&end[n]);
	}
	free(end);
}

/* While a QP is attached --cut is run, and --mend after that: both must succeed. */
static void test_watch(struct env *env, long arg)
{
	union ibv_gid gid = group(env, 99);
	struct listener l;

	(void)arg;
	if (!listener_open(&l, env, 0, UD_QKEY))
		return;
	if (attach(&l.end, gid)) {
		CHECK(!system(env->cut), "while attached");
		detach(&l.end, gid);
		CHECK(!env->mend || !system(env->mend), "after that");
	}
	listener_close(&l);
}

/* The path goes (--cut) and comes back (--mend): the membership is still there. */
static void test_bounce(struct env *env, long arg)
{
	union ibv_gid gid = group(env, 98);
	struct listener l, from;
	uint32_t tag = rnd() | 1;

	(void)arg;
	if (!listener_open(&l, env, 1, UD_QKEY))
		return;
	if (listener_open(&from, env, 0, UD_QKEY)) {
		attach(&l.end, gid);
		CHECK(!system(env->cut), "--cut");
		send_group(&from.end, gid, tag + 2);
		CHECK(!env->mend || !system(env->mend), "--mend");
		send_group(&from.end, gid, tag);
		hears(&l, tag, "after the path came back");
		detach(&l.end, gid);
		listener_close(&from);
	}
	listener_close(&l);
}

const struct test mcast_tests[] = {
	{ "mcast/delivery", test_delivery },
	{ "mcast/header", test_header },
	{ "mcast/qkey", test_qkey },
	{ "mcast/qpn", test_qpn },
	{ "mcast/many", test_many, 100 },
	{ "mcast/errors", test_errors },
	{ "mcast/max-groups", test_max_groups, 0, 300, TEST_LONG },
	{ "mcast/max-members", test_max_members, 0, 300, TEST_LONG },
	{ "mcast/watch", test_watch, 0, 0, TEST_CUT },
	{ "mcast/bounce", test_bounce, 0, 0, TEST_CUT },
	{ }
};

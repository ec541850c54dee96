// SPDX-License-Identifier: GPL-2.0
/*
 * Queue keys: which one goes into a datagram, which one is taken (IBA 9.6.1.4, 10.2.5),
 * who may set one with the highest bit, and changing it.
 */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define HIGH_BIT 0x80000000u

static int set_qkey(struct end *end, uint32_t qkey)
{
	struct ibv_qp_attr attr = { .qkey = qkey };

	return ibv_modify_qp(end->qp, &attr, IBV_QP_QKEY);
}

static long query_qkey(struct end *end)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(end->qp, &attr, IBV_QP_QKEY, &init) ? -1 : (long)attr.qkey;
}

/*
 * Send an empty datagram with @qkey; it is dropped and counted, or arrives. What is dropped
 * leaves the receive for the next one.
 */
static bool try(struct ud *ud, uint32_t qkey, bool arrives, const char *what)
{
	const struct device *dev = ud->pair.end[1].dev;
	long long dropped = ud_counter(dev, "drop_qkey");
	struct ibv_send_wr wr = ud_wr(ud, 0, 1);

	wr.wr.ud.remote_qkey = qkey;
	if (!CHECK(!end_post_send(&ud->pair.end[0], &wr), "%s: post_send", what) ||
	    !end_expect_status(&ud->pair.end[0], false, 1, IBV_WC_SUCCESS, what))
		return false;
	if (arrives)
		return end_expect_status(&ud->pair.end[1], true, 1, IBV_WC_SUCCESS, what);
	return (dropped < 0 || ud_expect_counter(dev, "drop_qkey", dropped + 1)) &&
	       end_expect_none(&ud->pair.end[1], what);
}

static bool open_one(struct ud *ud, struct buf *area, struct env *env, unsigned int receives)
{
	struct pair_opts opts = pair_defaults(env);

	if (!buf_open(area, env->dev[1].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE))
		return false;
	if (!ud_open(ud, env, &opts)) {
		buf_close(area);
		return false;
	}
	while (receives--)
		CHECK(!ud_post_recv(&ud->pair.end[1], 1, area, 0), "post_recv");
	return true;
}

static void close_one(struct ud *ud, struct buf *area)
{
	ud_close(ud);
	buf_close(area);
}

static void test_mismatch(struct env *env, long arg)
{
	static const uint32_t wrong[] = { 0, 1, UD_QKEY + 1, UD_QKEY ^ 0x40000000, 0x7fffffff };
	struct buf area;
	unsigned int i;
	struct ud ud;

	(void)arg;
	if (!open_one(&ud, &area, env, 1))
		return;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]) && !tap_failed(); i++)
		try(&ud, wrong[i], false, "wrong Q_Key");
	try(&ud, UD_QKEY, true, "right Q_Key");
	close_one(&ud, &area);
}

/* The highest bit in a request: what goes out is the QP's own key. */
static void test_own(struct env *env, long arg)
{
	struct buf area;
	struct ud ud;

	(void)arg;
	if (!open_one(&ud, &area, env, 3))
		return;
	try(&ud, HIGH_BIT, true, "only the highest bit");
	try(&ud, 0xffffffff, true, "all bits");
	CHECK(!set_qkey(&ud.pair.end[0], 77), "set the sender's Q_Key");
	try(&ud, HIGH_BIT | UD_QKEY, false, "own Q_Key is another one");
	CHECK(!set_qkey(&ud.pair.end[1], 77), "set the receiver's Q_Key");
	try(&ud, HIGH_BIT | UD_QKEY, true, "own Q_Key is right");
	close_one(&ud, &area);
}

static void test_change(struct env *env, long arg)
{
	struct buf area;
	struct ud ud;

	(void)arg;
	if (!open_one(&ud, &area, env, 3))
		return;
	CHECK(query_qkey(&ud.pair.end[1]) == UD_QKEY, "query: 0x%lx", query_qkey(&ud.pair.end[1]));
	CHECK(!set_qkey(&ud.pair.end[1], 5), "in RTS");
	CHECK(query_qkey(&ud.pair.end[1]) == 5, "query: 0x%lx", query_qkey(&ud.pair.end[1]));
	try(&ud, UD_QKEY, false, "the old one");
	try(&ud, 5, true, "the new one");
	CHECK(!end_to_state(&ud.pair.end[1], IBV_QPS_SQD), "to SQD");
	try(&ud, 5, true, "received in SQD");
	CHECK(!set_qkey(&ud.pair.end[1], 6), "in SQD");
	CHECK(query_qkey(&ud.pair.end[1]) == 6, "query: 0x%lx", query_qkey(&ud.pair.end[1]));
	try(&ud, 5, false, "the old one, in SQD");
	CHECK(!end_to_state(&ud.pair.end[1], IBV_QPS_RTS), "to RTS");
	CHECK(query_qkey(&ud.pair.end[1]) == 6, "query: 0x%lx", query_qkey(&ud.pair.end[1]));
	try(&ud, 6, true, "the new one, in RTS again");
	close_one(&ud, &area);
}

/*
 * Capabilities belong to a thread, as long as no library spreads them; and a process whose
 * credentials are not those that opened the device may not write() to it any more.
 */
static void *set_without_privilege(void *arg)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	struct end *end = arg;

	if (CHECK(!syscall(SYS_capget, &head, caps), "capget")) {
		caps[0].effective = caps[1].effective = 0;
		CHECK(!syscall(SYS_capset, &head, caps), "capset");
		CHECK(set_qkey(end, HIGH_BIT | 9) == EPERM, "without privilege");
		CHECK(!set_qkey(end, 9), "without privilege and without the highest bit");
	}
	return NULL;
}

/* A key with the highest bit belongs to the privileged (IBA 10.2.5): CAP_NET_RAW. */
static void test_privileged(struct env *env, long arg)
{
	pthread_t thread;
	struct buf area;
	struct ud ud;

	(void)arg;
	if (!open_one(&ud, &area, env, 1))
		return;
	if (CHECK(!pthread_create(&thread, NULL, set_without_privilege, &ud.pair.end[1]), "thread"))
		pthread_join(thread, NULL);
	if (geteuid()) {
		tap_note("not root: nothing with the highest bit is tried");
	} else {
		CHECK(!set_qkey(&ud.pair.end[0], HIGH_BIT | 9), "with privilege");
		CHECK(!set_qkey(&ud.pair.end[1], HIGH_BIT | 9), "with privilege");
		CHECK(query_qkey(&ud.pair.end[1]) == (long)(HIGH_BIT | 9), "query");
		try(&ud, 9, false, "what everybody may send");
		try(&ud, HIGH_BIT, true, "what only the privileged send");
	}
	close_one(&ud, &area);
}

/* Each direction has the key of its receiver. */
static void test_two_keys(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct ud ud;

	(void)arg;
	if (!bufs_open(&bufs, env, 4096))
		return;
	if (ud_open(&ud, env, &opts)) {
		struct ud_msg msg = { .len = 10, .sge = 1, .recv_sge = 1 };

		/* ud_send() sends with UD_QKEY. */
		CHECK(!set_qkey(&ud.pair.end[0], 0), "set the sender's Q_Key");
		ud_send(&ud, 0, &bufs, &msg);
		ud_close(&ud);
	}
	bufs_close(&bufs);
}

const struct test ud_qkey_tests[] = {
	{ "ud-qkey/mismatch", test_mismatch },
	{ "ud-qkey/high-bit-means-own", test_own },
	{ "ud-qkey/change", test_change },
	{ "ud-qkey/privileged", test_privileged },
	{ "ud-qkey/receivers", test_two_keys },
	{ }
};

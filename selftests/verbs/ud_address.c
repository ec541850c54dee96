// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles: by number, by value as providers before v39 write them, of another
 * protection domain, destroyed, made up; many; to oneself; what cannot be made.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tests.h"
#include "ud_fixture.h"

#define HANDLES 1000
#define HOP_LIMIT 7
#define TCLASS 0x28

/* What is wrong with an address, by number or by value. */
enum address {
	BY_VALUE,
	VALUE_PORT_0, VALUE_PORT_2, VALUE_NETWORK_0, VALUE_NETWORK_OTHER, VALUE_SGID_EMPTY,
	VALUE_SGID_255, VALUE_OTHER_FAMILY,
	BY_NUMBER, NUMBER_DESTROYED, NUMBER_OTHER_PD, NUMBER_LARGE, NUMBER_LARGEST,
};

/* A requester whose ring is written by hand, and who receives. */
struct hand {
	struct ud ud;
	struct end end;
	struct ud_ring ring;
	struct buf area;
	struct ibv_pd *other_pd;
	struct ibv_ah *ah;
};

static void hand_close(struct hand *h)
{
	ud_ah_destroy(h->ah);
	ud_end_close(&h->end);
	buf_close(&h->area);
	ud_close(&h->ud);
	if (h->other_pd)
		CHECK(!ibv_dealloc_pd(h->other_pd), "ibv_dealloc_pd");
}

static bool hand_open(struct hand *h, struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	memset(h, 0, sizeof(*h));
	opts.sge = 1;
	if (!ud_open(&h->ud, env, &opts))
		return false;
	opts.sge = UD_RING_SGE;
	h->other_pd = ibv_alloc_pd(env->dev[0].ctx);
	if (CHECK(h->other_pd, "ibv_alloc_pd") &&
	    buf_open(&h->area, env->dev[1].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE) &&
	    ud_end_open(&h->end, env, 0, &opts, UD_QKEY) && ud_ring_find(&h->ring, &h->end))
		return true;
	hand_close(h);
	return false;
}

/* The number that the kernel gave a handle: what the provider writes into a request. */
static uint32_t number_of(struct hand *h, struct ibv_ah *ah)
{
	struct rxe_queue_buf *queue = h->ring.queue;
	struct rxe_send_wqe *wqe;
	struct ibv_send_wr wr = ud_wr(&h->ud, 0, 1);

	wr.wr.ud.ah = ah;
	wqe = (void *)(queue->data + ((size_t)queue->producer_index << queue->log2_elem_size));
	if (!CHECK(!end_post_send(&h->end, &wr), "post_send"))
		return 0;
	return wqe->wr.wr.ud.ah_num;
}

static uint32_t make_number(struct hand *h, struct env *env, enum address address)
{
	struct ibv_ah_attr attr = ud_ah_attr(&env->dev[0], &env->dev[1]);
	uint32_t number;

	if (address == NUMBER_LARGE)
		return 0x7fffffff;
	if (address == NUMBER_LARGEST)
		return 0xffffffff;
	h->ah = ibv_create_ah(address == NUMBER_OTHER_PD ? h->other_pd : env->dev[0].pd, &attr);
	if (!CHECK(h->ah, "ibv_create_ah: %s", strerror(errno)))
		return 0;
	/* While requests wait nobody looks whether the handle is good. */
	CHECK(!end_to_state(&h->end, IBV_QPS_SQD), "to SQD");
	number = number_of(h, h->ah);
	if (address == NUMBER_DESTROYED) {
		ud_ah_destroy(h->ah);
		h->ah = NULL;
	}
	return number;
}

static void make_value(struct hand *h, struct env *env, enum address address, struct rxe_av *av)
{
	struct ibv_ah_attr attr = ud_ah_attr(&env->dev[0], &env->dev[1]);

	if (address == VALUE_OTHER_FAMILY) {
		/* A v4-mapped address becomes one that is none, and the other way round. */
		attr.grh.dgid.raw[10] ^= 0xff;
		attr.grh.dgid.raw[11] ^= 0xff;
		if (attr.grh.dgid.raw[0])
			memcpy(attr.grh.dgid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x63\0\x02", 16);
	}
	ud_ring_av(av, &attr, &h->end.dev->gid);
	switch (address) {
	case VALUE_PORT_0:
		av->port_num = 0;
		break;
	case VALUE_PORT_2:
		av->port_num = 2;
		break;
	case VALUE_NETWORK_0:
		av->network_type = 0;
		break;
	case VALUE_NETWORK_OTHER:
		av->network_type = 3 - av->network_type;
		break;
	case VALUE_SGID_EMPTY:
		av->grh.sgid_index = 200;
		break;
	case VALUE_SGID_255:
		av->grh.sgid_index = 255;
		break;
	default:
		break;
	}
}

/* Unlike that of a handle, the hop limit is what the request says. */
static void check_header(struct hand *h)
{
	const uint8_t *v6 = h->area.mem, *v4 = v6 + UD_GRH_BYTES - 20;

	if (v6[0] >> 4 == 6 && v6[6] == 17)
		CHECK(v6[7] == HOP_LIMIT && (v6[0] << 4 | v6[1] >> 4) % 256 == TCLASS,
		      "hop limit %u, traffic class of 0x%02x%02x", v6[7], v6[0], v6[1]);
	else
		CHECK(v4[0] == 0x45 && v4[8] == HOP_LIMIT && v4[1] == TCLASS,
		      "version 0x%02x, TTL %u, TOS 0x%02x", v4[0], v4[8], v4[1]);
}

static bool is_good(enum address address)
{
	return address == BY_VALUE || address == BY_NUMBER;
}

static void test_address(struct env *env, long address)
{
	enum ibv_wc_status status = is_good(address) ? IBV_WC_SUCCESS : IBV_WC_LOC_QP_OP_ERR;
	bool by_number = address >= BY_NUMBER;
	unsigned int made = address == BY_NUMBER || address == NUMBER_DESTROYED ||
			    address == NUMBER_OTHER_PD;
	struct rxe_send_wqe *wqe;
	uint32_t number = 0;
	struct hand h;

	if (!hand_open(&h, env))
		return;
	if (by_number)
		number = make_number(&h, env, address);
	if (made && !number) {
		tap_skip("the provider writes addresses by value");
		goto out;
	}
	CHECK(!ud_post_recv(&h.ud.pair.end[1], 1, &h.area, 0), "post_recv");
	CHECK(!ud_post_recv(&h.ud.pair.end[1], 2, &h.area, 0), "post_recv");
	wqe = ud_ring_wqe(&h.ring);
	ud_ring_ud_send(wqe, 2, h.ud.pair.end[1].qp->qp_num);
	wqe->wr.wr.ud.ah_num = number;
	if (!by_number)
		make_value(&h, env, address, &wqe->wr.wr.ud.av);
	wqe->wr.wr.ud.av.grh.hop_limit = HOP_LIMIT;
	wqe->wr.wr.ud.av.grh.traffic_class = TCLASS;
	CHECK(!ud_ring_post(&h.ring), "doorbell: %s", strerror(errno));
	if (made) {
		CHECK(!end_to_state(&h.end, IBV_QPS_RTS), "to RTS");
		end_expect_status(&h.end, false, 1, status, "as the provider wrote it");
	}
	/* The first that fails stops the queue. */
	end_expect_status(&h.end, false, 2,
			  status && made ? IBV_WC_WR_FLUSH_ERR : status, "written by hand");
	if (is_good(address)) {
		end_expect_status(&h.ud.pair.end[1], true, 1, status, "receive");
		if (address == BY_VALUE)
			check_header(&h);
		if (made)
			end_expect_status(&h.ud.pair.end[1], true, 2, status, "receive");
	} else {
		end_wait_state(&h.end, IBV_QPS_SQE, "after the fault");
		CHECK(!end_to_state(&h.end, IBV_QPS_RTS), "SQE to RTS");
		end_expect_none(&h.ud.pair.end[1], "receiver");
	}
out:
	hand_close(&h);
}

/* What must not be made; a handle that was made all the same is destroyed again. */
static void refuse(struct env *env, struct ibv_ah_attr *attr, int err, const char *what)
{
	struct ibv_ah *ah;

	errno = 0;
	ah = ibv_create_ah(env->dev[0].pd, attr);
	CHECK(!ah, "%s: a handle was made", what);
	CHECK(ah || !err || errno == err, "%s: %s, not %s", what, strerror(errno), strerror(err));
	ud_ah_destroy(ah);
}

static void test_refused(struct env *env, long arg)
{
	const struct ibv_ah_attr good = ud_ah_attr(&env->dev[0], &env->dev[1]);
	struct ibv_ah_attr attr = good;

	(void)arg;
	attr.is_global = 0;
	refuse(env, &attr, EINVAL, "no GRH");
	attr = good;
	attr.port_num = 0;
	refuse(env, &attr, 0, "port 0");
	attr.port_num = 2;
	refuse(env, &attr, 0, "port 2");
	attr = good;
	attr.grh.sgid_index = 200;
	refuse(env, &attr, 0, "empty entry of the GID table");
	attr.grh.sgid_index = 255;
	refuse(env, &attr, 0, "the last index");
	attr = good;
	if (good.grh.dgid.raw[0])
		memcpy(attr.grh.dgid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\x01", 16);
	else
		memcpy(attr.grh.dgid.raw, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
	refuse(env, &attr, 0, "source and destination of two families");
}

static void test_many(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_ah *handles[HANDLES] = { NULL };
	struct buf area;
	struct ud ud;
	int i;

	(void)arg;
	if (!ud_open(&ud, env, &opts))
		return;
	if (!buf_open(&area, env->dev[1].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE))
		goto out;
	for (i = 0; i < HANDLES && !tap_failed(); i++)
		handles[i] = ud_ah(&env->dev[0], &env->dev[1]);
	/* Others are made and destroyed meanwhile: numbers that were free are used again. */
	for (i = 0; i < (env->quick ? 50 : 500) && !tap_failed(); i++) {
		struct ibv_send_wr wr = ud_wr(&ud, 0, i);
		int used = rnd_below(HANDLES), other = rnd_below(HANDLES);

		wr.wr.ud.ah = handles[used];
		CHECK(!ud_post_recv(&ud.pair.end[1], i, &area, 0), "post_recv");
		CHECK(!end_post_send(&ud.pair.end[0], &wr), "post_send");
		end_expect_status(&ud.pair.end[0], false, i, IBV_WC_SUCCESS, "send");
		end_expect_status(&ud.pair.end[1], true, i, IBV_WC_SUCCESS, "receive");
		ud_ah_destroy(handles[other]);
		handles[other] = ud_ah(&env->dev[0], &env->dev[1]);
	}
	for (i = 0; i < HANDLES; i++)
		ud_ah_destroy(handles[i]);
	buf_close(&area);
out:
	ud_close(&ud);
}

/* To the same QP, and to another one of the same device. */
static void test_self(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct ibv_ah *ah;
	struct buf area;
	struct end end;
	int i;

	(void)arg;
	if (!ud_end_open(&end, env, 0, &opts, UD_QKEY))
		return;
	ah = ud_ah(&env->dev[0], &env->dev[0]);
	if (ah && buf_open(&area, env->dev[0].pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		for (i = 0; i < 20 && !tap_failed(); i++) {
			struct ibv_send_wr wr = {
				.wr_id = i, .opcode = IBV_WR_SEND,
				.send_flags = IBV_SEND_SIGNALED,
				.wr.ud = { ah, end.qp->qp_num, UD_QKEY },
			};

			CHECK(!ud_post_recv(&end, 100 + i, &area, 0), "post_recv");
			CHECK(!end_post_send(&end, &wr), "post_send");
			end_expect_status(&end, false, i, IBV_WC_SUCCESS, "send");
			end_expect_status(&end, true, 100 + i, IBV_WC_SUCCESS, "receive");
		}
		buf_close(&area);
	}
	ud_ah_destroy(ah);
	ud_end_close(&end);
}

const struct test ud_address_tests[] = {
	{ "ud-address/by-value", test_address, BY_VALUE },
	{ "ud-address/value-port-0", test_address, VALUE_PORT_0 },
	{ "ud-address/value-port-2", test_address, VALUE_PORT_2 },
	{ "ud-address/value-no-network-type", test_address, VALUE_NETWORK_0 },
	{ "ud-address/value-wrong-network-type", test_address, VALUE_NETWORK_OTHER },
	{ "ud-address/value-empty-sgid", test_address, VALUE_SGID_EMPTY },
	{ "ud-address/value-sgid-255", test_address, VALUE_SGID_255 },
	{ "ud-address/value-other-family", test_address, VALUE_OTHER_FAMILY },
	{ "ud-address/by-number", test_address, BY_NUMBER },
	{ "ud-address/destroyed", test_address, NUMBER_DESTROYED },
	{ "ud-address/other-pd", test_address, NUMBER_OTHER_PD },
	{ "ud-address/number-large", test_address, NUMBER_LARGE },
	{ "ud-address/number-largest", test_address, NUMBER_LARGEST },
	{ "ud-address/refused", test_refused },
	{ "ud-address/many", test_many },
	{ "ud-address/self", test_self },
	{ }
};

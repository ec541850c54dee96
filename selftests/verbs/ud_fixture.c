// SPDX-License-Identifier: GPL-2.0
/*
 * UD ends, datagrams and the network header before them (IBA A17.4.5.1), requests
 * written straight into the send ring.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "ud_fixture.h"

#define IP4_BYTES	20
/* Of a handle: the core writes that of the route over what the application asked for. */
#define HOP_LIMIT	64
/* UDP, BTH, DETH and ICRC */
#define HEADERS_BYTES	(8 + 12 + 8 + 4)

/* ---- ends ---- */

unsigned int ud_mtu(const struct env *env)
{
	enum ibv_mtu a = env->dev[0].port.active_mtu, b = env->dev[1].port.active_mtu;

	return mtu_bytes(a < b ? a : b);
}

static bool create_cqs(struct end *end, const struct pair_opts *opts)
{
	end->chan = ibv_create_comp_channel(end->dev->ctx);
	if (!CHECK(end->chan, "ibv_create_comp_channel: %s", strerror(errno)))
		return false;
	end->scq = ibv_create_cq(end->dev->ctx, 2 * opts->send_wr + 8, NULL, end->chan, 0);
	end->rcq = ibv_create_cq(end->dev->ctx, 2 * opts->recv_wr + 8, NULL, end->chan, 0);
	return CHECK(end->scq && end->rcq, "ibv_create_cq: %s", strerror(errno));
}

static bool create_qp(struct end *end, const struct pair_opts *opts, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = end->scq,
		.recv_cq = end->rcq,
		.srq = srq,
		.cap = {
			.max_send_wr = opts->send_wr,
			.max_recv_wr = opts->recv_wr,
			.max_send_sge = opts->sge,
			.max_recv_sge = opts->sge,
			.max_inline_data = opts->inline_bytes,
		},
		.qp_type = IBV_QPT_UD,
		.sq_sig_all = opts->sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = end->dev->pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	};

	if (opts->wr_api) {
		end->qp = ibv_create_qp_ex(end->dev->ctx, &attr);
		end->qpx = end->qp ? ibv_qp_to_qp_ex(end->qp) : NULL;
	} else {
		/* The extended attributes begin with the fields of the plain ones. */
		end->qp = ibv_create_qp(end->dev->pd, (struct ibv_qp_init_attr *)&attr);
	}
	if (!CHECK(end->qp, "create UD QP: %s", strerror(errno)))
		return false;
	end->cap = attr.cap;
	return CHECK(end->cap.max_send_wr >= opts->send_wr &&
		     (srq || end->cap.max_recv_wr >= opts->recv_wr) &&
		     end->cap.max_send_sge >= opts->sge &&
		     (srq || end->cap.max_recv_sge >= opts->sge) &&
		     end->cap.max_inline_data >= opts->inline_bytes, "granted less than asked for");
}

int ud_end_connect(struct end *end, uint32_t qkey)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = PORT_NUM, .qkey = qkey,
	};
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .sq_psn = end->psn };
	int err = ibv_modify_qp(end->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				IBV_QP_QKEY);

	if (!err)
		err = end_to_state(end, IBV_QPS_RTR);
	return err ? err : ibv_modify_qp(end->qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

bool ud_end_create(struct end *end, struct env *env, int dev, const struct pair_opts *opts)
{
	memset(end, 0, sizeof(*end));
	end->dev = &env->dev[dev];
	end->events = opts->events;
	end->wait_msec = env->wait_msec;
	end->psn = rnd() & 0xffffff;
	if (rnd() & 1)
		end->psn = 0xffffff - rnd_below(20);
	if (create_cqs(end, opts) && create_qp(end, opts, dev ? opts->srq : NULL))
		return true;
	ud_end_close(end);
	return false;
}

bool ud_end_open(struct end *end, struct env *env, int dev, const struct pair_opts *opts,
		 uint32_t qkey)
{
	int err;

	if (!ud_end_create(end, env, dev, opts))
		return false;
	err = ud_end_connect(end, qkey);
	if (CHECK(!err, "UD QP to RTS: %s", strerror(err)))
		return true;
	ud_end_close(end);
	return false;
}

void ud_end_close(struct end *end)
{
	end_destroy_qp(end);
	CHECK(!end->scq || !ibv_destroy_cq(end->scq), "ibv_destroy_cq");
	CHECK(!end->rcq || !ibv_destroy_cq(end->rcq), "ibv_destroy_cq");
	CHECK(!end->chan || !ibv_destroy_comp_channel(end->chan), "ibv_destroy_comp_channel");
	memset(end, 0, sizeof(*end));
}

bool ud_open(struct ud *ud, struct env *env, const struct pair_opts *opts)
{
	int i;

	memset(ud, 0, sizeof(*ud));
	ud->pair.env = env;
	ud->pair.opts = *opts;
	ud->mtu = ud_mtu(env);
	for (i = 0; i < 2; i++) {
		struct end *end = &ud->pair.end[i];

		device_drain_events(&env->dev[i]);
		ud->ah[i] = ud_ah(&env->dev[i], &env->dev[!i]);
		if (!ud->ah[i] || !ud_end_open(end, env, i, opts, UD_QKEY)) {
			ud_close(ud);
			return false;
		}
		end->peer = &ud->pair.end[!i];
	}
	return true;
}

void ud_close(struct ud *ud)
{
	int i;

	for (i = 0; i < 2; i++) {
		ud_end_close(&ud->pair.end[i]);
		ud_ah_destroy(ud->ah[i]);
	}
	memset(ud, 0, sizeof(*ud));
}

struct ibv_ah_attr ud_ah_attr(const struct device *from, const struct device *to)
{
	return (struct ibv_ah_attr) {
		.is_global = 1,
		.port_num = PORT_NUM,
		.grh = {
			.dgid = to->gid,
			.sgid_index = from->gid_index,
			.hop_limit = 64,
		},
	};
}

struct ibv_ah *ud_ah(struct device *from, const struct device *to)
{
	struct ibv_ah_attr attr = ud_ah_attr(from, to);
	struct ibv_ah *ah = ibv_create_ah(from->pd, &attr);

	CHECK(ah, "ibv_create_ah: %s", strerror(errno));
	return ah;
}

void ud_ah_destroy(struct ibv_ah *ah)
{
	int err = ah ? ibv_destroy_ah(ah) : 0;

	CHECK(!err, "ibv_destroy_ah: %s", strerror(err));
}

/* ---- datagrams ---- */

struct ibv_send_wr ud_wr(const struct ud *ud, int from, uint64_t wr_id)
{
	return (struct ibv_send_wr) {
		.wr_id = wr_id,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = {
			.ah = ud->ah[from],
			.remote_qpn = ud->pair.end[!from].qp->qp_num,
			.remote_qkey = UD_QKEY,
		},
	};
}

int ud_post_recv(struct end *end, uint64_t wr_id, const struct buf *buf, unsigned int len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf->mem, .length = UD_GRH_BYTES + len, .lkey = buf->mr->lkey,
	};

	return end_post_recv(end, wr_id, &sge, 1);
}

static void set_inline(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	uint8_t whole[4096];
	size_t len = 0;
	int i;

	/* As one piece: before v64 a list of pieces loses its length. */
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(whole + len, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		len += wr->sg_list[i].length;
	}
	ibv_wr_set_inline_data(qpx, whole, len);
}

static int post(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	if (!end->qpx)
		return ibv_post_send(end->qp, wr, &bad);
	ibv_wr_start(end->qpx);
	end->qpx->wr_id = wr->wr_id;
	end->qpx->wr_flags = wr->send_flags & ~IBV_SEND_INLINE;
	if (wr->opcode == IBV_WR_SEND_WITH_IMM)
		ibv_wr_send_imm(end->qpx, wr->imm_data);
	else
		ibv_wr_send(end->qpx);
	ibv_wr_set_ud_addr(end->qpx, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	if (wr->send_flags & IBV_SEND_INLINE)
		set_inline(end->qpx, wr);
	else if (wr->num_sge == 1)
		ibv_wr_set_sge(end->qpx, wr->sg_list[0].lkey, wr->sg_list[0].addr,
			       wr->sg_list[0].length);
	else
		ibv_wr_set_sge_list(end->qpx, wr->num_sge, wr->sg_list);
	return ibv_wr_complete(end->qpx);
}

static uint16_t be16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static uint16_t ip4_sum(const uint8_t *header)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < IP4_BYTES; i += 2)
		sum += be16(header + i);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

static bool check_ip4(const uint8_t *area, const struct ud_msg *msg, unsigned int bytes,
		      const union ibv_gid *sgid, const union ibv_gid *dgid, const char *what)
{
	const uint8_t *ip = area + UD_GRH_BYTES - IP4_BYTES;
	bool ok;

	ok = CHECK(ip[0] == 0x45, "%s: IPv4 version and length are 0x%02x", what, ip[0]);
	ok &= CHECK(ip[1] == msg->tclass, "%s: TOS is 0x%02x", what, ip[1]);
	ok &= CHECK(be16(ip + 2) == IP4_BYTES + bytes, "%s: IPv4 length is %u, not %u", what,
		    be16(ip + 2), IP4_BYTES + bytes);
	ok &= CHECK(!(be16(ip + 6) & 0x3fff), "%s: a fragment: 0x%04x", what, be16(ip + 6));
	ok &= CHECK(ip[8] == HOP_LIMIT, "%s: TTL is %u", what, ip[8]);
	ok &= CHECK(ip[9] == 17, "%s: protocol is %u", what, ip[9]);
	ok &= CHECK(ip4_sum(ip) == 0xffff, "%s: IPv4 checksum is wrong", what);
	ok &= CHECK(!memcmp(ip + 12, sgid->raw + 12, 4), "%s: source address", what);
	return ok & CHECK(!memcmp(ip + 16, dgid->raw + 12, 4), "%s: destination address", what);
}

static bool check_ip6(const uint8_t *ip, const struct ud_msg *msg, unsigned int bytes,
		      const union ibv_gid *sgid, const union ibv_gid *dgid, const char *what)
{
	uint32_t first = (uint32_t)be16(ip) << 16 | be16(ip + 2);
	bool ok;

	ok = CHECK(first >> 28 == 6, "%s: IP version is %u", what, first >> 28);
	ok &= CHECK((first >> 20 & 0xff) == msg->tclass, "%s: traffic class is 0x%02x", what,
		    first >> 20 & 0xff);
	ok &= CHECK((first & 0xfffff) == msg->label, "%s: flow label is 0x%05x, not 0x%05x", what,
		    first & 0xfffff, msg->label);
	ok &= CHECK(be16(ip + 4) == bytes, "%s: IPv6 payload length is %u, not %u", what,
		    be16(ip + 4), bytes);
	ok &= CHECK(ip[6] == 17, "%s: next header is %u", what, ip[6]);
	ok &= CHECK(ip[7] == HOP_LIMIT, "%s: hop limit is %u", what, ip[7]);
	ok &= CHECK(!memcmp(ip + 8, sgid->raw, 16), "%s: source address", what);
	return ok & CHECK(!memcmp(ip + 24, dgid->raw, 16), "%s: destination address", what);
}

static bool is_ip4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

static bool check_header(const uint8_t *area, struct ud *ud, int from, const struct ud_msg *msg,
			 const char *what)
{
	const union ibv_gid *sgid = &ud->pair.end[from].dev->gid;
	const union ibv_gid *dgid = &ud->pair.end[!from].dev->gid;
	unsigned int bytes = HEADERS_BYTES + ((msg->len + 3) & ~3u) + (msg->has_imm ? 4 : 0);

	return is_ip4(sgid) ? check_ip4(area, msg, bytes, sgid, dgid, what) :
			      check_ip6(area, msg, bytes, sgid, dgid, what);
}

static bool check_recv(struct ud *ud, int from, const struct ibv_send_wr *wr, uint64_t wr_id,
		       size_t len, const char *what)
{
	struct end *to = &ud->pair.end[!from];
	unsigned int flags = IBV_WC_GRH;
	struct ibv_wc wc;
	bool ok;

	if (!CHECK(end_wait_wc(to, to->rcq, &wc), "%s: no receive completion", what))
		return false;
	ok = CHECK(wc.status == IBV_WC_SUCCESS, "%s: receive: %s", what,
		   ibv_wc_status_str(wc.status));
	ok &= CHECK(wc.wr_id == wr_id, "%s: wr_id of the receive", what);
	if (!ok)
		return false;
	if (wr->opcode == IBV_WR_SEND_WITH_IMM)
		flags |= IBV_WC_WITH_IMM;
	ok &= CHECK(wc.opcode == IBV_WC_RECV, "%s: opcode %d", what, wc.opcode);
	ok &= CHECK(wc.wc_flags == flags, "%s: wc_flags 0x%x, not 0x%x", what, wc.wc_flags, flags);
	ok &= CHECK(wc.byte_len == UD_GRH_BYTES + len, "%s: byte_len is %u, not %zu", what,
		    wc.byte_len, UD_GRH_BYTES + len);
	ok &= CHECK(wc.qp_num == to->qp->qp_num, "%s: qp_num", what);
	ok &= CHECK(wc.src_qp == ud->pair.end[from].qp->qp_num, "%s: src_qp is 0x%x, not 0x%x",
		    what, wc.src_qp, ud->pair.end[from].qp->qp_num);
	ok &= CHECK(!wc.pkey_index, "%s: pkey_index is %u", what, wc.pkey_index);
	if (flags & IBV_WC_WITH_IMM)
		ok &= CHECK(wc.imm_data == wr->imm_data, "%s: imm_data 0x%x, not 0x%x", what,
			    wc.imm_data, wr->imm_data);
	return ok;
}

/* Of the area only what is defined is compared; the rest is taken as it is. */
static bool check_data(struct layout *dst, uint8_t *wanted, uint8_t *got, struct ud *ud, int from,
		       const struct ud_msg *msg, const char *what)
{
	layout_cut(dst, UD_GRH_BYTES + msg->len);
	layout_gather(dst, got);
	if (!check_header(got, ud, from, msg, what))
		return false;
	memcpy(wanted, got, UD_GRH_BYTES);
	layout_expect(dst, wanted);
	return layout_check(dst, what);
}

bool ud_send(struct ud *ud, int from, struct bufs *bufs, const struct ud_msg *msg)
{
	static uint8_t wanted[UD_GRH_BYTES + 4096 + 256], got[sizeof(wanted)];
	struct end *source = &ud->pair.end[from], *target = &ud->pair.end[!from];
	struct ibv_send_wr wr = ud_wr(ud, from, rnd());
	struct expect sent = { .wr_id = wr.wr_id, .opcode = IBV_WC_SEND };
	uint64_t recv_id = rnd();
	struct layout src, dst;
	char what[128];
	int err;

	snprintf(what, sizeof(what), "%zu bytes from end %d, %d and %d SGEs, flags 0x%x%s%s",
		 msg->len, from, msg->sge, msg->recv_sge, msg->flags,
		 msg->has_imm ? ", immediate" : "", source->qpx ? ", wr api" : "");
	layout_make(&src, &bufs->tx[from], msg->len, msg->sge);
	layout_gather(&src, wanted + UD_GRH_BYTES);
	/* Half of the receives are longer than the datagram. */
	layout_make(&dst, &bufs->rx[!from],
		    UD_GRH_BYTES + msg->len + rnd_below(2) * rnd_below(100),
		    msg->recv_sge ? msg->recv_sge : 1);
	wr.sg_list = src.sge;
	wr.num_sge = src.count;
	wr.send_flags |= msg->flags;
	if (msg->ah)
		wr.wr.ud.ah = msg->ah;
	if (msg->has_imm) {
		wr.opcode = IBV_WR_SEND_WITH_IMM;
		wr.imm_data = (uint32_t)rnd();
	}
	err = end_post_recv_layout(target, recv_id, &dst);
	if (!CHECK(!err, "%s: post_recv: %s", what, strerror(err)))
		return false;
	err = post(source, &wr);
	return CHECK(!err, "%s: post_send: %s", what, strerror(err)) &&
	       end_expect(source, &sent, what) &&
	       check_recv(ud, from, &wr, recv_id, msg->len, what) &&
	       check_data(&dst, wanted, got, ud, from, msg, what) &&
	       end_expect_none(source, what) && end_expect_none(target, what);
}

bool ud_follow(struct ud *ud, int from, const char *what)
{
	struct ibv_send_wr wr = ud_wr(ud, from, 801);
	struct end *to = &ud->pair.end[!from];
	struct buf area;
	bool ok;

	ok = buf_open(&area, to->dev->pd, UD_GRH_BYTES, IBV_ACCESS_LOCAL_WRITE) &&
	     CHECK(!ud_post_recv(to, 802, &area, 0), "%s: post_recv", what) &&
	     CHECK(!post(&ud->pair.end[from], &wr), "%s: post_send", what) &&
	     end_expect_status(&ud->pair.end[from], false, 801, IBV_WC_SUCCESS, what) &&
	     end_expect_status(to, true, 802, IBV_WC_SUCCESS, what);
	buf_close(&area);
	return ok;
}

/* ---- requests written by hand ---- */

/* The send ring has the larger slots of the two. */
bool ud_ring_find(struct ud_ring *ring, struct end *end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint32_t largest = 0;
	unsigned long from, to;
	char line[512];

	ring->qp = end->qp;
	ring->queue = NULL;
	while (maps && fgets(line, sizeof(line), maps)) {
		struct rxe_queue_buf *queue;

		if (!strstr(line, "uverbs") || sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		queue = (struct rxe_queue_buf *)from;
		if (queue->log2_elem_size <= largest)
			continue;
		largest = queue->log2_elem_size;
		ring->queue = queue;
	}
	if (maps)
		fclose(maps);
	return CHECK(ring->queue && largest >= 8, "the send ring is not mapped");
}

struct rxe_send_wqe *ud_ring_wqe(struct ud_ring *ring)
{
	struct rxe_queue_buf *queue = ring->queue;
	void *slot = queue->data + ((size_t)queue->producer_index << queue->log2_elem_size);

	memset(slot, 0, (size_t)1 << queue->log2_elem_size);
	return slot;
}

int ud_ring_post(struct ud_ring *ring)
{
	struct rxe_queue_buf *queue = ring->queue;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} __attribute__((packed)) bell = {
		.hdr = { .command = IB_USER_VERBS_CMD_POST_SEND, .in_words = sizeof(bell) / 4,
			 .out_words = sizeof(struct ib_uverbs_post_send_resp) / 4 },
		.cmd = { .qp_handle = ring->qp->handle,
			 .wqe_size = sizeof(struct ib_uverbs_send_wr) },
	};
	struct ib_uverbs_post_send_resp resp;

	bell.cmd.response = (uintptr_t)&resp;
	__atomic_store_n(&queue->producer_index, (queue->producer_index + 1) & queue->index_mask,
			 __ATOMIC_RELEASE);
	return write(ring->qp->context->cmd_fd, &bell, sizeof(bell)) < 0 ? errno : 0;
}

void ud_ring_ud_send(struct rxe_send_wqe *wqe, uint64_t wr_id, uint32_t qpn)
{
	wqe->wr.wr_id = wr_id;
	wqe->wr.opcode = IBV_WR_SEND;
	wqe->wr.send_flags = IBV_SEND_SIGNALED;
	wqe->wr.wr.ud.remote_qpn = qpn;
	wqe->wr.wr.ud.remote_qkey = UD_QKEY;
}

static void fill_sockaddr(void *to, const union ibv_gid *gid, size_t size)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	memset(to, 0, size);
	memcpy(&in.sin_addr, gid->raw + 12, 4);
	memcpy(&in6.sin6_addr, gid->raw, 16);
	if (is_ip4(gid))
		memcpy(to, &in, sizeof(in));
	else
		memcpy(to, &in6, sizeof(in6));
}

void ud_ring_av(struct rxe_av *av, const struct ibv_ah_attr *attr, const union ibv_gid *sgid)
{
	memset(av, 0, sizeof(*av));
	av->port_num = attr->port_num;
	av->network_type = is_ip4(&attr->grh.dgid) ? RXE_NETWORK_TYPE_IPV4 : RXE_NETWORK_TYPE_IPV6;
	memcpy(av->grh.dgid.raw, attr->grh.dgid.raw, sizeof(av->grh.dgid.raw));
	av->grh.flow_label = attr->grh.flow_label;
	av->grh.sgid_index = attr->grh.sgid_index;
	av->grh.hop_limit = attr->grh.hop_limit;
	av->grh.traffic_class = attr->grh.traffic_class;
	fill_sockaddr(&av->sgid_addr, sgid, sizeof(av->sgid_addr));
	fill_sockaddr(&av->dgid_addr, &attr->grh.dgid, sizeof(av->dgid_addr));
}

/* ---- counters ---- */

long long ud_counter(const struct device *dev, const char *name)
{
	char path[256];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/hw_counters/%s",
		 ibv_get_device_name(dev->ctx->device), PORT_NUM, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%lld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

bool ud_expect_counter(const struct device *dev, const char *name, long long value)
{
	uint64_t deadline = now_msec() + 5000;
	long long got;

	do {
		got = ud_counter(dev, name);
		if (got < 0 || got == value)
			return true;
		/* The file shows what may be 10 ms old. */
		sleep_msec(5);
	} while (now_msec() < deadline);
	return CHECK(false, "%s is %lld, not %lld", name, got, value);
}

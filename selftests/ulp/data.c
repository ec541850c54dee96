// SPDX-License-Identifier: GPL-2.0
/* That data arrive, and completions say what happened. */
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include "tests.h"

/* Completions may come when a test has given up: no stack. */
static struct ulp_op send, recv;

static const u32 sizes[] = { 0, 1, 255, 1024, 4097, 65549 };

static bool received(const struct ulp_pair *pair, const struct ulp_end *to, u32 bytes)
{
	const struct ulp_end *from = &pair->end[to == &pair->end[0]];
	bool failed = false;

	if (DIFFER(recv.wc.opcode, IB_WC_RECV))
		goto out;
	if (DIFFER(recv.wc.byte_len, bytes))
		goto out;
	if (DIFFER(recv.wc.wc_flags, IB_WC_WITH_IMM))
		goto out;
	if (DIFFER(be32_to_cpu(recv.wc.ex.imm_data), bytes))
		goto out;
	if (DIFFER(recv.wc.src_qp, from->qp->qp_num))
		goto out;
	if (FAILS(recv.wc.qp == to->qp))
		goto out;
	if (DIFFER(send.wc.opcode, IB_WC_SEND))
		goto out;
	if (FAILS(send.wc.qp == from->qp))
		goto out;
	if (FAILS(!memcmp(from->buf, to->buf, bytes)))
		goto out;
	if (DIFFER(to->buf[bytes], 0xee))
		goto out;
out:
	return !failed;
}

bool ulp_data_send(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ulp_pair pair;
	bool failed = false;
	u32 i;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		struct ulp_end *from = &pair.end[i % 2], *to = &pair.end[!(i % 2)];
		u32 bytes = sizes[i / 2];

		ulp_fill(from->buf, bytes, i);
		memset(to->buf, 0xee, ULP_BUF_BYTES);
		if (DIFFER(ulp_recv(to, &recv, 0, ULP_BUF_BYTES), 0))
			goto out;
		if (DIFFER(ulp_send(from, &send, 0, bytes, 0), 0))
			goto out;
		if (DIFFER(ulp_wait(from->scq, &send), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(ulp_wait(to->rcq, &recv), IB_WC_SUCCESS))
			goto out;
		if (FAILS(received(&pair, to, bytes)))
			goto out;
	}
out:
	ulp_pair_fini(&pair);
	return !failed;
}

bool ulp_data_rdma(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ulp_end *a, *b;
	struct ulp_pair pair;
	bool failed = false;
	u32 i;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	a = &pair.end[0];
	b = &pair.end[1];
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u32 rkey = pair.pd->unsafe_global_rkey;
		u32 bytes = sizes[i];

		ulp_fill(a->buf, bytes, i);
		memset(b->buf, 0xee, ULP_BUF_BYTES);
		if (DIFFER(ulp_rdma(a, &send, IB_WR_RDMA_WRITE, bytes, b->addr + 3, rkey), 0))
			goto out;
		if (DIFFER(ulp_wait(a->scq, &send), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(send.wc.opcode, IB_WC_RDMA_WRITE))
			goto out;
		if (FAILS(!memcmp(a->buf, b->buf + 3, bytes)))
			goto out;
		if (DIFFER(b->buf[2], 0xee))
			goto out;
		if (DIFFER(b->buf[3 + bytes], 0xee))
			goto out;

		memset(a->buf, 0xcc, ULP_BUF_BYTES);
		if (DIFFER(ulp_rdma(a, &send, IB_WR_RDMA_READ, bytes, b->addr + 3, rkey), 0))
			goto out;
		if (DIFFER(ulp_wait(a->scq, &send), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(send.wc.opcode, IB_WC_RDMA_READ))
			goto out;
		if (FAILS(!memcmp(a->buf, b->buf + 3, bytes)))
			goto out;
		if (DIFFER(a->buf[bytes], 0xcc))
			goto out;

		if (DIFFER(ulp_recv(b, &recv, 0, 0), 0))
			goto out;
		if (DIFFER(ulp_rdma(a, &send, IB_WR_RDMA_WRITE_WITH_IMM, bytes, b->addr, rkey), 0))
			goto out;
		if (DIFFER(ulp_wait(b->rcq, &recv), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(recv.wc.opcode, IB_WC_RECV_RDMA_WITH_IMM))
			goto out;
		if (DIFFER(recv.wc.byte_len, bytes))
			goto out;
		if (DIFFER(be32_to_cpu(recv.wc.ex.imm_data), bytes))
			goto out;
		if (FAILS(!memcmp(a->buf, b->buf, bytes)))
			goto out;
		if (DIFFER(ulp_wait(a->scq, &send), IB_WC_SUCCESS))
			goto out;
	}
out:
	ulp_pair_fini(&pair);
	return !failed;
}

static int atomic(struct ulp_pair *pair, enum ib_wr_opcode opcode, u64 compare_add, u64 swap)
{
	struct ib_sge sge = ulp_sge(&pair->end[0], 8, 8);
	struct ib_atomic_wr wr = {
		.wr = {
			.wr_cqe = &send.cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opcode,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = pair->end[1].addr + 64,
		.compare_add = compare_add,
		.swap = swap,
		.rkey = pair->pd->unsafe_global_rkey,
	};
	int err;

	ulp_op_init(&send);
	err = ib_post_send(pair->end[0].qp, &wr.wr, NULL);
	return err ?: ulp_wait(pair->end[0].scq, &send);
}

bool ulp_data_atomic(struct ib_device *dev, enum ib_poll_context poll)
{
	const u64 start = 0x123456789abcdef0;
	struct ulp_pair pair;
	bool failed = false;
	u64 *at, *old;

	/* The memory allows atomics only if the region does: this one was not asked to. */
	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	pair.pd->__internal_mr->device->ops.dereg_mr(pair.pd->__internal_mr, NULL);
	pair.pd->__internal_mr = NULL;
	pair.pd->__internal_mr = dev->ops.get_dma_mr(pair.pd, IB_ACCESS_LOCAL_WRITE |
						     IB_ACCESS_REMOTE_ATOMIC);
	if (IS_ERR(pair.pd->__internal_mr)) {
		pair.pd->__internal_mr = NULL;
		if (FAILS(false))
			goto out;
	}
	pair.pd->__internal_mr->device = dev;
	pair.pd->__internal_mr->pd = pair.pd;
	pair.pd->local_dma_lkey = pair.pd->__internal_mr->lkey;
	pair.pd->unsafe_global_rkey = pair.pd->__internal_mr->rkey;

	at = (u64 *)(pair.end[1].buf + 64);
	old = (u64 *)(pair.end[0].buf + 8);
	*at = start;
	if (DIFFER(atomic(&pair, IB_WR_ATOMIC_FETCH_AND_ADD, 5, 0), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(send.wc.opcode, IB_WC_FETCH_ADD))
		goto out;
	if (DIFFER(*old, start))
		goto out;
	if (DIFFER(*at, start + 5))
		goto out;
	if (DIFFER(atomic(&pair, IB_WR_ATOMIC_CMP_AND_SWP, start, 1), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(send.wc.opcode, IB_WC_COMP_SWAP))
		goto out;
	if (DIFFER(*old, start + 5))
		goto out;
	if (DIFFER(*at, start + 5))
		goto out;
	if (DIFFER(atomic(&pair, IB_WR_ATOMIC_CMP_AND_SWP, start + 5, 1), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(*at, 1))
		goto out;
out:
	ulp_pair_fini(&pair);
	return !failed;
}

static int send_datagram(struct ulp_end *from, struct ib_ah *ah, u32 qpn, u32 bytes)
{
	struct ib_sge sge = ulp_sge(from, 0, bytes);
	struct ib_ud_wr wr = {
		.wr = {
			.wr_cqe = &send.cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_SEND_WITH_IMM,
			.send_flags = IB_SEND_SIGNALED,
			.ex.imm_data = cpu_to_be32(bytes),
		},
		.ah = ah,
		.remote_qpn = qpn,
		.remote_qkey = 0x11,
	};

	ulp_op_init(&send);
	return ib_post_send(from->qp, &wr.wr, NULL);
}

static bool exchange(struct ulp_pair *pair, struct ulp_end *from, struct ulp_end *to,
		     struct ib_ah *ah, u32 bytes)
{
	bool failed = false;

	ulp_fill(from->buf, bytes, bytes);
	memset(to->buf, 0xee, ULP_BUF_BYTES);
	if (DIFFER(ulp_recv(to, &recv, 0, 4096), 0))
		goto out;
	if (DIFFER(send_datagram(from, ah, to->qp->qp_num, bytes), 0))
		goto out;
	if (DIFFER(ulp_wait(from->scq, &send), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(ulp_wait(to->rcq, &recv), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(recv.wc.byte_len, 40 + bytes))
		goto out;
	if (DIFFER(recv.wc.src_qp, from->qp->qp_num))
		goto out;
	if (FAILS(recv.wc.wc_flags & IB_WC_GRH))
		goto out;
	if (FAILS(recv.wc.wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE))
		goto out;
	if (DIFFER(recv.wc.network_hdr_type, RDMA_NETWORK_IPV4))
		goto out;
	if (FAILS(recv.wc.wc_flags & IB_WC_WITH_IMM))
		goto out;
	if (DIFFER(be32_to_cpu(recv.wc.ex.imm_data), bytes))
		goto out;
	if (FAILS(recv.wc.qp == to->qp))
		goto out;
	if (FAILS(!memcmp(from->buf, to->buf + 40, bytes)))
		goto out;
out:
	return !failed;
}

/* There by a handle that was made, and back by one made of the completion, as MADs do. */
bool ulp_data_datagram(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_ah *ah = NULL, *back = NULL;
	struct rdma_ah_attr attr = {};
	struct ulp_end *a, *b;
	struct ulp_pair pair;
	bool failed = false;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_UD, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	a = &pair.end[0];
	b = &pair.end[1];
	attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_grh(&attr, &pair.gid, 0, pair.gid_index, 64, 0);
	ah = rdma_create_ah(pair.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (FAILS(!IS_ERR(ah)))
		goto out;
	if (FAILS(exchange(&pair, a, b, ah, 256)))
		goto out;
	back = ib_create_ah_from_wc(pair.pd, &recv.wc, (struct ib_grh *)b->buf, 1);
	if (FAILS(!IS_ERR(back)))
		goto out;
	if (FAILS(exchange(&pair, b, a, back, 1000)))
		goto out;
	if (DIFFER(send_datagram(a, NULL, b->qp->qp_num, 1), -EINVAL))
		goto out;
out:
	if (!IS_ERR_OR_NULL(ah))
		rdma_destroy_ah(ah, 0);
	if (!IS_ERR_OR_NULL(back))
		rdma_destroy_ah(back, 0);
	ulp_pair_fini(&pair);
	return !failed;
}

/* A key is good for what it was made for, and in its own domain. */
bool ulp_data_keys(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_pd *other = NULL;
	struct ulp_pair pair;
	bool failed = false;
	u32 local;

	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	other = ib_alloc_pd(dev, 0);
	if (FAILS(!IS_ERR(other)))
		goto out;
	if (FAILS(other->local_dma_lkey && other->local_dma_lkey != pair.pd->local_dma_lkey))
		goto out;

	/* Somebody else's key is refused before anything is sent. */
	local = pair.pd->local_dma_lkey;
	pair.pd->local_dma_lkey = other->local_dma_lkey;
	if (DIFFER(ulp_send(&pair.end[0], &send, 0, 8, 0), 0))
		goto keys;
	if (DIFFER(ulp_wait(pair.end[0].scq, &send), IB_WC_LOC_PROT_ERR))
		goto keys;
keys:
	pair.pd->local_dma_lkey = local;
	if (failed)
		goto out;
	ulp_pair_fini(&pair);

	/* One made for local use only is none for the peer. */
	if (DIFFER(ulp_pair_init(&pair, dev, IB_QPT_RC, poll), 0))
		goto out;
	if (DIFFER(ulp_pair_connect(&pair), 0))
		goto out;
	if (DIFFER(ulp_rdma(&pair.end[0], &send, IB_WR_RDMA_READ, 8, pair.end[1].addr,
			    other->local_dma_lkey), 0))
		goto out;
	if (DIFFER(ulp_wait(pair.end[0].scq, &send), IB_WC_REM_ACCESS_ERR))
		goto out;
out:
	ulp_pair_fini(&pair);
	if (!IS_ERR_OR_NULL(other))
		ib_dealloc_pd(other);
	return !failed;
}

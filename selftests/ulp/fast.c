// SPDX-License-Identifier: GPL-2.0
/* Fast registration and invalidation, as storage in the kernel uses them. */
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "tests.h"

#define PAGES	16

/* Completions may come when a test has given up: no stack. */
static struct ulp_op reg_op, inv_op, send_op, recv_op;
static struct scatterlist sgs[PAGES + 1];

/**
 * struct fast - a pair, and a region of end 1
 * @pair: the pair
 * @a: the peer
 * @b: the owner of the region
 * @mr: the region
 */
struct fast {
	struct ulp_pair pair;
	struct ulp_end *a;
	struct ulp_end *b;
	struct ib_mr *mr;
};

static bool start(struct fast *f, struct ib_device *dev, enum ib_qp_type type,
		  enum ib_poll_context poll)
{
	bool failed = false;

	f->mr = NULL;
	f->a = &f->pair.end[0];
	f->b = &f->pair.end[1];
	if (DIFFER(ulp_pair_init(&f->pair, dev, type, poll), 0))
		return false;
	if (DIFFER(ulp_pair_connect(&f->pair), 0))
		return false;
	f->mr = ib_alloc_mr(f->pair.pd, IB_MR_TYPE_MEM_REG, PAGES);
	if (FAILS(!IS_ERR(f->mr))) {
		f->mr = NULL;
		return false;
	}
	return true;
}

static void stop(struct fast *f)
{
	/* The QPs first: what they have in hand may use the region. */
	if (f->mr)
		ib_drain_qp(f->b->qp);
	if (f->mr)
		ib_dereg_mr(f->mr);
	ulp_pair_fini(&f->pair);
}

/* Every other page of the owner's buffer, from @offset in the first one on. */
static int map(struct fast *f, u32 page_bytes, u32 pages, u32 offset)
{
	u32 i;

	sg_init_table(sgs, pages);
	for (i = 0; i < pages; i++)
		sg_set_buf(&sgs[i], f->b->buf + 2 * i * page_bytes, page_bytes);
	ib_dma_map_sg(f->pair.dev, sgs, pages, DMA_BIDIRECTIONAL);
	return ib_map_mr_sg(f->mr, sgs, pages, &offset, page_bytes);
}

static struct ib_reg_wr make_reg(struct fast *f, int access)
{
	ib_update_fast_reg_key(f->mr, ib_inc_rkey(f->mr->rkey));
	ulp_op_init(&reg_op);
	return (struct ib_reg_wr) {
		.wr = {
			.wr_cqe = &reg_op.cqe,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = f->mr,
		.key = f->mr->rkey,
		.access = access,
	};
}

#define RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

static int do_register(struct fast *f, int access)
{
	struct ib_reg_wr wr = make_reg(f, access);
	int err = ib_post_send(f->b->qp, &wr.wr, NULL);

	return err ?: ulp_wait(f->b->scq, &reg_op);
}

static struct ib_send_wr make_inv(struct ulp_op *op, u32 key)
{
	ulp_op_init(op);
	return (struct ib_send_wr) {
		.wr_cqe = &op->cqe,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};
}

static int invalidate(struct fast *f, u32 key)
{
	struct ib_send_wr wr = make_inv(&inv_op, key);
	int err = ib_post_send(f->b->qp, &wr, NULL);

	return err ?: ulp_wait(f->b->scq, &inv_op);
}

/* A SEND of end @from that invalidates @key at the other. */
static int post_send_inv(struct ulp_end *from, u32 bytes, u32 key)
{
	struct ib_sge sge = ulp_sge(from, 0, bytes);
	struct ib_send_wr wr = {
		.wr_cqe = &send_op.cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};

	ulp_op_init(&send_op);
	return ib_post_send(from->qp, &wr, NULL);
}

static int peer(struct fast *f, enum ib_wr_opcode opcode, u32 bytes, u64 addr)
{
	int err = ulp_rdma(f->a, &send_op, opcode, bytes, addr, f->mr->rkey);

	return err ?: ulp_wait(f->a->scq, &send_op);
}

/* Where byte @i of the region is. */
static u8 *at(struct fast *f, u32 page_bytes, u32 offset, u32 i)
{
	i += offset;
	return f->b->buf + i / page_bytes * 2 * page_bytes + i % page_bytes;
}

/* The peer writes all of the region and reads it; nothing beside it has changed. */
static bool used(struct fast *f, u32 page_bytes, u32 pages, u32 offset)
{
	u32 bytes = pages * page_bytes - offset, i, beside = 0;
	bool failed = false;

	ulp_fill(f->a->buf, bytes, bytes);
	memset(f->b->buf, 0xee, ULP_BUF_BYTES);
	if (DIFFER(peer(f, IB_WR_RDMA_WRITE, bytes, f->mr->iova), IB_WC_SUCCESS))
		goto out;
	for (i = 0; i < bytes; i++)
		if (*at(f, page_bytes, offset, i) != f->a->buf[i])
			break;
	if (DIFFER(i, bytes))
		goto out;
	for (i = 0; i < ULP_BUF_BYTES; i++)
		beside += f->b->buf[i] != 0xee &&
			  (i / page_bytes % 2 || i < offset || i / page_bytes >= 2 * pages);
	if (DIFFER(beside, 0))
		goto out;
	memset(f->a->buf, 0, bytes);
	if (DIFFER(peer(f, IB_WR_RDMA_READ, bytes, f->mr->iova), IB_WC_SUCCESS))
		goto out;
	for (i = 0; i < bytes; i++)
		if (*at(f, page_bytes, offset, i) != f->a->buf[i])
			break;
	if (DIFFER(i, bytes))
		goto out;
out:
	return !failed;
}

/* Pages that are smaller than the system's, as large, and larger; a part of the first one. */
bool ulp_fast_use(struct ib_device *dev, enum ib_poll_context poll)
{
	static const u32 page_bytes[] = { 512, 4096, 16384 };
	static const u32 pages[] = { PAGES, PAGES, 4 };
	bool failed = false;
	struct fast f;
	u32 i, offset;

	if (FAILS(start(&f, dev, IB_QPT_RC, poll)))
		goto out;
	for (i = 0; i < 2 * ARRAY_SIZE(pages); i++) {
		u32 bytes = page_bytes[i / 2], n = pages[i / 2];

		offset = i % 2 ? 77 : 0;
		if (DIFFER(map(&f, bytes, n, offset), n))
			goto out;
		if (DIFFER(f.mr->length, n * bytes - offset))
			goto out;
		/* Some name it otherwise than by its address. */
		if (i % 2)
			f.mr->iova = (f.mr->iova & 0xffffffff) | 0x1234567800000000;
		if (DIFFER(do_register(&f, RIGHTS), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(reg_op.wc.opcode, IB_WC_REG_MR))
			goto out;
		if (FAILS(used(&f, bytes, n, offset)))
			goto out;
		if (DIFFER(invalidate(&f, f.mr->rkey), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(inv_op.wc.opcode, IB_WC_LOCAL_INV))
			goto out;
	}
	if (DIFFER(peer(&f, IB_WR_RDMA_READ, 1, f.mr->iova), IB_WC_REM_ACCESS_ERR))
		goto out;
out:
	stop(&f);
	return !failed;
}

/* The list is made, then invalidation, registration and a SEND that tells are posted at once. */
bool ulp_fast_chain(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_send_wr inv, tell = {
		.wr_cqe = &send_op.cqe, .opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};
	bool failed = false;
	struct ib_reg_wr reg;
	struct fast f;
	u32 i, old;

	if (FAILS(start(&f, dev, IB_QPT_RC, poll)))
		goto out;
	if (DIFFER(map(&f, 4096, 4, 0), 4))
		goto out;
	if (DIFFER(do_register(&f, RIGHTS), IB_WC_SUCCESS))
		goto out;
	for (i = 0; i < ulp_rounds; i++) {
		old = f.mr->rkey;
		if (DIFFER(ulp_recv(f.a, &recv_op, 0, 0), 0))
			goto out;
		if (DIFFER(map(&f, 4096, PAGES, i), PAGES))
			goto out;
		inv = make_inv(&inv_op, old);
		reg = make_reg(&f, RIGHTS);
		inv.next = &reg.wr;
		reg.wr.next = &tell;
		/* Nobody waits for the two in front. */
		inv.send_flags = 0;
		reg.wr.send_flags = 0;
		ulp_op_init(&send_op);
		if (DIFFER(ib_post_send(f.b->qp, &inv, NULL), 0))
			goto out;
		if (DIFFER(ulp_wait(f.a->rcq, &recv_op), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(ulp_wait(f.b->scq, &send_op), IB_WC_SUCCESS))
			goto out;
		if (FAILS(used(&f, 4096, PAGES, i)))
			goto out;
	}
	/* The key of before is over. */
	if (DIFFER(ulp_rdma(f.a, &send_op, IB_WR_RDMA_READ, 1, f.mr->iova, old), 0))
		goto out;
	if (DIFFER(ulp_wait(f.a->scq, &send_op), IB_WC_REM_ACCESS_ERR))
		goto out;
out:
	stop(&f);
	return !failed;
}

/* The peer ends the key by its SEND: flag and key, and nobody may use it after that. */
bool ulp_fast_remote(struct ib_device *dev, enum ib_poll_context poll)
{
	static const u32 sizes[] = { 0, 64, 5000 };
	bool failed = false;
	struct fast f;
	u32 i;

	if (FAILS(start(&f, dev, IB_QPT_RC, poll)))
		goto out;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (DIFFER(map(&f, 4096, PAGES, 0), PAGES))
			goto out;
		if (DIFFER(do_register(&f, RIGHTS), IB_WC_SUCCESS))
			goto out;
		if (FAILS(used(&f, 4096, PAGES, 0)))
			goto out;
		if (DIFFER(ulp_recv(f.b, &recv_op, 0, 65536), 0))
			goto out;
		if (DIFFER(post_send_inv(f.a, sizes[i], f.mr->rkey), 0))
			goto out;
		if (DIFFER(ulp_wait(f.a->scq, &send_op), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(send_op.wc.opcode, IB_WC_SEND))
			goto out;
		if (DIFFER(ulp_wait(f.b->rcq, &recv_op), IB_WC_SUCCESS))
			goto out;
		if (DIFFER(recv_op.wc.wc_flags, IB_WC_WITH_INVALIDATE))
			goto out;
		if (DIFFER(recv_op.wc.ex.invalidate_rkey, f.mr->rkey))
			goto out;
		if (DIFFER(recv_op.wc.byte_len, sizes[i]))
			goto out;
		if (FAILS(!memcmp(f.a->buf, f.b->buf, sizes[i])))
			goto out;
	}
	/* Who does not know may invalidate once more. */
	if (DIFFER(invalidate(&f, f.mr->rkey), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(peer(&f, IB_WR_RDMA_READ, 1, f.mr->iova), IB_WC_REM_ACCESS_ERR))
		goto out;
out:
	stop(&f);
	return !failed;
}

/* One thing that is wrong; the QP that does it is in error afterwards. */
enum wrong {
	REG_VALID, REG_NOTHING, REG_RIGHTS, REG_OTHER_PD, REG_NO_FAST, INV_WRONG, INV_NO_FAST,
	INV_OTHER_PD, REMOTE_FREE, REMOTE_LOCAL_ONLY, REMOTE_NO_FAST, REMOTE_WRONG, WRONGS
};

static int do_wrong(struct fast *f, struct fast *other, enum wrong wrong)
{
	struct ib_reg_wr reg;
	int err;

	switch (wrong) {
	case REG_VALID:
		return do_register(f, RIGHTS);
	case REG_NOTHING:
		f->mr->length = 0;
		return do_register(f, RIGHTS);
	case REG_RIGHTS:
		return do_register(f, RIGHTS | IB_ACCESS_MW_BIND);
	case REG_OTHER_PD:
	case REG_NO_FAST:
		reg = make_reg(wrong == REG_OTHER_PD ? other : f, RIGHTS);
		if (wrong == REG_NO_FAST)
			reg.key = f->pair.pd->local_dma_lkey;
		err = ib_post_send(f->b->qp, &reg.wr, NULL);
		return err ?: ulp_wait(f->b->scq, &reg_op);
	case INV_WRONG:
		return invalidate(f, f->mr->rkey ^ 1);
	case INV_NO_FAST:
		return invalidate(f, f->pair.pd->local_dma_lkey);
	case INV_OTHER_PD:
		return invalidate(f, other->mr->rkey);
	default:
		break;
	}
	err = ulp_recv(f->b, &recv_op, 0, 64);
	if (!err)
		err = post_send_inv(f->a, 8, wrong == REMOTE_NO_FAST ?
				    f->pair.pd->unsafe_global_rkey :
				    f->mr->rkey ^ (wrong == REMOTE_WRONG));
	return err ?: ulp_wait(f->a->scq, &send_op);
}

static bool refused(struct ib_device *dev, enum ib_poll_context poll, enum wrong wrong)
{
	bool remote = wrong >= REMOTE_FREE, valid, failed = false;
	struct fast f = {}, other = {};

	if (FAILS(start(&f, dev, IB_QPT_RC, poll)))
		goto out;
	if (FAILS(start(&other, dev, IB_QPT_RC, poll)))
		goto out;
	if (DIFFER(map(&other, 4096, PAGES, 0), PAGES))
		goto out;
	if (wrong == INV_OTHER_PD && DIFFER(do_register(&other, RIGHTS), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(map(&f, 4096, PAGES, 0), PAGES))
		goto out;
	valid = wrong == REG_VALID || wrong == INV_WRONG || wrong == REMOTE_WRONG ||
		wrong == REMOTE_LOCAL_ONLY;
	if (valid && DIFFER(do_register(&f, wrong == REMOTE_LOCAL_ONLY ? IB_ACCESS_LOCAL_WRITE :
									 RIGHTS), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(do_wrong(&f, &other, wrong), remote ? IB_WC_REM_ACCESS_ERR : IB_WC_MW_BIND_ERR))
		goto out;
	/* The receive that it hit is flushed: the key was not ended, and none says so. */
	if (remote && DIFFER(ulp_wait(f.b->rcq, &recv_op), IB_WC_WR_FLUSH_ERR))
		goto out;
	/* What belongs to others is as it was. */
	if (wrong == INV_OTHER_PD && FAILS(used(&other, 4096, PAGES, 0)))
		goto out;
out:
	if (failed)
		pr_info("soro_ulp: # wrong %u\n", wrong);
	stop(&f);
	stop(&other);
	return !failed;
}

bool ulp_fast_refused(struct ib_device *dev, enum ib_poll_context poll)
{
	bool failed = false;
	u32 i;

	for (i = 0; i < WRONGS; i++)
		if (FAILS(refused(dev, poll, i)))
			break;
	return !failed;
}

bool ulp_fast_limits(struct ib_device *dev, enum ib_poll_context poll)
{
	const struct ib_device_attr *attrs = &dev->attrs;
	struct ib_sge sge = {};
	struct ib_send_wr wr;
	bool failed = false;
	struct ib_mr *mr;
	struct fast f;

	if (FAILS(start(&f, dev, IB_QPT_RC, poll)))
		goto out;
	if (FAILS(attrs->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		goto out;
	if (FAILS(attrs->max_fast_reg_page_list_len >= 256))
		goto out;
	mr = ib_alloc_mr(f.pair.pd, IB_MR_TYPE_MEM_REG, attrs->max_fast_reg_page_list_len);
	if (FAILS(!IS_ERR(mr)))
		goto out;
	if (DIFFER(ib_dereg_mr(mr), 0))
		goto out;
	if (FAILS(IS_ERR(ib_alloc_mr(f.pair.pd, IB_MR_TYPE_MEM_REG,
				     attrs->max_fast_reg_page_list_len + 1))))
		goto out;
	if (FAILS(IS_ERR(ib_alloc_mr(f.pair.pd, IB_MR_TYPE_SG_GAPS, 1))))
		goto out;
	/* The list is full: what fitted is told, and can be registered. */
	if (DIFFER(map(&f, 4096, PAGES - 1, 0), PAGES - 1))
		goto out;
	if (DIFFER(map(&f, 2048, PAGES + 1, 0), PAGES))
		goto out;
	if (DIFFER(do_register(&f, RIGHTS), IB_WC_SUCCESS))
		goto out;
	if (FAILS(used(&f, 2048, PAGES, 0)))
		goto out;
	/* Not a page size. */
	if (FAILS(map(&f, 4000, 1, 0) < 0))
		goto out;
	wr = make_inv(&inv_op, f.mr->rkey);
	wr.sg_list = &sge;
	wr.num_sge = 1;
	if (DIFFER(ib_post_send(f.b->qp, &wr, NULL), -EINVAL))
		goto out;
	wr = make_inv(&inv_op, f.mr->rkey);
	wr.send_flags |= IB_SEND_INLINE;
	if (DIFFER(ib_post_send(f.b->qp, &wr, NULL), -EINVAL))
		goto out;
out:
	stop(&f);
	return !failed;
}

/* UC registers and invalidates, but its peer cannot; UD has none of it. */
bool ulp_fast_transports(struct ib_device *dev, enum ib_poll_context poll)
{
	struct ib_send_wr inv;
	bool failed = false;
	struct ib_reg_wr reg;
	struct fast f;

	if (FAILS(start(&f, dev, IB_QPT_UC, poll)))
		goto out;
	if (DIFFER(map(&f, 4096, PAGES, 0), PAGES))
		goto out;
	if (DIFFER(do_register(&f, RIGHTS), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(post_send_inv(f.a, 8, f.mr->rkey), -EOPNOTSUPP))
		goto out;
	if (DIFFER(invalidate(&f, f.mr->rkey), IB_WC_SUCCESS))
		goto out;
	stop(&f);
	if (FAILS(start(&f, dev, IB_QPT_UD, poll)))
		goto out;
	if (DIFFER(map(&f, 4096, PAGES, 0), PAGES))
		goto out;
	reg = make_reg(&f, RIGHTS);
	inv = make_inv(&inv_op, f.mr->rkey);
	if (DIFFER(ib_post_send(f.b->qp, &reg.wr, NULL), -EOPNOTSUPP))
		goto out;
	if (DIFFER(ib_post_send(f.b->qp, &inv, NULL), -EOPNOTSUPP))
		goto out;
	if (DIFFER(post_send_inv(f.a, 8, 1), -EOPNOTSUPP))
		goto out;
out:
	stop(&f);
	return !failed;
}

/* ---- while the memory is used ---- */

#define STREAM		32
#define STREAM_BYTES	(4096 * PAGES)

static struct ulp_op stream_ops[STREAM];

static int stream(struct fast *f, u32 i)
{
	f->a->buf[0]++;		/* never twice the same */
	return ulp_rdma(f->a, &stream_ops[i], IB_WR_RDMA_WRITE, STREAM_BYTES, f->mr->iova,
			f->mr->rkey);
}

static bool end_under_stream(struct fast *f, u8 *seen, bool remote)
{
	u32 first = get_random_u8() % 4, i;
	int status = IB_WC_SUCCESS;
	bool failed = false;

	if (DIFFER(map(f, 4096, PAGES, 0), PAGES))
		goto out;
	if (DIFFER(do_register(f, RIGHTS), IB_WC_SUCCESS))
		goto out;
	if (DIFFER(ulp_recv(f->b, &recv_op, ULP_BUF_BYTES - 64, 64), 0))
		goto out;
	for (i = 0; i < STREAM / 2; i++)
		if (DIFFER(stream(f, i), 0))
			goto out;
	if (DIFFER(ulp_wait(f->a->scq, &stream_ops[first]), IB_WC_SUCCESS))
		goto out;
	if (remote && DIFFER(post_send_inv(f->a, 8, f->mr->rkey), 0))
		goto out;
	for (; i < STREAM; i++)
		if (DIFFER(stream(f, i), 0))
			goto out;
	if (remote && DIFFER(ulp_wait(f->b->rcq, &recv_op), IB_WC_SUCCESS))
		goto out;
	if (remote && DIFFER(recv_op.wc.ex.invalidate_rkey, f->mr->rkey))
		goto out;
	if (!remote && DIFFER(invalidate(f, f->mr->rkey), IB_WC_SUCCESS))
		goto out;
	memcpy(seen, f->b->buf, STREAM_BYTES);
	for (i = 0; i < STREAM && !status; i++)
		if (i != first)
			status = ulp_wait(f->a->scq, &stream_ops[i]);
	/* All of them may have been there before. */
	if (status && DIFFER(status, IB_WC_REM_ACCESS_ERR))
		goto out;
	if (remote && DIFFER(status, IB_WC_REM_ACCESS_ERR))
		goto out;
	if (FAILS(!memcmp(seen, f->b->buf, STREAM_BYTES)))
		goto out;
out:
	return !failed;
}

static bool under_stream(struct ib_device *dev, enum ib_poll_context poll, bool remote)
{
	u8 *seen = kmalloc(STREAM_BYTES, GFP_KERNEL);
	bool failed = false;
	struct fast f = {};
	u32 round;

	if (FAILS(seen))
		return false;
	for (round = 0; round < ulp_rounds && !failed; round++) {
		FAILS(start(&f, dev, IB_QPT_RC, poll) && end_under_stream(&f, seen, remote));
		if (f.a->qp)	/* its operations are used again */
			ib_drain_qp(f.a->qp);
		stop(&f);
	}
	kfree(seen);
	return !failed;
}

/* From the completion on nobody writes, whatever is under way on other processors. */
bool ulp_fast_local_under_stream(struct ib_device *dev, enum ib_poll_context poll)
{
	return under_stream(dev, poll, false);
}

bool ulp_fast_remote_under_stream(struct ib_device *dev, enum ib_poll_context poll)
{
	return under_stream(dev, poll, true);
}

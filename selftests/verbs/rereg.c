// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a registration (IBA 11.2.8): rights, protection domain, memory. The
 * provider has no call for it: the command is written to the device as the kernel
 * knows it.
 */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mw_fixture.h"
#include "op.h"
#include "tap.h"
#include "tests.h"

#define TRANS	IBV_REREG_MR_CHANGE_TRANSLATION
#define PD	IBV_REREG_MR_CHANGE_PD
#define ACCESS	IBV_REREG_MR_CHANGE_ACCESS
#define RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/**
 * struct change - arguments of the command
 * @flags: what changes
 * @start: @length: @iova: new memory and the address that names it
 * @pd: new protection domain
 * @access: new rights
 */
struct change {
	uint32_t flags;
	uint64_t start, length, iova;
	struct ibv_pd *pd;
	int access;
};

/* Return: 0 or errno; the keys of @mr follow. */
static int rereg(struct ibv_mr *mr, const struct change *c)
{
	struct ib_uverbs_rereg_mr_resp resp = { 0 };
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_rereg_mr cmd;
	} req = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_REREG_MR,
			.in_words = sizeof(req) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.cmd = {
			.response = (uintptr_t)&resp,
			.mr_handle = mr->handle,
			.flags = c->flags,
			.start = c->start,
			.length = c->length,
			.hca_va = c->iova,
			.pd_handle = c->pd ? c->pd->handle : 0,
			.access_flags = c->access,
		},
	};

	if (write(mr->context->cmd_fd, &req, sizeof(req)) != sizeof(req))
		return errno;
	mr->lkey = resp.lkey;
	mr->rkey = resp.rkey;
	return 0;
}

static bool rereg_ok(struct ibv_mr *mr, const struct change *c)
{
	int err = rereg(mr, c);

	return CHECK(!err, "change 0x%x: %s", c->flags, strerror(err));
}

static void test_rights(struct env *env, long arg)
{
	struct change rw = { .flags = ACCESS, .access = RIGHTS };
	struct change ro = { .flags = ACCESS, .access = IBV_ACCESS_REMOTE_READ };
	struct pair_opts opts = mw_opts(env);
	struct stage s;
	uint64_t at;

	(void)arg;
	/* Pinned for reading only: to write, the pages have to be pinned anew. */
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, 0)) {
		at = (uintptr_t)s.region.mem;
		if (rereg_ok(s.region.mr, &rw) &&
		    stage_write(&s, s.region.mr->rkey, at, 0, STAGE_BYTES) &&
		    rereg_ok(s.region.mr, &ro)) {
			stage_post(&s, IBV_WR_RDMA_WRITE, 1, s.region.mr->rkey, at, 10);
			stage_refused(&s, "right that was taken away");
		}
	}
	stage_close(&s);
}

static void test_pd(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct change c = { .flags = PD, .pd = ibv_alloc_pd(env->dev[1].ctx) };
	struct stage s;
	uint64_t at;
	int err;

	(void)arg;
	if (CHECK(c.pd, "ibv_alloc_pd") && stage_open(&s, env, IBV_MW_TYPE_1, &opts, RIGHTS)) {
		at = (uintptr_t)s.region.mem;
		stage_write(&s, s.region.mr->rkey, at, 0, 100);
		if (rereg_ok(s.region.mr, &c)) {
			err = ibv_dealloc_pd(c.pd);
			CHECK(err == EBUSY, "dealloc of a PD in use: %s", strerror(err));
			stage_post(&s, IBV_WR_RDMA_WRITE, 1, s.region.mr->rkey, at, 10);
			stage_refused(&s, "region of another PD");
		}
	}
	stage_close(&s);
	CHECK(!ibv_dealloc_pd(c.pd), "ibv_dealloc_pd: %s", strerror(errno));
}

/* Other memory under the same key: longer, or named by other addresses. */
static void test_memory(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct buf other;
	struct change c = { .flags = TRANS };
	struct layout there = { .count = 1 };
	struct stage s;
	uint32_t key;

	memset(&other, 0, sizeof(other));
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, RIGHTS) &&
	    buf_open(&other, env->dev[1].pd, 2 * STAGE_BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		c.start = (uintptr_t)other.mem;
		c.length = other.len;
		c.iova = arg ? c.start ^ 0x123456789000 : c.start;
		stage_write(&s, s.region.mr->rkey, (uintptr_t)s.region.mem, 0, STAGE_BYTES);
		if (rereg_ok(s.region.mr, &c)) {
			key = s.region.mr->rkey;
			stage_post(&s, IBV_WR_RDMA_WRITE, 5, key, c.iova + c.length - 5000, 5000);
			end_expect_status(&s.pair.end[0], false, 5, IBV_WC_SUCCESS, "WRITE");
			there.buf = &other;
			there.sge[0] = (struct ibv_sge) { c.start + c.length - 5000, 5000, 0 };
			layout_expect(&there, s.local.mem);
			buf_check(&other, "new memory");
			buf_check(&s.region, "old memory");
			stage_post(&s, IBV_WR_RDMA_WRITE, 1, key, c.iova + c.length - 10, 11);
			stage_refused(&s, "beyond the new memory");
		}
	}
	stage_close(&s);
	buf_close(&other);
}

static void test_all(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct change c = { .flags = TRANS | PD | ACCESS, .access = RIGHTS };
	struct stage s;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, 0)) {
		c.pd = env->dev[1].pd;	/* the same: no change */
		c.start = c.iova = (uintptr_t)s.region.mem + 4096;
		c.length = 4000;
		if (rereg_ok(s.region.mr, &c))
			stage_write(&s, s.region.mr->rkey, c.iova, 4096, 4000);
		c.flags = ACCESS;
		c.access |= IBV_ACCESS_ZERO_BASED | IBV_ACCESS_RELAXED_ORDERING;
		if (rereg_ok(s.region.mr, &c))
			stage_write(&s, s.region.mr->rkey, 0, 4096, 4000);
		c.access &= ~IBV_ACCESS_ZERO_BASED;
		if (rereg_ok(s.region.mr, &c))
			stage_write(&s, s.region.mr->rkey, c.iova, 4096, 4000);
	}
	stage_close(&s);
}

/* What is refused changes nothing. */
static void test_refused(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	void *hole = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t nowhere = (uintptr_t)hole;
	struct {
		struct change c;
		int err[2];
		const char *what;
	} rows[] = {
		{ { 0 }, { EINVAL, EINVAL }, "nothing" },
		{ { .flags = 8 }, { EOPNOTSUPP, EOPNOTSUPP }, "unknown change" },
		{ { TRANS, nowhere, 4096, nowhere }, { EFAULT, ENOMEM }, "no memory" },
		{ { TRANS, nowhere, 4096, nowhere + 1 }, { EINVAL, EINVAL }, "offset in the page" },
		{ { TRANS, nowhere, 0, nowhere }, { EINVAL, EINVAL }, "no bytes" },
		{ { TRANS, nowhere, ~0ULL, nowhere }, { EINVAL, EINVAL }, "wraps" },
		{ { TRANS, nowhere, 8192, ~0xfffULL }, { EINVAL, EINVAL }, "name wraps" },
		{ { ACCESS, .access = IBV_ACCESS_REMOTE_WRITE }, { EINVAL, EINVAL },
		  "remote without local write" },
		{ { ACCESS, .access = IBV_ACCESS_ON_DEMAND }, { EOPNOTSUPP, EINVAL }, "on demand" },
		{ { ACCESS, .access = 1 << 19 }, { EINVAL, EOPNOTSUPP }, "unknown right" },
	};
	struct stage s;
	unsigned int i;
	int err;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, RIGHTS)) {
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			err = rereg(s.region.mr, &rows[i].c);
			CHECK(err && (err == rows[i].err[0] || err == rows[i].err[1]),
			      "%s: %s", rows[i].what, strerror(err));
		}
		stage_write(&s, s.region.mr->rkey, (uintptr_t)s.region.mem, 0, STAGE_BYTES);
	}
	stage_close(&s);
	munmap(hole, 8192);
}

static void test_bound(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct change c = {
		.flags = ACCESS, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND,
	};
	struct binding b;
	struct stage s;
	int err;

	(void)arg;
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, c.access)) {
		b = stage_binding(&s);
		if (stage_bind(&s, &b)) {
			err = rereg(s.region.mr, &c);
			CHECK(err == EBUSY, "change with a window bound: %s", strerror(err));
			stage_write(&s, s.key, b.addr, 1000, 4000);
			b = stage_binding(&s);
			b.len = 0;
			if (stage_bind(&s, &b))
				rereg_ok(s.region.mr, &c);
		}
	}
	stage_close(&s);
}

/* Two memories take turns under the writes of a peer: each is written, nothing else is. */
static void test_traffic(struct env *env, long arg)
{
	struct pair_opts opts = mw_opts(env);
	struct change c[2] = { { .flags = TRANS }, { .flags = TRANS } };
	struct buf other;
	struct layout there = { .count = 1 };
	struct stage s;
	struct ibv_wc wc;
	int i, posted = 0;

	(void)arg;
	memset(&other, 0, sizeof(other));
	if (stage_open(&s, env, IBV_MW_TYPE_1, &opts, RIGHTS) &&
	    buf_open(&other, env->dev[1].pd, STAGE_BYTES, IBV_ACCESS_LOCAL_WRITE)) {
		c[0].start = (uintptr_t)other.mem;
		c[1].start = (uintptr_t)s.region.mem;
		for (i = 0; i < 2; i++) {
			c[i].length = STAGE_BYTES;
			/* one name for both, with the offset in the page of each */
			c[i].iova = 0x10000000 + (c[i].start & 4095);
		}
		for (i = 0; i < (env->quick ? 100 : 1000) && !tap_failed(); i++) {
			rereg_ok(s.region.mr, &c[i & 1]);
			while (posted < 16) {
				stage_post(&s, IBV_WR_RDMA_WRITE, 5, s.region.mr->rkey, 0x10000fff,
					   4000);
				posted++;
			}
			for (; ibv_poll_cq(s.pair.end[0].scq, 1, &wc) > 0; posted--)
				CHECK(wc.status == IBV_WC_SUCCESS, "WRITE: %s",
				      ibv_wc_status_str(wc.status));
		}
		for (; posted && end_wait_wc(&s.pair.end[0], s.pair.end[0].scq, &wc); posted--)
			CHECK(wc.status == IBV_WC_SUCCESS, "WRITE: %s",
			      ibv_wc_status_str(wc.status));
		for (i = 0; i < 2; i++) {
			there.buf = i ? &s.region : &other;
			there.sge[0] = (struct ibv_sge) { c[i].start + 0x10000fff - c[i].iova,
							  4000, 0 };
			layout_adopt(&there);
			buf_check(there.buf, "around what was written");
		}
	}
	stage_close(&s);
	buf_close(&other);
}

const struct test rereg_tests[] = {
	{ "rereg/rights", test_rights, 0, 0 },
	{ "rereg/pd", test_pd, 0, 0 },
	{ "rereg/memory", test_memory, 0, 0 },
	{ "rereg/memory-other-name", test_memory, 1, 0 },
	{ "rereg/all", test_all, 0, 0 },
	{ "rereg/refused", test_refused, 0, 0 },
	{ "rereg/bound", test_bound, 0, 0 },
	{ "rereg/traffic", test_traffic, 0, 0 },
	{ }
};

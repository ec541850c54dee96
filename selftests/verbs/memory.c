// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: huge pages, long ones, tiny ones, many on one range, access
 * rights, registrations that must be refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define HUGE_BYTES (2UL << 20)

/* WRITE, then READ back, between two ranges; returns whether the bytes came through. */
static bool there_and_back(struct pair *pair, struct ibv_sge from, uint64_t addr, uint32_t rkey,
			   struct ibv_sge back)
{
	struct ibv_send_wr read = {
		.wr_id = 2, .sg_list = &back, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { addr, rkey },
	};
	struct ibv_send_wr write = {
		.wr_id = 1, .next = &read, .sg_list = &from, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { addr, rkey },
	};

	return CHECK(!end_post_send(&pair->end[0], &write), "post_send") &&
	       end_expect_status(&pair->end[0], false, 1, IBV_WC_SUCCESS, "WRITE") &&
	       end_expect_status(&pair->end[0], false, 2, IBV_WC_SUCCESS, "READ") &&
	       CHECK(!memcmp((void *)(uintptr_t)from.addr, (void *)(uintptr_t)back.addr,
			     from.length), "%u bytes at %#llx: not what was written",
		     from.length, (unsigned long long)addr);
}

static struct ibv_sge range(const struct buf *buf, size_t offset, size_t len)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)buf->mem + offset, .length = len, .lkey = buf->mr->lkey,
	};
}

/* Places in a long region where a page table may be read wrongly: ends and page borders. */
static void probe_region(struct env *env, struct buf *far)
{
	size_t places[] = { 0, 4095, HUGE_BYTES - 1501, far->len / 2 - 1500, far->len - 3000 };
	struct pair_opts opts = pair_defaults(env);
	struct buf src = { 0 }, back = { 0 };
	struct pair pair;
	unsigned int i;

	if (buf_open(&src, env->dev[0].pd, 3000, 0) &&
	    buf_open(&back, env->dev[0].pd, 3000, IBV_ACCESS_LOCAL_WRITE) &&
	    pair_open(&pair, env, &opts)) {
		for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			size_t len = far->len - places[i] < 3000 ? far->len - places[i] : 3000;

			if (!there_and_back(&pair, range(&src, 0, len),
					    (uintptr_t)far->mem + places[i], far->mr->rkey,
					    range(&back, 0, len)))
				break;
			memcpy(far->image + (far->mem - far->map) + places[i], src.mem, len);
		}
		pair_close(&pair);
		buf_check(far, "the region");
	}
	buf_close(&src);
	buf_close(&back);
}

static void want_huge_pages(void)
{
	FILE *f = fopen("/proc/sys/vm/nr_hugepages", "r+");
	int have = 0;

	if (!f)
		return;
	if (fscanf(f, "%d", &have) == 1 && have < 4) {
		rewind(f);
		fprintf(f, "4\n");
	}
	fclose(f);
}

static void test_huge_pages(struct env *env, long whole)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	size_t map_len = 2 * HUGE_BYTES;
	struct buf far = { 0 };
	uint8_t *map;

	want_huge_pages();
	map = mmap(NULL, map_len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (map == MAP_FAILED) {
		tap_skip("no huge pages: %s", strerror(errno));
		return;
	}
	/* All of it, or a range that begins and ends inside pages. */
	if (buf_open_at(&far, env->dev[1].pd, map, map_len, whole ? 0 : 777,
			whole ? map_len : map_len - 2000, access))
		probe_region(env, &far);
	buf_close(&far);
}

static void test_long_region(struct env *env, long mib)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct buf far;

	if (env->quick)
		mib /= 4;
	if (buf_open(&far, env->dev[1].pd, mib << 20, access))
		probe_region(env, &far);
	buf_close(&far);
}

/* Many registrations, overlapping, each with its own bounds; freed in another order. */
static void test_many(struct env *env, long count)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct buf far = { 0 }, src = { 0 }, back = { 0 };
	struct pair_opts opts = pair_defaults(env);
	struct ibv_mr *mr[64] = { NULL };
	struct pair pair;
	int i, j, bad = 0;

	if (buf_open(&far, env->dev[1].pd, 8192, access) &&
	    buf_open(&src, env->dev[0].pd, 128, 0) &&
	    buf_open(&back, env->dev[0].pd, 128, IBV_ACCESS_LOCAL_WRITE) &&
	    pair_open(&pair, env, &opts)) {
		for (i = 0; i < count; i++) {
			mr[i] = ibv_reg_mr(env->dev[1].pd, far.mem + 100 * i, 1 + i, access);
			if (!CHECK(mr[i], "registration %d: %s", i, strerror(errno)))
				break;
			for (j = 0; j < i; j++)
				bad += mr[i]->rkey == mr[j]->rkey;
		}
		CHECK(!bad, "registrations share keys");
		for (i = count - 1; i >= 0 && mr[i]; i -= 3) {
			if (!there_and_back(&pair, range(&src, 0, 1 + i),
					    (uintptr_t)far.mem + 100 * i, mr[i]->rkey,
					    range(&back, 0, 1 + i)))
				break;
		}
		pair_close(&pair);
	}
	for (i = 0; i < count; i++) {
		j = (i * 37) % count;
		if (mr[j])
			CHECK(!ibv_dereg_mr(mr[j]), "ibv_dereg_mr");
	}
	buf_close(&far);
	buf_close(&src);
	buf_close(&back);
}

/* A freed key is not given out again at once with the same value. */
static void test_key_reuse(struct env *env, long arg)
{
	static uint8_t mem[64];
	uint32_t last = 0;
	int i, same = 0;

	(void)arg;
	for (i = 0; i < 20; i++) {
		struct ibv_mr *mr = ibv_reg_mr(env->dev[0].pd, mem, sizeof(mem), 0);

		if (!CHECK(mr, "ibv_reg_mr: %s", strerror(errno)))
			return;
		same += i && mr->lkey == last;
		last = mr->lkey;
		CHECK(!ibv_dereg_mr(mr), "ibv_dereg_mr");
	}
	CHECK(same < 3, "the same key came %d times running", same);
}

static void refuse_reg(struct env *env, void *addr, size_t len, int access, const char *what)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(env->dev[0].pd, addr, len, access);
	if (!CHECK(!mr, "%s: registration was taken", what))
		CHECK(!ibv_dereg_mr(mr), "ibv_dereg_mr");
	else
		CHECK(errno > 0, "%s: errno %d", what, errno);
}

static void test_refused(struct env *env, long arg)
{
	long page = sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;

	(void)arg;
	if (!CHECK(map != MAP_FAILED, "mmap"))
		return;
	/* IBA 11.2.8.2: remote write and atomic need local write. */
	refuse_reg(env, map, page, IBV_ACCESS_REMOTE_WRITE, "REMOTE_WRITE without LOCAL_WRITE");
	refuse_reg(env, map, page, IBV_ACCESS_REMOTE_ATOMIC, "REMOTE_ATOMIC without LOCAL_WRITE");
	refuse_reg(env, map, page, 1 << 15, "unknown access flag");
	munmap(map + 2 * page, page);
	refuse_reg(env, map + page, 2 * page, IBV_ACCESS_LOCAL_WRITE, "range with a hole");
	refuse_reg(env, (void *)~0xfffUL, 8192, IBV_ACCESS_LOCAL_WRITE, "range that wraps");
	mprotect(map, page, PROT_READ);
	refuse_reg(env, map, page, IBV_ACCESS_LOCAL_WRITE, "LOCAL_WRITE on read-only memory");
	mr = ibv_reg_mr(env->dev[0].pd, map, page, 0);
	if (CHECK(mr, "read-only memory without rights: %s", strerror(errno)))
		CHECK(!ibv_dereg_mr(mr), "ibv_dereg_mr");
	munmap(map, 2 * page);
	munmap(map + 3 * page, page);
}

/* A PD with a region in it cannot be freed. */
static void test_busy_pd(struct env *env, long arg)
{
	static uint8_t mem[64];
	struct ibv_pd *pd = ibv_alloc_pd(env->dev[0].ctx);
	struct ibv_mr *mr;

	(void)arg;
	if (!CHECK(pd, "ibv_alloc_pd"))
		return;
	mr = ibv_reg_mr(pd, mem, sizeof(mem), 0);
	if (CHECK(mr, "ibv_reg_mr")) {
		CHECK(ibv_dealloc_pd(pd) == EBUSY, "a PD in use was freed");
		CHECK(!ibv_dereg_mr(mr), "ibv_dereg_mr");
	}
	CHECK(!ibv_dealloc_pd(pd), "ibv_dealloc_pd");
}

const struct test memory_tests[] = {
	{ "memory/huge-pages", test_huge_pages, 1, 0 },
	{ "memory/huge-pages-unaligned", test_huge_pages, 0, 0 },
	{ "memory/64-mib", test_long_region, 64, 0 },
	{ "memory/many-regions", test_many, 64, 0 },
	{ "memory/key-reuse", test_key_reuse, 0, 0 },
	{ "memory/refused", test_refused, 0, 0 },
	{ "memory/busy-pd", test_busy_pd, 0, 0 },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * CMP_SWP, FETCH_ADD and ATOMIC WRITE against a model; together with the CPU;
 * and what happens when something is wrong with them. IBA 9.4.5, 11.4.1.1,
 * annex A19.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define CELLS		16
#define BATCH		16
#define PAGE_BYTES	4096

/* A page of cells, the target at one end and the results at the other. */
struct page {
	uint64_t *cell;
	struct ibv_mr *mr;
};

static bool page_open(struct page *page, struct ibv_pd *pd, int access)
{
	page->mr = NULL;
	page->cell = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	if (!CHECK(page->cell, "no memory"))
		return false;
	memset(page->cell, 0xe5, PAGE_BYTES);
	page->mr = ibv_reg_mr(pd, page->cell, PAGE_BYTES, access);
	return CHECK(page->mr, "ibv_reg_mr: %s", strerror(errno));
}

static void page_close(struct page *page)
{
	if (page->mr)
		CHECK(!ibv_dereg_mr(page->mr), "ibv_dereg_mr: %s", strerror(errno));
	free(page->cell);
	memset(page, 0, sizeof(*page));
}

struct atomics {
	struct page target, result;
	struct pair pair;
};

static bool atomics_open(struct atomics *a, struct env *env, const struct pair_opts *opts)
{
	memset(a, 0, sizeof(*a));
	return page_open(&a->target, env->dev[1].pd,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			 IBV_ACCESS_REMOTE_ATOMIC) &&
	       page_open(&a->result, env->dev[0].pd, IBV_ACCESS_LOCAL_WRITE) &&
	       pair_open(&a->pair, env, opts);
}

static void atomics_close(struct atomics *a)
{
	pair_close(&a->pair);
	page_close(&a->target);
	page_close(&a->result);
}

static struct pair_opts atomic_opts(const struct env *env)
{
	struct pair_opts opts = pair_defaults(env);

	opts.access[0] |= IBV_ACCESS_REMOTE_ATOMIC;
	opts.access[1] |= IBV_ACCESS_REMOTE_ATOMIC;
	return opts;
}

static struct ibv_send_wr atomic_wr(struct atomics *a, enum ibv_wr_opcode opcode, int cell,
				    struct ibv_sge *sge, uint64_t compare_add, uint64_t swap)
{
	return (struct ibv_send_wr) {
		.wr_id = rnd(), .sg_list = sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = {
			.remote_addr = (uintptr_t)&a->target.cell[cell],
			.rkey = a->target.mr->rkey,
			.compare_add = compare_add, .swap = swap,
		},
	};
}

static struct ibv_sge result_sge(struct atomics *a, int i, uint32_t length)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)&a->result.cell[i], .length = length,
		.lkey = a->result.mr->lkey,
	};
}

/* One random atomic of the model: what it must find, what it must leave. */
static uint64_t step_model(uint64_t *cell, bool add, uint64_t *compare_add, uint64_t *swap)
{
	uint64_t orig = *cell;

	*compare_add = add ? rnd() : rnd() & 1 ? orig : orig ^ (1ULL << rnd_below(64));
	*swap = rnd();
	if (add)
		*cell += *compare_add;
	else if (*compare_add == orig)
		*cell = *swap;
	return orig;
}

/* Many at once on few cells: every result is the one of its place in the order. */
static void test_model(struct env *env, long which)
{
	struct pair_opts opts = atomic_opts(env);
	int rounds = env->quick ? 4 : 40;
	uint64_t model[CELLS], found[BATCH], compare_add, swap;
	struct ibv_send_wr wr[BATCH];
	struct ibv_sge sge[BATCH];
	struct atomics a;
	int i, round;

	if (!atomics_open(&a, env, &opts))
		goto out;
	memcpy(model, a.target.cell, sizeof(model));
	for (round = 0; round < rounds && !tap_failed(); round++) {
		for (i = 0; i < BATCH; i++) {
			bool add = which == 2 ? rnd() & 1 : which == 1;
			int cell = rnd_below(CELLS);

			found[i] = step_model(&model[cell], add, &compare_add, &swap);
			sge[i] = result_sge(&a, i, 8);
			wr[i] = atomic_wr(&a, add ? IBV_WR_ATOMIC_FETCH_AND_ADD :
					  IBV_WR_ATOMIC_CMP_AND_SWP, cell, &sge[i],
					  compare_add, swap);
			wr[i].next = i + 1 < BATCH ? &wr[i + 1] : NULL;
		}
		if (!CHECK(!end_post_send(&a.pair.end[0], wr), "post_send"))
			break;
		for (i = 0; i < BATCH; i++) {
			struct expect expect = {
				.wr_id = wr[i].wr_id, .has_len = true, .byte_len = 8,
				.opcode = wr[i].opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ?
					  IBV_WC_FETCH_ADD : IBV_WC_COMP_SWAP,
			};

			if (!end_expect(&a.pair.end[0], &expect, "atomic"))
				goto out;
			CHECK(a.result.cell[i] == found[i], "result %d is %#llx, not %#llx", i,
			      (unsigned long long)a.result.cell[i], (unsigned long long)found[i]);
		}
		CHECK(!memcmp(model, a.target.cell, sizeof(model)), "the cells are not the model's");
	}
	for (i = CELLS; i < PAGE_BYTES / 8; i++)
		CHECK(a.target.cell[i] == 0xe5e5e5e5e5e5e5e5ULL, "cell %d was touched", i);
out:
	atomics_close(&a);
}

/* The result goes to two SGEs, and to the beginning of one that is longer. */
static void test_result_places(struct env *env, long arg)
{
	struct pair_opts opts = atomic_opts(env);
	struct ibv_send_wr wr;
	struct ibv_sge sge[2];
	struct atomics a;
	uint64_t got;

	(void)arg;
	if (!atomics_open(&a, env, &opts))
		goto out;
	a.target.cell[0] = 0x1122334455667788ULL;
	sge[0] = result_sge(&a, 0, 3);
	sge[1] = result_sge(&a, 5, 5);
	wr = atomic_wr(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, sge, 0, 0);
	wr.num_sge = 2;
	CHECK(!end_post_send(&a.pair.end[0], &wr), "post_send");
	end_expect_status(&a.pair.end[0], false, wr.wr_id, IBV_WC_SUCCESS, "two SGEs");
	memcpy(&got, &a.result.cell[0], 3);
	memcpy((uint8_t *)&got + 3, &a.result.cell[5], 5);
	CHECK(got == a.target.cell[0], "two SGEs hold %#llx", (unsigned long long)got);
	CHECK(*((uint8_t *)&a.result.cell[0] + 3) == 0xe5, "byte behind the first SGE");

	sge[0] = result_sge(&a, 8, 24);
	wr = atomic_wr(&a, IBV_WR_ATOMIC_CMP_AND_SWP, 0, sge, 0, 1);
	CHECK(!end_post_send(&a.pair.end[0], &wr), "post_send");
	end_expect_status(&a.pair.end[0], false, wr.wr_id, IBV_WC_SUCCESS, "longer SGE");
	CHECK(a.result.cell[8] == a.target.cell[0], "longer SGE holds %#llx",
	      (unsigned long long)a.result.cell[8]);
	CHECK(a.result.cell[9] == 0xe5e5e5e5e5e5e5e5ULL, "bytes behind the result");
out:
	atomics_close(&a);
}

/* A thread of this process adds to the same cell: nothing may get lost (IBV_ATOMIC_GLOB). */
struct adder {
	uint64_t *cell;
	bool stop;
	uint64_t added;
};

static void *add_all_the_time(void *arg)
{
	struct adder *adder = arg;

	while (!__atomic_load_n(&adder->stop, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(adder->cell, 3, __ATOMIC_RELAXED);
		adder->added += 3;
	}
	return NULL;
}

static void test_with_cpu(struct env *env, long arg)
{
	struct pair_opts opts = atomic_opts(env);
	int i, count = env->quick ? 50 : 500;
	struct adder adder = { };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	pthread_t thread;
	struct atomics a;
	uint64_t last = 0;

	(void)arg;
	if (!CHECK(env->dev[1].attr.atomic_cap == IBV_ATOMIC_GLOB, "atomic_cap is %d",
		   env->dev[1].attr.atomic_cap) || !atomics_open(&a, env, &opts))
		return;
	a.target.cell[0] = 0;
	adder.cell = &a.target.cell[0];
	if (!CHECK(!pthread_create(&thread, NULL, add_all_the_time, &adder), "pthread_create"))
		goto out;
	sge = result_sge(&a, 0, 8);
	for (i = 0; i < count && !tap_failed(); i++) {
		wr = atomic_wr(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, &sge, 1ULL << 40, 0);
		CHECK(!end_post_send(&a.pair.end[0], &wr), "post_send");
		end_expect_status(&a.pair.end[0], false, wr.wr_id, IBV_WC_SUCCESS, "fetch and add");
		CHECK(a.result.cell[0] >> 40 == (unsigned int)i && a.result.cell[0] >= last,
		      "result %d is %#llx", i, (unsigned long long)a.result.cell[0]);
		last = a.result.cell[0];
	}
	__atomic_store_n(&adder.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(a.target.cell[0] == adder.added + ((uint64_t)i << 40),
	      "the sum is %#llx, %llu were added here and %d there",
	      (unsigned long long)a.target.cell[0], (unsigned long long)adder.added / 3, i);
out:
	atomics_close(&a);
}

/* ATOMIC WRITE exists in the ibv_wr interface alone, with a pointer to eight bytes. */
static struct ibv_qp_ex *make_atomic_write(struct end *end)
{
	if (!end->qpx || !end->qpx->wr_atomic_write) {
		tap_skip("this libibverbs cannot post an ATOMIC WRITE here");
		return NULL;
	}
	return end->qpx;
}

static void post_atomic_write(struct ibv_qp_ex *qpx, uint64_t wr_id, uint32_t rkey,
			      uint64_t addr, uint64_t value)
{
	ibv_wr_start(qpx);
	qpx->wr_id = wr_id;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(qpx, rkey, addr, &value);
	CHECK(!ibv_wr_complete(qpx), "ibv_wr_complete");
}

static void test_atomic_write(struct env *env, long arg)
{
	struct pair_opts opts = atomic_opts(env);
	int i, count = env->quick ? 20 : 200;
	struct ibv_qp_ex *qpx;
	struct atomics a;

	(void)arg;
	opts.wr_api = true;
	if (!atomics_open(&a, env, &opts))
		goto out;
	qpx = make_atomic_write(&a.pair.end[0]);
	for (i = 0; qpx && i < count && !tap_failed(); i++) {
		struct expect expect = { .wr_id = i, .opcode = IBV_WC_ATOMIC_WRITE };
		uint64_t value = rnd();
		int cell = rnd_below(CELLS);

		post_atomic_write(qpx, i, a.target.mr->rkey, (uintptr_t)&a.target.cell[cell], value);
		end_expect(&a.pair.end[0], &expect, "atomic write");
		CHECK(a.target.cell[cell] == value, "cell is %#llx, not %#llx",
		      (unsigned long long)a.target.cell[cell], (unsigned long long)value);
	}
out:
	atomics_close(&a);
}

enum mistake {
	MISALIGNED, MEMORY_MISALIGNED, WRONG_KEY, NO_MR_RIGHT, NO_QP_RIGHT, ABOVE, WRAPS,
	NO_RESOURCES, SHORT_RESULT, RESULT_READ_ONLY, RESULT_LKEY,
};

static const struct {
	enum ibv_wc_status status;
	int event;	/* at the responder, -1: it stays in RTS */
} outcomes[] = {
	[MISALIGNED] = { IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	[MEMORY_MISALIGNED] = { IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	[WRONG_KEY] = { IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	[NO_MR_RIGHT] = { IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	[NO_QP_RIGHT] = { IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	[ABOVE] = { IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	[WRAPS] = { IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	[NO_RESOURCES] = { IBV_WC_LOC_QP_OP_ERR, -1 },
	[SHORT_RESULT] = { IBV_WC_LOC_LEN_ERR, -1 },
	[RESULT_READ_ONLY] = { IBV_WC_LOC_PROT_ERR, -1 },
	[RESULT_LKEY] = { IBV_WC_LOC_PROT_ERR, -1 },
};

/* Registrations that the fault needs; the target becomes another one of the same page. */
static bool register_again(struct atomics *a, struct env *env, enum mistake fault)
{
	struct page *page = fault == RESULT_READ_ONLY ? &a->result : &a->target;
	struct ibv_pd *pd = fault == RESULT_READ_ONLY ? env->dev[0].pd : env->dev[1].pd;

	if (fault != MEMORY_MISALIGNED && fault != NO_MR_RIGHT && fault != RESULT_READ_ONLY)
		return true;
	CHECK(!ibv_dereg_mr(page->mr), "ibv_dereg_mr");
	if (fault == MEMORY_MISALIGNED)	/* address 0 is four bytes into the page */
		page->mr = ibv_reg_mr(pd, (uint8_t *)page->cell + 4, PAGE_BYTES - 4,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC |
				      IBV_ACCESS_ZERO_BASED);
	else
		page->mr = ibv_reg_mr(pd, page->cell, PAGE_BYTES, fault == RESULT_READ_ONLY ? 0 :
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				      IBV_ACCESS_REMOTE_READ);
	return CHECK(page->mr, "ibv_reg_mr: %s", strerror(errno));
}

static void put_fault(struct atomics *a, enum mistake fault, struct ibv_send_wr *wr,
		      struct ibv_sge *sge)
{
	switch (fault) {
	case MISALIGNED:
		wr->wr.atomic.remote_addr += 1 + rnd_below(7);
		break;
	case MEMORY_MISALIGNED:
		wr->wr.atomic.remote_addr = 8;
		break;
	case WRONG_KEY:
		wr->wr.atomic.rkey ^= 0x55;
		break;
	case ABOVE:
		wr->wr.atomic.remote_addr = (uintptr_t)a->target.cell + PAGE_BYTES;
		break;
	case WRAPS:
		wr->wr.atomic.remote_addr = ~7ULL;
		break;
	case SHORT_RESULT:
		sge->length = 7;
		break;
	case RESULT_LKEY:
		sge->lkey ^= 0x55;
		break;
	default:
		break;
	}
}

static void expect_fault(struct atomics *a, enum mistake fault, uint64_t wr_id)
{
	struct end *req = &a->pair.end[0], *resp = &a->pair.end[1];
	struct ibv_wc wc;

	if (!CHECK(end_wait_wc(req, req->scq, &wc), "no completion"))
		return;
	CHECK(wc.wr_id == wr_id, "wr_id");
	/* The NAK may be lost; then its sender is silent. */
	if (!(a->pair.env->lossy && outcomes[fault].event >= 0 &&
	      wc.status == IBV_WC_RETRY_EXC_ERR))
		CHECK(wc.status == outcomes[fault].status, "status is \"%s\", not \"%s\"",
		      ibv_wc_status_str(wc.status), ibv_wc_status_str(outcomes[fault].status));
	end_wait_state(req, IBV_QPS_ERR, "requester");
	if (outcomes[fault].event < 0) {
		CHECK(end_state(resp) == IBV_QPS_RTS, "responder left RTS");
		return;
	}
	end_wait_state(resp, IBV_QPS_ERR, "responder");
	CHECK(device_event(resp->dev, resp->qp, outcomes[fault].event, 2000),
	      "no event \"%s\" at the responder", ibv_event_type_str(outcomes[fault].event));
}

static void run_fault(struct env *env, enum mistake fault, enum ibv_wr_opcode opcode)
{
	struct pair_opts opts = atomic_opts(env);
	uint64_t before[PAGE_BYTES / 8];
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct atomics a;

	/* The provider's ibv_post_send() finds these by itself. */
	opts.wr_api = fault == MISALIGNED || fault == SHORT_RESULT;
	if (fault == NO_QP_RIGHT)
		opts.access[1] &= ~IBV_ACCESS_REMOTE_ATOMIC;
	if (fault == NO_RESOURCES)
		opts.rd_atomic = 0;
	if (!atomics_open(&a, env, &opts) || !register_again(&a, env, fault))
		goto out;
	memcpy(before, a.target.cell, PAGE_BYTES);
	sge = result_sge(&a, 0, 8);
	wr = atomic_wr(&a, opcode, 0, &sge, before[0], 7);
	put_fault(&a, fault, &wr, &sge);
	if (CHECK(!end_post_send(&a.pair.end[0], &wr), "post_send"))
		expect_fault(&a, fault, wr.wr_id);
	CHECK(!memcmp(before, a.target.cell, PAGE_BYTES), "the target changed");
	CHECK(a.result.cell[0] == 0xe5e5e5e5e5e5e5e5ULL, "the result was written");
out:
	atomics_close(&a);
}

static void test_fault(struct env *env, long fault)
{
	run_fault(env, fault, IBV_WR_ATOMIC_FETCH_AND_ADD);
	run_fault(env, fault, IBV_WR_ATOMIC_CMP_AND_SWP);
}

static void test_write_fault(struct env *env, long fault)
{
	struct pair_opts opts = atomic_opts(env);
	uint64_t before[PAGE_BYTES / 8];
	struct ibv_qp_ex *qpx;
	struct atomics a;

	opts.wr_api = true;
	if (fault == NO_QP_RIGHT)
		opts.access[1] &= ~IBV_ACCESS_REMOTE_WRITE;
	if (!atomics_open(&a, env, &opts))
		goto out;
	qpx = make_atomic_write(&a.pair.end[0]);
	if (!qpx)
		goto out;
	memcpy(before, a.target.cell, PAGE_BYTES);
	post_atomic_write(qpx, 1, a.target.mr->rkey ^ (fault == WRONG_KEY ? 0x55 : 0),
			  (uintptr_t)a.target.cell + (fault == MISALIGNED ? 4 : 0), 1);
	expect_fault(&a, fault, 1);
	CHECK(!memcmp(before, a.target.cell, PAGE_BYTES), "the target changed");
out:
	atomics_close(&a);
}

const struct test rc_atomic_tests[] = {
	{ "atomic/cmp_swp", test_model, 0, 0 },
	{ "atomic/fetch_add", test_model, 1, 0 },
	{ "atomic/mixed", test_model, 2, 0 },
	{ "atomic/result-places", test_result_places, 0, 0 },
	{ "atomic/with-cpu", test_with_cpu, 0, 0 },
	{ "atomic/write", test_atomic_write, 0, 0 },
	{ "atomic/misaligned", test_fault, MISALIGNED, 0 },
	{ "atomic/memory-misaligned", test_fault, MEMORY_MISALIGNED, 0 },
	{ "atomic/wrong-key", test_fault, WRONG_KEY, 0 },
	{ "atomic/mr-without-right", test_fault, NO_MR_RIGHT, 0 },
	{ "atomic/qp-without-right", test_fault, NO_QP_RIGHT, 0 },
	{ "atomic/above", test_fault, ABOVE, 0 },
	{ "atomic/wraps", test_fault, WRAPS, 0 },
	{ "atomic/no-resources", test_fault, NO_RESOURCES, 0 },
	{ "atomic/short-result", test_fault, SHORT_RESULT, 0 },
	{ "atomic/result-read-only", test_fault, RESULT_READ_ONLY, 0 },
	{ "atomic/result-lkey", test_fault, RESULT_LKEY, 0 },
	{ "atomic/write-misaligned", test_write_fault, MISALIGNED, 0 },
	{ "atomic/write-wrong-key", test_write_fault, WRONG_KEY, 0 },
	{ "atomic/write-qp-without-right", test_write_fault, NO_QP_RIGHT, 0 },
	{ }
};

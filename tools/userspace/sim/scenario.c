// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: drawing a scenario from a seed.
 */
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "scenario.h"

#define REGION_BASE	0x7f3210000000ULL

bool op_takes_recv(const struct op *op)
{
	return op->kind == SORO_SEND || (op->kind == SORO_WRITE && op->flags & SORO_WQE_IMM);
}

/* Operations on one aligned cell of eight bytes. */
bool op_is_atomic(const struct op *op)
{
	return op->kind == SORO_CMP_SWP || op->kind == SORO_FETCH_ADD ||
	       op->kind == SORO_ATOMIC_WRITE;
}

/* Whether the answer is data for the local buffer. */
bool op_brings_data(const struct op *op)
{
	return op->kind == SORO_READ_REQ || op->kind == SORO_CMP_SWP ||
	       op->kind == SORO_FETCH_ADD;
}

/* Whether more than an ACK must come back. */
bool op_has_answer(const struct op *op)
{
	return op_brings_data(op) || op->kind == SORO_ATOMIC_WRITE || op->kind == SORO_FLUSH;
}

const char *injection_name(u8 injection)
{
	static const char * const names[INJECTIONS] = {
		"nothing", "write-rkey", "write-bound", "write-wrap", "read-rkey", "read-bound",
		"read-gone", "write-disabled", "read-disabled", "atomic-rkey", "atomic-align",
		"atomic-disabled", "flush-rkey", "flush-bound", "flush-type", "flush-disabled",
		"recv-short", "recv-prot", "recv-bad", "recv-never", "local-take", "local-send",
		"local-place", "black-hole", "low-retry", "pmtu",
	};

	return names[injection];
}

static void *alloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (!p)
		abort();
	return p;
}

#define USUAL_BYTES	50000	/* more than this only in some runs, to have more runs */

/* Sizes where something changes: nothing, one byte, around multiples of the PMTU. */
static u32 draw_bytes(struct rng *rng, u32 pmtu, bool big)
{
	switch (rng_below(rng, 8)) {
	case 0:
		return 0;
	case 1:
		return 1 + rng_below(rng, 4);
	case 2:
		return rng_below(rng, pmtu);
	case 3:
	case 4:
		return pmtu * rng_range(rng, 1, 6) + rng_range(rng, 0, 2) - 1;
	case 5:
		return rng_below(rng, 6 * pmtu);
	case 6:
		return rng_below(rng, min_t(u32, 40 * pmtu, USUAL_BYTES));
	default:
		return big ? rng_below(rng, 600 * 1024) : pmtu * rng_range(rng, 2, 8);
	}
}

static void draw_op(struct scenario *sc, struct side *side, struct op *op, bool big)
{
	static const u8 kinds[] = {
		SORO_SEND, SORO_SEND, SORO_WRITE, SORO_WRITE, SORO_READ_REQ, SORO_READ_REQ,
		SORO_CMP_SWP, SORO_FETCH_ADD, SORO_ATOMIC_WRITE, SORO_FLUSH,
	};
	struct rng *rng = &sc->rng;

	op->kind = kinds[rng_below(rng, side->req.reads_max ? ARRAY_SIZE(kinds) : 4)];
	if (op_is_atomic(op))
		op->bytes = sizeof(u64);
	else if (op->kind != SORO_FLUSH)
		op->bytes = draw_bytes(rng, side->req.pmtu_bytes, big);
	op->fail_at = NEVER;
	if (rng_chance(rng, 600))
		op->flags |= SORO_WQE_SIGNALED;
	if (rng_chance(rng, 150))
		op->flags |= SORO_WQE_FENCE;
	if ((op->kind == SORO_SEND || op->kind == SORO_WRITE) && rng_chance(rng, 300)) {
		op->flags |= SORO_WQE_IMM;
		op->imm = (__be32)rng_next(rng);
	}
	if (op_takes_recv(op) && rng_chance(rng, 300))
		op->flags |= SORO_WQE_SOLICITED;
}

/* Give each operation its own range of the peer's region, some WRITEs and atomics a shared one. */
static void lay_out(struct scenario *sc, struct side *side, struct side *peer)
{
	u32 at = GUARD, shared = 0, cell = 0, i;

	for (i = 0; i < side->n_ops; i++) {
		struct op *op = &side->ops[i];

		op->local = alloc(op->bytes);
		if (op_is_atomic(op)) {
			at = (at + sizeof(u64) - 1) / sizeof(u64) * sizeof(u64);
			cell = cell && rng_chance(&sc->rng, 600) ? cell : at;
			op->region_at = cell;
			at += op->bytes + GUARD;
			continue;
		}
		op->region_at = at;
		at += op->kind == SORO_SEND ? 0 : op->bytes + GUARD;
		if (op->kind != SORO_WRITE || !sc->shared_writes)
			continue;
		if (shared && rng_chance(&sc->rng, 500) && op->bytes <= side->ops[shared].bytes)
			op->region_at = side->ops[shared].region_at;
		else
			shared = i;
	}
	peer->region_bytes = at;
	peer->region = alloc(at);
	peer->shadow = alloc(at);
	peer->initial = alloc(at);
	rng_fill(&sc->rng, peer->region, at);
	memcpy(peer->shadow, peer->region, at);
	memcpy(peer->initial, peer->region, at);
	peer->base = REGION_BASE + rng_below(&sc->rng, 512) * sizeof(u64);
	peer->rkey = rng_next(&sc->rng);
}

/* An atomic on the shadow: operands, what comes back, what stays. */
static void foresee_atomic(struct scenario *sc, struct op *op, u8 *cell)
{
	u64 value;

	memcpy(&value, cell, sizeof(value));
	op->expected = alloc(sizeof(value));
	memcpy(op->expected, &value, sizeof(value));
	op->swap_add = rng_next(&sc->rng) << 32 | rng_next(&sc->rng);
	op->compare = rng_chance(&sc->rng, 600) ? value : value + 1;
	if (op->kind == SORO_FETCH_ADD)
		value += op->swap_add;
	else if (op->kind == SORO_ATOMIC_WRITE)
		value = op->swap_add;
	else if (op->compare == value)
		value = op->swap_add;
	if (op->kind == SORO_ATOMIC_WRITE)
		memcpy(op->local, &value, sizeof(value));
	memcpy(cell, &value, sizeof(value));
}

/* A FLUSH of any range, or of the region; then all is there that was to be written before it. */
static void foresee_flush(struct scenario *sc, struct op *op, const struct side *peer)
{
	struct rng *rng = &sc->rng;

	op->flush_type = SORO_FLUSH_GLOBAL;
	op->flush_level = rng_chance(rng, 300) ? SORO_FLUSH_REGION : SORO_FLUSH_RANGE;
	op->region_at = rng_below(rng, peer->region_bytes + 1);
	op->flush_bytes = rng_below(rng, peer->region_bytes - op->region_at + 1);
	op->va = peer->base + op->region_at;
	if (op->flush_level == SORO_FLUSH_REGION) {	/* these say nothing */
		op->va = rng_next(rng);
		op->flush_bytes = rng_next(rng);
	}
	op->expected = alloc(peer->region_bytes);
	memcpy(op->expected, peer->shadow, peer->region_bytes);
}

/* Execute the operations in their order on the shadow; READs may name what was written. */
static void foresee(struct scenario *sc, struct side *side, struct side *peer)
{
	u32 i, written = NEVER;

	for (i = 0; i < side->n_ops; i++) {
		struct op *op = &side->ops[i];

		op->rkey = peer->rkey;
		if (op->kind == SORO_READ_REQ && written != NEVER && !sc->shared_writes &&
		    rng_chance(&sc->rng, 400) && op->bytes <= side->ops[written].bytes)
			op->region_at = side->ops[written].region_at;
		op->va = peer->base + op->region_at;
		if (op_is_atomic(op)) {
			foresee_atomic(sc, op, peer->shadow + op->region_at);
			continue;
		}
		if (op->kind == SORO_FLUSH) {
			foresee_flush(sc, op, peer);
			continue;
		}
		if (op->kind == SORO_READ_REQ) {
			op->expected = alloc(op->bytes);
			memcpy(op->expected, peer->shadow + op->region_at, op->bytes);
			continue;
		}
		rng_fill(&sc->rng, op->local, op->bytes);
		if (op->kind != SORO_WRITE)
			continue;
		memcpy(peer->shadow + op->region_at, op->local, op->bytes);
		written = i;
	}
}

/* A receive WQE for each message that needs one, large enough, posted early or late. */
static void draw_recvs(struct scenario *sc, const struct side *side, struct side *peer)
{
	struct rng *rng = &sc->rng;
	bool late = rng_chance(rng, 400);
	u64 at = 0;
	u32 i;

	for (i = 0; i < side->n_ops; i++) {
		const struct op *op = &side->ops[i];
		struct recv *recv = &peer->recvs[peer->n_recvs];

		if (!op_takes_recv(op))
			continue;
		if (op->kind == SORO_SEND)
			recv->capacity = op->bytes + rng_below(rng, 2) * rng_below(rng, 64);
		if (late && rng_chance(rng, 400))
			at += rng_below(rng, 3000000);
		recv->post_ns = at;
		peer->n_recvs++;
	}
}

/* Credits or none, and rings that are too short for the peer's messages. */
static void draw_credits(struct scenario *sc, struct side *side)
{
	struct rng *rng = &sc->rng;

	side->credits = rng_chance(rng, 800);
	if (rng_chance(rng, 600))
		return;
	side->recv_slots = rng_range(rng, 1, 8);
	if (rng_chance(rng, 500))
		side->repost_ns = rng_below(rng, rng_chance(rng, 500) ? 20000 : 1000000);
}

static void draw_posts(struct scenario *sc, struct side *side)
{
	bool spread = rng_chance(&sc->rng, 500);
	u64 at = rng_below(&sc->rng, 20000);
	u32 i;

	for (i = 0; i < side->n_ops; i++) {
		if (spread && rng_chance(&sc->rng, 400))
			at += rng_below(&sc->rng, 60000);
		side->ops[i].post_ns = at;
	}
}

static void draw_side(struct scenario *sc, struct side *side, u32 pmtu)
{
	struct rng *rng = &sc->rng;

	side->gone_at = NEVER;
	side->req.pmtu_bytes = pmtu;
	side->rsp.pmtu_bytes = pmtu;
	side->req.timeout_ns = 1000000ULL << rng_below(rng, 7);
	side->req.retry_cnt = 7;
	side->req.rnr_retry = 7;
	side->rsp.min_rnr_timer = rng_below(rng, 8) ? rng_range(rng, 1, 16) : 0;
	side->rsp.allow_write = true;
	side->rsp.allow_read = true;
	side->rsp.allow_atomic = true;
	side->rsp.allow_flush = true;
	side->psn = rng_next(rng) & 0xffffff;
	if (rng_chance(rng, 500))
		side->psn = 0x1000000 - rng_range(rng, 1, 200);
	side->slots = 1U << rng_below(rng, 8);
	side->limits.packets = rng_chance(rng, 250) ? 1 : rng_range(rng, 1, 64);
	side->limits.bytes = rng_chance(rng, 800) ? 65000 : rng_range(rng, 300, 65000);
	side->take_greedily = rng_chance(rng, 500);
	side->holds = rng_chance(rng, 700);
	side->refuse_permille = rng_chance(rng, 250) ? rng_below(rng, 300) : 0;
}

static void draw_reads(struct scenario *sc)
{
	int i;

	for (i = 0; i < 2; i++) {
		u8 depth = rng_chance(&sc->rng, 100) ? 0 : rng_range(&sc->rng, 1, SORO_READS_MAX);

		sc->side[i].req.reads_max = depth;
		sc->side[!i].rsp.reads_max = rng_range(&sc->rng, depth, SORO_READS_MAX);
	}
}

static void draw_vices(struct scenario *sc)
{
	struct vices *v = &sc->vices;
	struct rng *rng = &sc->rng;

	v->delay_ns = rng_range(rng, 1000, 40000);
	sc->lossless = rng_chance(rng, 300);
	if (sc->lossless)
		return;
	if (rng_chance(rng, 700))
		v->loss_permille = rng_chance(rng, 200) ? rng_below(rng, 300) : rng_below(rng, 40);
	if (rng_chance(rng, 500))
		v->train_loss_permille = rng_below(rng, 150);
	if (rng_chance(rng, 600))
		v->cut_permille = rng_below(rng, 300);
	if (rng_chance(rng, 500))
		v->duplicate_permille = rng_below(rng, 100);
	if (rng_chance(rng, 500))
		v->reorder_permille = rng_below(rng, 100);
	if (rng_chance(rng, 300))
		v->corrupt_permille = rng_below(rng, 30);
	if (rng_chance(rng, 500))
		v->jitter_ns = rng_below(rng, 60000);
}

/* The first operation at or after a random one that suits, NEVER if none. */
static u32 pick_op(struct scenario *sc, bool (*suits)(const struct op *op))
{
	struct side *side = &sc->side[sc->victim];
	u32 from = rng_below(&sc->rng, side->n_ops);
	u32 i;

	for (i = 0; i < side->n_ops; i++) {
		u32 at = (from + i) % side->n_ops;

		if (suits(&side->ops[at]))
			return at;
	}
	return NEVER;
}

static bool is_any(const struct op *op)
{
	return true;
}

static bool is_write(const struct op *op)
{
	return op->kind == SORO_WRITE && op->bytes;
}

static bool is_read(const struct op *op)
{
	return op->kind == SORO_READ_REQ && op->bytes;
}

static bool is_fetching(const struct op *op)
{
	return op->kind == SORO_CMP_SWP || op->kind == SORO_FETCH_ADD;
}

static bool is_first_write(const struct op *op)
{
	return op->kind == SORO_WRITE || op->kind == SORO_ATOMIC_WRITE;
}

static bool is_first_read(const struct op *op)
{
	return op->kind == SORO_READ_REQ;
}

static bool is_flush(const struct op *op)
{
	return op->kind == SORO_FLUSH;
}

static bool is_range_flush(const struct op *op)
{
	return is_flush(op) && op->flush_level == SORO_FLUSH_RANGE;
}

static bool is_send(const struct op *op)
{
	return op->kind == SORO_SEND && op->bytes;
}

static bool is_out(const struct op *op)
{
	return !op_brings_data(op) && op->bytes;
}

static bool is_taker(const struct op *op)
{
	return op_takes_recv(op);
}

static const struct {
	bool (*suits)(const struct op *op);
	u8 status;
	u8 recv_status;
} rules[INJECTIONS] = {
	[INJECT_WRITE_RKEY]	= { is_write, SORO_ST_REM_ACCESS },
	[INJECT_WRITE_BOUND]	= { is_write, SORO_ST_REM_ACCESS },
	[INJECT_WRITE_WRAP]	= { is_write, SORO_ST_REM_ACCESS },
	[INJECT_READ_RKEY]	= { is_read, SORO_ST_REM_ACCESS },
	[INJECT_READ_BOUND]	= { is_read, SORO_ST_REM_ACCESS },
	[INJECT_READ_GONE]	= { is_read, SORO_ST_REM_ACCESS },
	[INJECT_WRITE_DISABLED]	= { is_first_write, SORO_ST_REM_INV_REQ },
	[INJECT_READ_DISABLED]	= { is_first_read, SORO_ST_REM_INV_REQ },
	[INJECT_ATOMIC_RKEY]	= { op_is_atomic, SORO_ST_REM_ACCESS },
	[INJECT_ATOMIC_ALIGN]	= { op_is_atomic, SORO_ST_REM_INV_REQ },
	[INJECT_ATOMIC_DISABLED] = { is_fetching, SORO_ST_REM_INV_REQ },
	[INJECT_FLUSH_RKEY]	= { is_flush, SORO_ST_REM_ACCESS },
	[INJECT_FLUSH_BOUND]	= { is_range_flush, SORO_ST_REM_ACCESS },
	[INJECT_FLUSH_TYPE]	= { is_flush, SORO_ST_REM_INV_REQ },
	[INJECT_FLUSH_DISABLED]	= { is_flush, SORO_ST_REM_INV_REQ },
	[INJECT_RECV_SHORT]	= { is_send, SORO_ST_REM_INV_REQ, SORO_ST_LOC_LEN },
	[INJECT_RECV_PROT]	= { is_send, SORO_ST_REM_OP, SORO_ST_LOC_PROT },
	[INJECT_RECV_BAD]	= { is_taker, SORO_ST_REM_OP, SORO_ST_LOC_QP_OP },
	[INJECT_RECV_NEVER]	= { is_taker, SORO_ST_RNR_RETRY_EXC },
	[INJECT_LOCAL_TAKE]	= { is_any, SORO_ST_LOC_QP_OP },
	[INJECT_LOCAL_SEND]	= { is_out, SORO_ST_LOC_PROT },
	[INJECT_LOCAL_PLACE]	= { is_read, SORO_ST_LOC_PROT },
	[INJECT_BLACK_HOLE]	= { is_any, SORO_ST_RETRY_EXC },
	[INJECT_LOW_RETRY]	= { is_any, SORO_ST_RETRY_EXC },
	[INJECT_PMTU]		= { is_any, SORO_ST_REM_INV_REQ },
};

/* Receive WQE of the peer that the operation will find. */
static u32 recv_index(const struct side *side, u32 op)
{
	u32 i, n = 0;

	for (i = 0; i < op; i++)
		n += op_takes_recv(&side->ops[i]);
	return n;
}

static u32 first_op(const struct side *side, bool (*suits)(const struct op *op))
{
	u32 i = 0;

	while (!suits(&side->ops[i]))
		i++;
	return i;
}

static u32 first_reader(const struct side *side, u32 at)
{
	u32 i = 0;

	while (side->ops[i].kind != SORO_READ_REQ || at < side->ops[i].region_at ||
	       at >= side->ops[i].region_at + side->ops[i].bytes)
		i++;
	return i;
}

static void hit_remote(struct scenario *sc, struct side *peer, struct op *op)
{
	u64 end = peer->base + peer->region_bytes;

	switch (sc->injection) {
	case INJECT_WRITE_RKEY:
	case INJECT_READ_RKEY:
	case INJECT_ATOMIC_RKEY:
	case INJECT_FLUSH_RKEY:
		op->rkey ^= 0x100;
		break;
	case INJECT_WRITE_BOUND:
	case INJECT_READ_BOUND:
		op->va = end - op->bytes + 1;
		break;
	case INJECT_WRITE_WRAP:
		op->va = -(u64)rng_range(&sc->rng, 0, op->bytes - 1);
		break;
	case INJECT_READ_GONE:
		peer->gone_at = op->region_at + op->bytes - 1;
		sc->op = first_reader(&sc->side[sc->victim], peer->gone_at);
		break;
	case INJECT_WRITE_DISABLED:
		peer->rsp.allow_write = false;
		break;
	case INJECT_READ_DISABLED:
		peer->rsp.allow_read = false;
		break;
	case INJECT_ATOMIC_ALIGN:
		op->va += rng_range(&sc->rng, 1, 7);
		break;
	case INJECT_ATOMIC_DISABLED:
		peer->rsp.allow_atomic = false;
		break;
	case INJECT_FLUSH_BOUND:
		op->va = end - op->flush_bytes + 1;
		break;
	case INJECT_FLUSH_TYPE:
		op->flush_type |= SORO_FLUSH_PERSISTENT;
		break;
	case INJECT_FLUSH_DISABLED:
		peer->rsp.allow_flush = false;
		break;
	}
}

static void hit_recv(struct scenario *sc, struct side *side, struct side *peer)
{
	struct recv *recv = &peer->recvs[sc->recv];

	switch (sc->injection) {
	case INJECT_RECV_SHORT:
		recv->capacity = rng_below(&sc->rng, side->ops[sc->op].bytes);
		break;
	case INJECT_RECV_PROT:
		recv->prot = true;
		break;
	case INJECT_RECV_BAD:
		recv->bad = true;
		break;
	case INJECT_RECV_NEVER:
		peer->n_recvs = sc->recv;
		side->req.rnr_retry = rng_below(&sc->rng, 7);
		break;
	}
}

static void hit_local(struct scenario *sc, struct side *side, struct op *op)
{
	switch (sc->injection) {
	case INJECT_LOCAL_TAKE:
		op->take_status = SORO_ST_LOC_QP_OP;
		break;
	case INJECT_LOCAL_SEND:
	case INJECT_LOCAL_PLACE:
		op->fail_at = rng_below(&sc->rng, op->bytes);
		break;
	case INJECT_BLACK_HOLE:
		sc->vices.hole_ns = 1 + rng_below(&sc->rng, 300000);
		break;
	case INJECT_LOW_RETRY:
		side->req.retry_cnt = rng_below(&sc->rng, 3);
		break;
	case INJECT_PMTU:
		side->req.pmtu_bytes = side->req.pmtu_bytes == 256 ? 512 : 256;
		break;
	}
}

/* Something is to go wrong, if there is an operation that it can happen to. */
static void inject(struct scenario *sc)
{
	struct side *side = &sc->side[sc->victim];
	struct side *peer = &sc->side[!sc->victim];

	if (!rules[sc->injection].suits)
		return;
	sc->op = pick_op(sc, rules[sc->injection].suits);
	if (sc->op == NEVER) {
		sc->injection = INJECT_NOTHING;
		return;
	}
	if (sc->injection == INJECT_WRITE_DISABLED || sc->injection == INJECT_READ_DISABLED ||
	    sc->injection == INJECT_ATOMIC_DISABLED || sc->injection == INJECT_FLUSH_DISABLED)
		sc->op = first_op(side, rules[sc->injection].suits);
	sc->status = rules[sc->injection].status;
	sc->recv_status = rules[sc->injection].recv_status;
	if (sc->recv_status || sc->injection == INJECT_RECV_NEVER)
		sc->recv = recv_index(side, sc->op);
	hit_remote(sc, peer, &side->ops[sc->op]);
	if (sc->recv != NEVER)
		hit_recv(sc, side, peer);
	hit_local(sc, side, &side->ops[sc->op]);
}

/*
 * Nothing comes back, so that there is nothing to retry; a receive may meet any message, as
 * others are lost. In half of the runs there always is one.
 */
static void make_unreliable(struct scenario *sc, struct side *side, const struct side *peer)
{
	bool ready = rng_chance(&sc->rng, 500);
	u32 most = 0, i;

	if (!ready)
		draw_credits(sc, side);
	for (i = 0; i < peer->n_ops; i++)
		most = max(most, peer->ops[i].bytes);
	for (i = 0; i < side->n_recvs; i++) {
		side->recvs[i].capacity = most;
		if (ready)
			side->recvs[i].post_ns = 0;
	}
	side->credits = false;
	side->req.unreliable = true;
	side->rsp.unreliable = true;
}

static void allocate_recvs(struct side *side)
{
	u32 i;

	for (i = 0; i < side->n_recvs; i++)
		side->recvs[i].buffer = alloc(side->recvs[i].capacity);
}

/* Without loss nothing needs a deadline: a missing AckReq would show as a run that hangs. */
static void draw_timeouts(struct scenario *sc)
{
	if (!sc->lossless || sc->injection || !rng_chance(&sc->rng, 500))
		return;
	sc->side[0].req.timeout_ns = 0;
	sc->side[1].req.timeout_ns = 0;
}

/**
 * scenario_draw() - everything that a seed says
 * @sc: filled; scenario_free() releases it
 * @seed: seed
 * @unreliable: UC, else RC
 */
void scenario_draw(struct scenario *sc, u64 seed, bool unreliable)
{
	u32 pmtu, many, i, k;
	bool big;

	memset(sc, 0, sizeof(*sc));
	sc->seed = seed;
	sc->unreliable = unreliable;
	sc->rng.state = seed * 0x2545f4914f6cdd1dULL + 0x1234567;
	pmtu = 256U << rng_below(&sc->rng, 5);
	big = rng_chance(&sc->rng, 60);
	many = rng_chance(&sc->rng, 200) && !big ? MAX_OPS : 12;
	sc->recv = NEVER;
	sc->victim = rng_below(&sc->rng, 2);
	if (rng_chance(&sc->rng, 400))
		sc->injection = rng_below(&sc->rng, INJECTIONS);
	sc->shared_writes = !sc->injection && rng_chance(&sc->rng, 500);
	draw_vices(sc);
	for (i = 0; i < 2; i++)
		draw_side(sc, &sc->side[i], pmtu);
	if (!unreliable)
		draw_reads(sc);
	for (i = 0; i < 2; i++) {
		struct side *side = &sc->side[i];

		side->n_ops = rng_chance(&sc->rng, 100) && i != sc->victim ? 0 :
			      rng_range(&sc->rng, 1, many);
		for (k = 0; k < side->n_ops; k++)
			draw_op(sc, side, &side->ops[k], big);
		lay_out(sc, side, &sc->side[!i]);
		draw_posts(sc, side);
		draw_recvs(sc, side, &sc->side[!i]);
	}
	for (i = 0; i < 2; i++)
		foresee(sc, &sc->side[i], &sc->side[!i]);
	for (i = 0; i < 2 && unreliable; i++)
		make_unreliable(sc, &sc->side[i], &sc->side[!i]);
	inject(sc);
	for (i = 0; i < 2; i++)
		allocate_recvs(&sc->side[i]);
	if (unreliable)
		return;
	draw_timeouts(sc);
	for (i = 0; i < 2; i++)
		draw_credits(sc, &sc->side[i]);
}

/**
 * scenario_free() - release what scenario_draw() allocated
 * @sc: scenario
 */
void scenario_free(struct scenario *sc)
{
	u32 i, k;

	for (i = 0; i < 2; i++) {
		struct side *side = &sc->side[i];

		for (k = 0; k < side->n_ops; k++) {
			free(side->ops[k].local);
			free(side->ops[k].expected);
		}
		for (k = 0; k < ARRAY_SIZE(side->recvs); k++)
			free(side->recvs[k].buffer);
		free(side->region);
		free(side->shadow);
		free(side->initial);
	}
}

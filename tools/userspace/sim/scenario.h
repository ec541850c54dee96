/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a run is made of, drawn from its seed: two QPs, their work, the
 * channel's vices, and at most one thing that goes wrong on purpose.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "engine/requester.h"
#include "engine/responder.h"
#include "random.h"

#define MAX_OPS		96
#define GUARD		16		/* bytes between ranges of a region */
#define NEVER		0xffffffffU

/* What goes wrong on purpose; the names say where the fault sits. */
enum injection {
	INJECT_NOTHING,
	INJECT_WRITE_RKEY,		/* unknown key */
	INJECT_WRITE_BOUND,		/* one byte beyond the region */
	INJECT_WRITE_WRAP,		/* address + length beyond 2^64 */
	INJECT_READ_RKEY,
	INJECT_READ_BOUND,
	INJECT_READ_GONE,		/* memory goes away after the READ was accepted */
	INJECT_WRITE_DISABLED,
	INJECT_READ_DISABLED,
	INJECT_ATOMIC_RKEY,
	INJECT_ATOMIC_ALIGN,		/* address not a multiple of 8 */
	INJECT_ATOMIC_DISABLED,		/* and ATOMIC WRITE with WRITE */
	INJECT_FLUSH_RKEY,
	INJECT_FLUSH_BOUND,		/* of a range; a region has none */
	INJECT_FLUSH_TYPE,		/* persistence, which no QP grants */
	INJECT_FLUSH_DISABLED,
	INJECT_RECV_SHORT,		/* receive WQE one byte too small */
	INJECT_RECV_PROT,		/* copy to the receive WQE fails */
	INJECT_RECV_BAD,		/* receive WQE malformed */
	INJECT_RECV_NEVER,		/* receive WQE never posted, few RNR retries */
	INJECT_LOCAL_TAKE,		/* WQE is bad from the start */
	INJECT_LOCAL_SEND,		/* copy from the send buffer fails */
	INJECT_LOCAL_PLACE,		/* copy of READ data to local memory fails */
	INJECT_BLACK_HOLE,		/* from some moment on nothing arrives */
	INJECT_LOW_RETRY,		/* loss, and retries too few to survive it */
	INJECT_PMTU,			/* the two ends differ */
	INJECTIONS
};

/* One send WQE of an application and what became of it. */
struct op {
	u8 kind;
	u8 flags;		/* SORO_WQE_* */
	u8 take_status;		/* error found when the WQE is taken */
	bool over;
	bool uncredited;	/* went once without a receive being known for it */
	u8 status;
	__be32 imm;
	u32 bytes;
	u32 rkey;
	u64 va;
	u32 region_at;		/* offset of its range in the peer's region */
	u32 fail_at;		/* byte where the local copy fails */
	u32 placed;		/* READ, atomic: bytes that arrived */
	bool answered;		/* by more than an ACK */
	u8 *local;		/* source or destination */
	u8 *expected;		/* READ, atomic: what must arrive; FLUSH: the peer's region then */
	u64 swap_add;
	u64 compare;
	u32 flush_bytes;
	u8 flush_type;
	u8 flush_level;
	u64 post_ns;
};

/* One receive WQE and what became of it. */
struct recv {
	u32 capacity;
	bool prot;
	bool bad;
	bool over;
	u8 status;
	bool has_imm;
	bool solicited;
	bool is_write;
	__be32 imm;
	u32 length;
	u8 *buffer;
	u64 post_ns;
	u64 over_ns;
};

/* One end. */
struct side {
	struct soro_requester_config req;
	struct soro_responder_config rsp;
	u32 psn;
	u32 slots;
	struct soro_train_limits limits;
	bool take_greedily;
	bool holds;		/* the responder keeps what comes out of order */
	u32 refuse_permille;	/* sending fails for lack of memory */
	u32 n_ops;
	struct op ops[MAX_OPS];
	u32 n_recvs;
	struct recv recvs[MAX_OPS + 4];
	bool credits;		/* ACKs say how many receives there are */
	u32 recv_slots;		/* receives that can be posted at a time, 0: all */
	u64 repost_ns;		/* from a completion until its slot is posted again */
	u8 *region;
	u8 *shadow;		/* what @region must hold when all is done */
	u8 *initial;		/* what it held before */
	u32 region_bytes;
	u32 gone_at;		/* byte of @region that cannot be read for a response, or NEVER */
	u64 base;
	u32 rkey;
	bool withdrawn;		/* @rkey names nothing any more: the peer is done with it */
};

struct vices {
	u32 loss_permille;	/* per packet */
	u32 train_loss_permille;
	u32 cut_permille;	/* per packet boundary in a train */
	u32 duplicate_permille;
	u32 reorder_permille;
	u32 corrupt_permille;
	u64 delay_ns;
	u64 jitter_ns;
	u64 hole_ns;		/* 0, or from when on nothing arrives */
};

struct scenario {
	u64 seed;
	struct rng rng;
	struct side side[2];
	struct vices vices;
	bool unreliable;	/* UC, else RC */
	bool lossless;
	bool shared_writes;	/* some WRITEs overlap */
	u8 injection;
	u8 victim;		/* side whose request meets the injection */
	u32 op;			/* its index */
	u8 status;		/* the status it must end with */
	u32 recv;		/* receive WQE of the peer that is hit, or NEVER */
	u8 recv_status;
};

void scenario_draw(struct scenario *sc, u64 seed, bool unreliable);
void scenario_free(struct scenario *sc);
bool op_takes_recv(const struct op *op);
bool op_is_atomic(const struct op *op);
bool op_brings_data(const struct op *op);
bool op_has_answer(const struct op *op);
const char *injection_name(u8 injection);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a requester of RC or UC knows: the send WQEs that were taken from the
 * ring, PSN window, retries, deadlines.
 * Must not know: skbs, locks, timers, user memory, rings, SGEs.
 *
 * One of UC hears nothing of its peer: what was sent is acknowledged (IBA 9.8.2.1), so
 * that it has no window, credits, deadlines or input.
 *
 * The caller owns the requester half (one caller at a time):
 *
 *	post:	while ring has entries and soro_requester_room(): copy the WQE into
 *		soro_requester_slot(), fill the engine part, soro_requester_take()
 *	send:	while (soro_requester_plan(req, &limits, more, now, &train)) {
 *			if train.kind is SORO_LOCAL: execute, then
 *				soro_requester_executed() or soro_requester_fail()
 *			else copy payload, build, (no memory: stop, nothing happened)
 *			soro_requester_sent(req, &train, now); hand the skb to IP }
 *	input:	while (pkts left) { soro_requester_judge(...); if PLACE or STORE copy
 *			data, then soro_requester_commit() or soro_requester_fail() }
 *	timer:	soro_requester_timeout(req, now)
 *	after each:  while (soro_requester_pop(req, &done)) complete the WQE;
 *		arm the timer for soro_requester_deadline(req)
 */
#ifndef SORO_ENGINE_REQUESTER_H
#define SORO_ENGINE_REQUESTER_H

#include <linux/types.h>
#include "fault.h"
#include "responder.h"
#include "../wire/packet.h"

#define SORO_WINDOW_MIN_BYTES	(16 * 1024)	/* after losses */
#define SORO_WINDOW_INIT_BYTES	(256 * 1024)
#define SORO_WINDOW_MAX_BYTES	(1024 * 1024)
#define SORO_READ_PSN_MAX	0x400000U	/* 2^22: PSNs of one READ request on the wire */
#define SORO_MESSAGE_MAX	SORO_MSG_MAX	/* bytes */

/* wqe flags */
#define SORO_WQE_SIGNALED	0x01
#define SORO_WQE_SOLICITED	0x02
#define SORO_WQE_FENCE		0x04
#define SORO_WQE_IMM		0x08
#define SORO_WQE_INV		0x10
#define SORO_WQE_DRAIN		0x20	/* SORO_LOCAL: waits until all before it is complete */
#define SORO_WQE_EXECUTED	0x40	/* SORO_LOCAL: set by the engine */

/* Kind of a WQE that nobody but the driver executes: invalidation, bind, registration. */
#define SORO_LOCAL		SORO_KIND_COUNT

/**
 * struct soro_wqe - the engine's part of a send WQE that was taken
 * @va: remote address
 * @rkey: remote key
 * @bytes: message length, 0 to SORO_MESSAGE_MAX; 8 of an atomic
 * @imm: immediate data as on the wire, or
 * @inv_rkey: key to invalidate remotely
 * @swap_add: operand of CMP_SWP and FETCH_ADD
 * @compare: operand of CMP_SWP, or
 * @flush_bytes: length of a FLUSH, which moves nothing: its @bytes are 0
 * @flush_type: placement type of a FLUSH, SORO_FLUSH_GLOBAL or _PERSISTENT or both
 * @flush_level: SORO_FLUSH_RANGE or _REGION
 * @kind: enum soro_kind: SEND, WRITE, READ_REQ, CMP_SWP, FETCH_ADD, ATOMIC_WRITE, FLUSH; or
 *	SORO_LOCAL
 * @flags: SORO_WQE_*
 * @status: enum soro_status; a WQE may be taken with an error already found
 *	(LOC_PROT, LOC_LEN, LOC_QP_OP): it is not sent, completes in its turn
 *	and puts the QP in error
 * @psn: first PSN, set by take
 * @npsn: PSNs, at least 1, but none of SORO_LOCAL; set by take
 * @messages: messages before it, set by take
 * @takers: messages before it that take a receive of the peer, set by take
 * @weight: position of the message in the measure of the window, set by take
 */
struct soro_wqe {
	u64 va;
	u32 rkey;
	u32 bytes;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u64 swap_add;
	union {
		u64 compare;
		struct {
			u32 flush_bytes;
			u8 flush_type;
			u8 flush_level;
		};
	};
	u8 kind;
	u8 flags;
	u8 status;
	u32 psn;
	u32 npsn;
	u32 messages;
	u32 takers;
	u64 weight;
};

/**
 * struct soro_requester_config - what modify QP sets
 * @pmtu_bytes: path MTU
 * @timeout_ns: local ACK timeout, 0 = none
 * @retry_cnt: 0 to 7
 * @rnr_retry: 0 to 6, 7 = for ever
 * @reads_max: max_rd_atomic; 0: READs and atomics complete with LOC_QP_OP
 * @unreliable: the QP is a UC QP: SEND and WRITE only, and nothing of the above but
 *	@pmtu_bytes counts
 */
struct soro_requester_config {
	u32 pmtu_bytes;
	u64 timeout_ns;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 reads_max;
	bool unreliable;
};

/* reasons why nothing can be planned: bits of one word */
#define SORO_WAIT_EMPTY		0x01	/* no WQE left to send */
#define SORO_WAIT_WINDOW	0x02	/* window full until an ACK */
#define SORO_WAIT_READS		0x04	/* as many READs and atomics outstanding as agreed */
#define SORO_WAIT_FENCE		0x08	/* earlier READs and atomics, or all, must complete first */
#define SORO_WAIT_RNR		0x10	/* RNR timer runs */
#define SORO_WAIT_FAILED	0x20	/* next WQE failed locally, or the QP did */
#define SORO_WAIT_HOLE		0x40	/* enough was sent again until something comes back */
#define SORO_WAIT_CREDITS	0x80	/* the peer's receives are used up, as far as is known */

/**
 * struct soro_requester - state of a requester
 * @cfg: configuration; changed by soro_requester_configure()
 * @wqes: array of slots, each begins with a struct soro_wqe; needed from the first take on,
 *	responses are judged without
 * @stride: bytes of a slot
 * @mask: slots - 1 (a power of two)
 * @head: oldest WQE not completed (free running index)
 * @tail: next free slot (free running)
 * @acked: WQE that contains @una, or SORO_LOCAL and not executed, or @tail; from @head to here
 *	WQEs succeeded
 * @cur: WQE that contains @psn, or SORO_LOCAL and not executed, or @tail
 * @psn: next PSN to send
 * @nxt: first PSN never sent; @psn == @nxt unless resending
 * @una: oldest PSN not acknowledged
 * @end: PSN after the last WQE taken
 * @end_weight: position after the last WQE taken
 * @asked: first WQE that ends after the last AckReq
 * @messages: WQEs taken since the first PSN but SORO_LOCAL: message sequence numbers count them
 * @takers: WQEs taken that take a receive of the peer
 * @limit: so many of them may be sent by the credits that were granted
 * @window_bytes: bytes that may be in flight
 * @unasked: PSNs sent since the last AckReq
 * @reads: READ, atomic and FLUSH requests outstanding
 * @retry_left: timeouts and sequence NAKs left
 * @rnr_left: RNR NAKs left
 * @implied: an implied NAK was acted on at @una; not again without progress
 * @nacked: a NAK was acted on at @una
 * @singles: resending after a timeout: single packets, each asks for an ACK
 * @unlimited: the peer does without credits (0x1f in an AETH, or UC)
 * @failed: a WQE was popped with an error; the rest is flushed
 * @after_nak: what is sent again is so because of a NAK
 * @keeps: the peer keeps what arrives out of order
 * @trains: a train of more than one packet was sent, up to @trains_end, and its fate is open
 * @proving: single packets are sent again in place of trains, up to @proof_end
 * @probes: probes since the last progress
 * @failures: trains that failed since one got through
 * @wait: SORO_WAIT_* as of the last plan
 * @ack_deadline_ns: 0 = not armed
 * @probe_deadline_ns: 0 = not armed
 * @rnr_deadline_ns: 0 = not armed
 * @timed_ns: when the train of @timed_psn was sent, 0 = none is timed
 * @srtt_ns: smoothed round trip time, 0 = not known yet
 * @rtt_min_ns: shortest round trip so far; what is more is time in queues
 * @rttvar_ns: its variation
 * @marked_until_ns: single packets until then, after that trains of two; 0 = no mark
 * @timed_psn: see @timed_ns
 * @hole_bytes: size of the piece that is sent again before an answer; 0 = all of it
 * @hole_end: its end
 * @trains_end: see @trains
 * @proof_end: see @proving
 * @resent: packets sent again (for counters)
 * @probed: probes (for counters)
 * @marks: how often the path was marked (for counters)
 */
struct soro_requester {
	struct soro_requester_config cfg;
	void *wqes;
	u32 stride;
	u32 mask;
	u32 head, tail, acked, cur;
	u32 psn, nxt, una, end;
	u64 end_weight;
	u32 asked;
	u32 messages;
	u32 takers;
	u32 limit;
	u32 window_bytes;
	u32 unasked;
	u32 reads;
	u8 retry_left;
	u8 rnr_left;
	bool implied;
	bool nacked;
	bool singles;
	bool unlimited;
	bool failed;
	bool after_nak;
	bool keeps;
	bool trains;
	bool proving;
	u8 probes;
	u8 failures;
	u8 wait;
	u64 ack_deadline_ns;
	u64 probe_deadline_ns;
	u64 rnr_deadline_ns;
	u64 timed_ns;
	u64 srtt_ns;
	u64 rtt_min_ns;
	u64 rttvar_ns;
	u64 marked_until_ns;
	u32 timed_psn;
	u32 hole_bytes;
	u32 hole_end;
	u32 trains_end;
	u32 proof_end;
	u64 resent;
	u64 probed;
	u64 marks;
};

/**
 * struct soro_train - packets to send: one run of one WQE, equal sizes but the last
 * @slot: index of the WQE (free running; use soro_requester_slot())
 * @psn: first PSN
 * @n: packets on the wire (1 for a READ or atomic request, 0 for SORO_LOCAL)
 * @npsn: PSNs covered (n, or the responses of a READ request)
 * @offset: payload offset in the message
 * @bytes: payload bytes (READ: bytes asked for; CMP_SWP, FETCH_ADD: 8)
 * @kind: enum soro_kind, or SORO_LOCAL: nothing is sent, the WQE is to be executed
 * @first: the first packet is FIRST or ONLY
 * @last: the last packet is LAST or ONLY
 * @ackreq: set AckReq in the last packet
 * @resend: PSNs were sent before
 */
struct soro_train {
	u32 slot;
	u32 psn;
	u32 n;
	u32 npsn;
	u32 offset;
	u32 bytes;
	u8 kind;
	bool first;
	bool last;
	bool ackreq;
	bool resend;
};

/** enum soro_req_verdict - what an arriving response asks for */
enum soro_req_verdict {
	SORO_REQ_DONE,		/* digested: state is updated */
	SORO_REQ_PLACE,		/* copy payloads to the WQE's SGEs at offset, then commit or fail */
	SORO_REQ_STORE,		/* the same with the 8 bytes of the packet's atomic_orig */
	SORO_REQ_DROP,		/* step.drop says why */
};

/**
 * struct soro_req_step - judgement on leading response packets
 * @n: packets, at least 1
 * @verdict: enum soro_req_verdict
 * @drop: enum soro_drop
 * @slot: WQE index, for PLACE and STORE
 * @offset: byte offset in the message, for PLACE
 * @bytes: payload bytes of the n packets
 * @syndrome: for ACK packets, as received (counters and trace)
 * @implied: an implied NAK was acted on (counters)
 */
struct soro_req_step {
	u32 n;
	u8 verdict;
	u8 drop;
	u8 syndrome;
	bool implied;
	u32 slot;
	u32 offset;
	u32 bytes;
};

/**
 * struct soro_req_done - a WQE that is over
 * @slot: its index (free running)
 * @status: enum soro_status
 * @completion: a CQE is due: signalled, or in error
 * @error: first error of the QP: the caller puts the QP in error
 */
struct soro_req_done {
	u32 slot;
	u8 status;
	bool completion;
	bool error;
};

/* kernel-doc of the functions is beside their code: requester.c, plan.c, digest.c */
void soro_requester_configure(struct soro_requester *req,
			      const struct soro_requester_config *cfg, u64 now);
void soro_requester_init(struct soro_requester *req, u32 psn);
void soro_requester_reset(struct soro_requester *req);

/** soro_requester_slot() - memory of the WQE with free running index @slot */
static inline void *soro_requester_slot(const struct soro_requester *req, u32 slot)
{
	return req->wqes + (size_t)(slot & req->mask) * req->stride;
}

/** soro_requester_room() - whether another WQE can be taken */
static inline bool soro_requester_room(const struct soro_requester *req)
{
	return req->tail - req->head <= req->mask;
}

void soro_requester_take(struct soro_requester *req);
bool soro_requester_plan(struct soro_requester *req, const struct soro_train_limits *limits,
			 bool more, u64 now, struct soro_train *train);
void soro_requester_sent(struct soro_requester *req, const struct soro_train *train, u64 now);
void soro_requester_executed(struct soro_requester *req, u32 slot, bool more);
void soro_requester_ask_again(struct soro_requester *req);
void soro_requester_fail(struct soro_requester *req, u32 slot, u8 status);

void soro_requester_judge(struct soro_requester *req, const struct soro_pkt *pkts, u32 n, u64 now,
			  struct soro_req_step *step);
void soro_requester_commit(struct soro_requester *req, const struct soro_req_step *step, u64 now);

u64 soro_requester_deadline(const struct soro_requester *req);
bool soro_requester_timeout(struct soro_requester *req, u64 now);

bool soro_requester_pop(struct soro_requester *req, struct soro_req_done *done);
void soro_requester_flush(struct soro_requester *req);

u64 soro_requester_rnr_ns(u8 code);

#endif

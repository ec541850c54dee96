/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: what a responder of RC or UC knows about its peer's requests: expected PSN,
 * the message in progress, READs to answer, replies owed.
 * Must not know: skbs, locks, timers, user memory, rings.
 *
 * The caller owns the responder half (one caller at a time) and drives it:
 *
 *	while (pkts left) {
 *		soro_responder_judge(rsp, pkts, n, &step);
 *		switch on step.verdict; if SORO_RSP_EXECUTE:
 *			fetch what step.need names, fill an answer
 *			if (soro_responder_resolve(rsp, &step, &answer) == SORO_RSP_EXECUTE) {
 *				do the act (copy step.n payloads ...), invalidate a key
 *				failed:	soro_responder_refuse(rsp, &step, fault)
 *				else	soro_responder_commit(rsp, &step)
 *			}
 *		if SORO_RSP_HOLD: keep the packets or soro_responder_dropped(rsp, &step)
 *		step.fault: complete the receive WQE in hand as the fault table says
 *		skip step.n packets
 *	}
 *	while something is kept that begins at or before the expected PSN:
 *		take it out and judge it as above
 *	if (something was taken out, and something is still kept)
 *		soro_responder_gap(rsp)
 *	soro_responder_credits(rsp, receives posted and not completed)
 *	while (soro_responder_reply(rsp, limits, &reply)) {
 *		build and hand over; on resource failure stop: it stays owed
 *		soro_responder_replied(rsp, &reply);
 *	}
 */
#ifndef SORO_ENGINE_RESPONDER_H
#define SORO_ENGINE_RESPONDER_H

#include <linux/types.h>
#include "fault.h"
#include "../wire/packet.h"

#define SORO_HOLD_PSNS 4096	/* what lies further ahead is not kept */
#define SORO_READS_MAX 16	/* READs and atomics a responder keeps (max_dest_rd_atomic) */

/**
 * struct soro_responder_config - what modify QP sets
 * @pmtu_bytes: path MTU
 * @min_rnr_timer: 5-bit code sent in RNR NAKs (IBA table 45)
 * @reads_max: max_dest_rd_atomic, at most SORO_READS_MAX (0: READs are refused)
 * @allow_write: QP access flag REMOTE_WRITE (WRITE and ATOMIC WRITE)
 * @allow_read: QP access flag REMOTE_READ
 * @allow_atomic: QP access flag REMOTE_ATOMIC (CMP_SWP and FETCH_ADD)
 * @allow_flush: QP access flag FLUSH_GLOBAL
 * @unreliable: the QP is a UC QP: nothing is ever owed or held, see unreliable.c
 */
struct soro_responder_config {
	u32 pmtu_bytes;
	u8 min_rnr_timer;
	u8 reads_max;
	bool allow_write;
	bool allow_read;
	bool allow_atomic;
	bool allow_flush;
	bool unreliable;
};

/**
 * struct soro_kept - a READ or atomic that was accepted; kept for duplicates after its answer
 * @kind: enum soro_kind: READ_REQ, CMP_SWP, FETCH_ADD, ATOMIC_WRITE, FLUSH (which counts as an
 *	atomic here: it acts once and is answered once)
 * @psn: first PSN of the request
 * @npsn: response packets
 * @va: remote address of the first byte
 * @rkey: remote key
 * @bytes: payload bytes of the whole answer, 0 unless it is a READ
 * @orig: value before a CMP_SWP or FETCH_ADD, which a duplicate gets again (IBA 9.4.5)
 * @stop: bytes from @va where sending stops (a duplicate may ask for part of the range)
 * @cursor: next response packet to send, 0 to @npsn
 * @end: packet where sending stops
 * @answered: an answer was sent to its end: the peer may forget this request
 * @restart: the next response opens the answer: FIRST or ONLY, whatever the cursor
 */
struct soro_kept {
	u8 kind;
	u32 psn;
	u32 npsn;
	u64 va;
	u32 rkey;
	u32 bytes;
	u64 orig;
	u32 stop;
	u32 cursor;
	u32 end;
	bool answered;
	bool restart;
};

/** enum soro_ack_owed - what acknowledgment is owed after the READs */
enum soro_ack_owed {
	SORO_OWE_NOTHING,
	SORO_OWE_ACK,		/* positive, up to epsn - 1 */
	SORO_OWE_SEQUENCE,	/* NAK sequence error at epsn */
	SORO_OWE_RNR,		/* RNR NAK at epsn */
	SORO_OWE_FATAL,		/* NAK of @fault at @fatal_psn, then the QP is in error */
};

/**
 * struct soro_responder - state of a responder
 * @cfg: configuration; changed only while the half is owned
 * @epsn: expected PSN
 * @msn: message sequence number, messages completed modulo 2^24
 * @kind: kind of message in progress (enum soro_kind); valid if @in_message
 * @in_message: between FIRST and LAST
 * @quiet: a NAK for this gap or an RNR NAK was made; later PSNs are dropped
 *	without another one until the expected one comes (IBA 9.7.5)
 * @not_ready: the gap is a request that got an RNR NAK
 * @dropped: something beyond a gap was dropped, up to @dropped_end, and no NAK
 *	was sent since
 * @untold: the gap was filled before its NAK was sent: what is missing up to
 *	@dropped_end has to be told
 * @dead: a fatal NAK is owed or was sent, or a receive WQE of UC failed; every packet is
 *	dropped
 * @dropped_end: see @dropped
 * @received: bytes of the message in progress placed so far
 * @capacity: bytes of the receive WQE in hand (SEND)
 * @va: RETH address of the WRITE in progress
 * @rkey: RETH key of the WRITE in progress
 * @bytes: RETH length of the WRITE in progress
 * @owed: acknowledgment owed; goes out after every owed READ response
 * @credits: credit code of the next ACK or response, see soro_responder_credits()
 * @fault: for SORO_OWE_FATAL
 * @fatal_psn: PSN of the request that failed, for SORO_OWE_FATAL
 * @kept: ring of the last READs and atomics, oldest at @kept_head
 * @kept_head: index of the oldest one
 * @kept_count: how many
 * @kept_owed: bit mask of those whose responses from cursor to end are owed
 */
struct soro_responder {
	struct soro_responder_config cfg;
	u32 epsn;
	u32 msn;
	u8 kind;
	bool in_message;
	bool quiet;
	bool not_ready;
	bool dropped;
	bool untold;
	bool dead;
	u32 dropped_end;
	u32 received;
	u32 capacity;
	u64 va;
	u32 rkey;
	u32 bytes;
	u8 owed;
	u8 credits;
	u8 fault;
	u32 fatal_psn;
	u8 kept_head;
	u8 kept_count;
	u32 kept_owed;
	struct soro_kept kept[SORO_READS_MAX];
};

/** enum soro_rsp_verdict - what is to be done with the leading packets */
enum soro_rsp_verdict {
	SORO_RSP_EXECUTE,	/* fetch what is needed, resolve, act, commit */
	SORO_RSP_ANSWER,	/* nothing to execute: state is updated, a reply may be owed */
	SORO_RSP_HOLD,		/* beyond a gap: may be kept and judged again when it is filled */
	SORO_RSP_DROP,		/* nothing at all; step.drop says why */
};

#define SORO_NEED_RECV	1	/* a receive WQE (the next of the queue) */
#define SORO_NEED_RANGE	2	/* step.range checked against its key */

/** enum soro_act - effect on memory of a resolved step */
enum soro_act {
	SORO_ACT_NONE,		/* zero length, or nothing to place */
	SORO_ACT_RECV,		/* copy payloads to the receive WQE in hand, from offset */
	SORO_ACT_WRITE,		/* copy payloads to the checked range, from its start */
	SORO_ACT_ATOMIC,	/* CMP_SWP or FETCH_ADD on the checked range, result to step.orig */
	SORO_ACT_STORE,		/* payload to the checked range by one store of 8 bytes */
	SORO_ACT_FLUSH,		/* what was placed before is to be seen by everybody */
};

/** enum soro_right - what a remote key must grant */
enum soro_right {
	SORO_RIGHT_READ,
	SORO_RIGHT_WRITE,
	SORO_RIGHT_ATOMIC,
	SORO_RIGHT_FLUSH,
};

/**
 * struct soro_range - remote memory that a step touches
 * @va: address
 * @bytes: length, over which key, bounds and rights are checked
 * @rkey: key
 * @right: enum soro_right
 * @whole: all that the key names: @va and @bytes say nothing
 */
struct soro_range {
	u64 va;
	u32 bytes;
	u32 rkey;
	u8 right;
	bool whole;
};

/**
 * struct soro_rsp_step - judgement on leading packets of a train
 * @n: packets that share this verdict, at least 1
 * @verdict: enum soro_rsp_verdict
 * @need: SORO_NEED_* bits; valid for EXECUTE
 * @drop: enum soro_drop; valid for DROP
 * @act: enum soro_act, valid after resolve
 * @fault: enum soro_fault after a failed resolve or refuse (for counters)
 * @duplicate: the packets were executed before (for counters)
 * @range: valid if @need has SORO_NEED_RANGE. For a WRITE it starts at the
 *	first byte that these packets place; on the first packet it covers the
 *	whole message, so that nothing is placed if the end is out of bounds
 * @offset: byte offset in the receive WQE for SORO_ACT_RECV
 * @bytes: payload bytes of the @n packets
 * @invalidate: after the act @inv_rkey is to be invalidated, then commit or refuse
 * @complete: after commit: the message is complete and consumes the receive
 *	WQE in hand (a completion is due)
 * @has_imm: completion carries imm
 * @has_inv: completion carries inv_rkey, which was invalidated
 * @solicited: completion is solicited
 * @is_write: completion is of a WRITE with immediate
 * @imm: immediate data as on the wire
 * @inv_rkey: key of @invalidate and @has_inv
 * @length: bytes of the whole message, for the completion
 * @kept: the step accepts a READ or atomic or repeats a READ
 * @orig: for SORO_ACT_ATOMIC the driver puts here what it found, before commit
 */
struct soro_rsp_step {
	u32 n;
	u8 verdict;
	u8 need;
	u8 drop;
	u8 act;
	u8 fault;
	bool duplicate;
	struct soro_range range;
	u32 offset;
	u32 bytes;
	bool invalidate;
	bool complete;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool is_write;
	bool kept;
	__be32 imm;
	u32 inv_rkey;
	u32 length;
	u64 orig;
	/* private: to the engine */
	const struct soro_pkt *pkts;
};

/**
 * struct soro_rsp_answer - what the driver found
 * @recv_found: there was a receive WQE
 * @recv_capacity: its bytes
 * @fault: SORO_FAULT_NONE, or why need could not be met: SORO_FAULT_ACCESS,
 *	SORO_FAULT_RECV_BAD, SORO_FAULT_RECV_PROT, SORO_FAULT_MISALIGNED
 */
struct soro_rsp_answer {
	bool recv_found;
	u32 recv_capacity;
	u8 fault;
};

/**
 * struct soro_reply - one train of replies from committed state
 * @kind: SORO_ACK or SORO_ATOMIC_ACK (one packet), or SORO_READ_RESP
 * @psn: PSN of the first packet
 * @n: packets
 * @first: for READ_RESP: the first packet carries FIRST/ONLY (an AETH)
 * @last: for READ_RESP: the last packet carries LAST/ONLY (an AETH)
 * @syndrome: AETH syndrome
 * @msn: AETH MSN
 * @range: for READ_RESP: what to read (range.bytes = payload of the @n packets, 0: nothing)
 * @orig: for ATOMIC_ACK
 * @fatal: after this reply was handed over, the QP goes to error
 * @fault: for @fatal: enum soro_fault
 */
struct soro_reply {
	u8 kind;
	u32 psn;
	u32 n;
	bool first;
	bool last;
	u8 syndrome;
	u32 msn;
	struct soro_range range;
	u64 orig;
	bool fatal;
	u8 fault;
	/* private: to the engine */
	u8 slot;
};

/**
 * struct soro_train_limits - the longest train that may be handed over
 * @packets: packets, at least 1
 * @bytes: UDP payload bytes (BTH to ICRC of all packets)
 */
struct soro_train_limits {
	u32 packets;
	u32 bytes;
};

/* kernel-doc of the functions is beside their code: responder.c, replies.c */
void soro_responder_init(struct soro_responder *rsp, u32 epsn);
void soro_responder_judge(struct soro_responder *rsp, const struct soro_pkt *pkts, u32 n,
			  struct soro_rsp_step *step);
u8 soro_responder_resolve(struct soro_responder *rsp, struct soro_rsp_step *step,
			  const struct soro_rsp_answer *answer);
void soro_responder_dropped(struct soro_responder *rsp, const struct soro_rsp_step *step);
void soro_responder_gap(struct soro_responder *rsp);
void soro_responder_refuse(struct soro_responder *rsp, struct soro_rsp_step *step, u8 fault);
void soro_responder_commit(struct soro_responder *rsp, struct soro_rsp_step *step);
void soro_responder_credits(struct soro_responder *rsp, u32 receives);

/** soro_responder_owes() - whether there is a reply to be sent */
static inline bool soro_responder_owes(const struct soro_responder *rsp)
{
	return rsp->kept_owed || rsp->owed != SORO_OWE_NOTHING;
}

bool soro_responder_reply(struct soro_responder *rsp, const struct soro_train_limits *limits,
			  struct soro_reply *reply);
void soro_responder_replied(struct soro_responder *rsp, const struct soro_reply *reply);
bool soro_responder_unreadable(struct soro_responder *rsp, const struct soro_reply *reply);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the one table of what can go wrong with a request and what each side
 * sees of it.  Knows no packet, queue or kernel object.
 */
#ifndef SORO_ENGINE_FAULT_H
#define SORO_ENGINE_FAULT_H

#include <linux/types.h>

/**
 * enum soro_status - completion status, independent of any ABI
 *
 * The values are those of enum ib_wc_status, which user space shares; the ring
 * code pins that with static assertions.
 */
enum soro_status {
	SORO_ST_SUCCESS = 0,
	SORO_ST_LOC_LEN = 1,
	SORO_ST_LOC_QP_OP = 2,
	SORO_ST_LOC_PROT = 4,
	SORO_ST_FLUSH = 5,
	SORO_ST_MW_BIND = 6,
	SORO_ST_BAD_RESP = 7,
	SORO_ST_LOC_ACCESS = 8,
	SORO_ST_REM_INV_REQ = 9,
	SORO_ST_REM_ACCESS = 10,
	SORO_ST_REM_OP = 11,
	SORO_ST_RETRY_EXC = 12,
	SORO_ST_RNR_RETRY_EXC = 13,
};

/** enum soro_event - asynchronous event that a fault raises at the responder */
enum soro_event {
	SORO_EV_NONE,
	SORO_EV_REQ_ERR,	/* affiliated: invalid request */
	SORO_EV_ACCESS_ERR,	/* affiliated: access violation */
	SORO_EV_FATAL,		/* affiliated: local catastrophic */
};

/**
 * enum soro_fault - what can go wrong while a responder executes a request
 *
 * Each has one row in soro_fault_row().
 */
enum soro_fault {
	SORO_FAULT_NONE,
	SORO_FAULT_OPCODE,	/* out of sequence */
	SORO_FAULT_NOT_ENABLED,	/* the QP does not permit this operation, or nobody does */
	SORO_FAULT_LENGTH,	/* payload does not fit PMTU, RETH or message rule */
	SORO_FAULT_RECV_SHORT,	/* message longer than the receive buffer */
	SORO_FAULT_RECV_PROT,	/* receive buffer's lkey, range or rights */
	SORO_FAULT_RECV_BAD,	/* receive WQE malformed */
	SORO_FAULT_ACCESS,	/* rkey, its range or rights, or it may not be invalidated */
	SORO_FAULT_MISALIGNED,	/* atomic address not a multiple of 8 */
	SORO_FAULT_READS,	/* more READs, atomics and FLUSHes than agreed */
	SORO_FAULTS
};

/**
 * struct soro_fault_row - the consequences of one fault; @syndrome and @requester on RC only
 * @syndrome: whole AETH syndrome of the NAK (SORO_SYNDROME_NAK and a code, wire/packet.h)
 * @requester: status of the peer's WQE (what @syndrome turns into there)
 * @responder: status of the receive WQE in hand, if there is one; SUCCESS
 *	where the receive queue sees nothing but flushes
 * @event: asynchronous event at the responder
 * @clause: IBA clause
 */
struct soro_fault_row {
	u8 syndrome;
	u8 requester;
	u8 responder;
	u8 event;
	const char *clause;
};

const struct soro_fault_row *soro_fault_row(enum soro_fault fault);

/**
 * soro_fault_is_local() - whether a fault is that of the receive WQE, not of the peer
 * @fault: what went wrong
 *
 * Its completion says it all: there is no event. It ends any QP; for the peer's faults UC
 * drops the message and nobody hears of it.
 */
static inline bool soro_fault_is_local(enum soro_fault fault)
{
	return soro_fault_row(fault)->event == SORO_EV_NONE;
}

/**
 * soro_fault_status - completion status that a fatal NAK gives a requester
 * @syndrome: AETH syndrome with type NAK and a code other than sequence error
 *
 * Return: enum soro_status.
 */
u8 soro_fault_status(u8 syndrome);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the one table of what can go wrong with a request and what each side
 * sees of it. Must not know: packets (but for syndromes), queues, kernel objects.
 */
#include <linux/types.h>

#include "fault.h"
#include "../wire/packet.h"

/*
 * Rows follow IBA 9.9.3 (responder error behavior) and 11.6.2 (completion
 * status). A receive WQE in hand is completed with @responder; where a request
 * names no receive WQE, or names one that it never reached, the queue sees
 * flushes only and the owner learns of the fault by the event.
 */
#define ROW(nak, req, rsp, ev, where)				\
	{							\
		.syndrome = SORO_SYNDROME_NAK | SORO_NAK_##nak,		\
		.requester = SORO_ST_##req,			\
		.responder = SORO_ST_##rsp,			\
		.event = SORO_EV_##ev,				\
		.clause = where,				\
	}

static const struct soro_fault_row rows[SORO_FAULTS] = {
	[SORO_FAULT_NONE] = {
		.syndrome = SORO_SYNDROME_ACK | SORO_CREDIT_NONE,
		.requester = SORO_ST_SUCCESS,
		.responder = SORO_ST_SUCCESS,
		.event = SORO_EV_NONE,
		.clause = "9.7.5",
	},
	[SORO_FAULT_OPCODE] = ROW(INVALID, REM_INV_REQ, REM_INV_REQ, REQ_ERR, "9.7.4"),
	[SORO_FAULT_NOT_ENABLED] = ROW(INVALID, REM_INV_REQ, SUCCESS, REQ_ERR, "9.7.4"),
	[SORO_FAULT_LENGTH] = ROW(INVALID, REM_INV_REQ, REM_INV_REQ, REQ_ERR, "9.7.4"),
	[SORO_FAULT_RECV_SHORT] = ROW(INVALID, REM_INV_REQ, LOC_LEN, NONE, "11.6.2"),
	[SORO_FAULT_RECV_PROT] = ROW(OPERATION, REM_OP, LOC_PROT, NONE, "11.6.2"),
	[SORO_FAULT_RECV_BAD] = ROW(OPERATION, REM_OP, LOC_QP_OP, NONE, "11.6.2"),
	[SORO_FAULT_ACCESS] = ROW(ACCESS, REM_ACCESS, SUCCESS, ACCESS_ERR, "9.7.4"),
	[SORO_FAULT_MISALIGNED] = ROW(INVALID, REM_INV_REQ, SUCCESS, REQ_ERR, "9.4.5"),
	[SORO_FAULT_READS] = ROW(INVALID, REM_INV_REQ, SUCCESS, REQ_ERR, "9.7.4"),
};

/**
 * soro_fault_row() - consequences of a fault
 * @fault: what went wrong; a value outside the enum counts as SORO_FAULT_OPCODE
 *
 * Return: the row, never NULL.
 */
const struct soro_fault_row *soro_fault_row(enum soro_fault fault)
{
	if ((unsigned int)fault >= SORO_FAULTS)
		fault = SORO_FAULT_OPCODE;
	return &rows[fault];
}

/**
 * soro_fault_status() - completion status that a fatal NAK gives a requester
 * @syndrome: AETH syndrome with type NAK and a code other than sequence error
 *
 * Return: enum soro_status; a code that RC does not define is a bad response.
 */
u8 soro_fault_status(u8 syndrome)
{
	switch (syndrome) {
	case SORO_SYNDROME_NAK | SORO_NAK_INVALID:
		return SORO_ST_REM_INV_REQ;
	case SORO_SYNDROME_NAK | SORO_NAK_ACCESS:
		return SORO_ST_REM_ACCESS;
	case SORO_SYNDROME_NAK | SORO_NAK_OPERATION:
		return SORO_ST_REM_OP;
	default:
		return SORO_ST_BAD_RESP;
	}
}

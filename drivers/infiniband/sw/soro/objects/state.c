// SPDX-License-Identifier: GPL-2.0
/*
 * What a QP may do in each of its states (IBA 10.3.1).
 */
#include "state.h"

#define POST_BOTH	(SORO_CAN_POST_RECV | SORO_CAN_POST_SEND)

/* SQ error keeps the receive side alive; it is reached by QPs that are not reliable. */
const u8 soro_state_table[IB_QPS_ERR + 1] = {
	[IB_QPS_RESET]	= 0,
	[IB_QPS_INIT]	= SORO_CAN_POST_RECV,
	[IB_QPS_RTR]	= SORO_CAN_POST_RECV | SORO_CAN_RECEIVE,
	[IB_QPS_RTS]	= POST_BOTH | SORO_CAN_RECEIVE | SORO_CAN_SEND | SORO_CAN_RESPOND,
	[IB_QPS_SQD]	= POST_BOTH | SORO_CAN_RECEIVE | SORO_CAN_RESPOND,
	[IB_QPS_SQE]	= POST_BOTH | SORO_CAN_RECEIVE | SORO_CAN_FLUSH_SEND,
	[IB_QPS_ERR]	= POST_BOTH | SORO_CAN_FLUSH_SEND | SORO_CAN_FLUSH_RECV,
};

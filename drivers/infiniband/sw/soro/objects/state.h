/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a QP may do in each of its states.
 *
 * Owns: the table. Must not know: transitions (ib_modify_qp_is_ok() does), nor
 * how anything is done.
 */
#ifndef SORO_OBJECTS_STATE_H
#define SORO_OBJECTS_STATE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#define SORO_CAN_POST_RECV	BIT(0)	/* receive requests may be posted */
#define SORO_CAN_POST_SEND	BIT(1)	/* send requests may be posted */
#define SORO_CAN_SEND		BIT(2)	/* new send requests are executed */
#define SORO_CAN_RESPOND	BIT(3)	/* answers are taken, requests in flight repeated */
#define SORO_CAN_RECEIVE	BIT(4)	/* requests of the peer are executed and answered */
#define SORO_CAN_FLUSH_SEND	BIT(5)	/* send requests complete with a flush error */
#define SORO_CAN_FLUSH_RECV	BIT(6)	/* receive requests complete with a flush error */

extern const u8 soro_state_table[IB_QPS_ERR + 1];

/**
 * soro_state_can - whether a QP in a state may do something
 * @state: state of the QP
 * @what: SORO_CAN_* bits; all of them are asked for
 */
static inline bool soro_state_can(enum ib_qp_state state, u8 what)
{
	return (soro_state_table[state] & what) == what;
}

#endif /* SORO_OBJECTS_STATE_H */

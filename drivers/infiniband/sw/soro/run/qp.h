/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the queue pair: its number, its state, its two halves.
 */
#ifndef SORO_RUN_QP_H
#define SORO_RUN_QP_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>
#include "congestion.h"
#include "device.h"
#include "half.h"
#include "held.h"
#include "../engine/datagram.h"
#include "../engine/requester.h"
#include "../engine/responder.h"
#include "../link/charge.h"
#include "../link/xmit.h"
#include "../memory/mw.h"
#include "../objects/cq.h"
#include "../objects/ring.h"
#include "../objects/srq.h"
#include "../objects/wqe.h"

/**
 * struct soro_swqe - a send WQE taken from the ring, private to the kernel
 * @eng: the engine's part
 * @wr_id: of the application
 * @opcode: work request opcode, as posted
 * @num_sge: entries of @sge; 0 with @inline_bytes: data follow instead
 * @inline_bytes: bytes of @data
 * @sge: scatter list, or
 * @data: inline data, or
 * @bind: of a BIND_MW, or what a registration takes of it: @bind.rkey and @bind.access
 */
struct soro_swqe {
	struct soro_wqe eng;
	u64 wr_id;
	u32 opcode;
	u32 num_sge;
	u32 inline_bytes;
	union {
		DECLARE_FLEX_ARRAY(struct ib_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
		struct soro_bind bind;
	};
};

/**
 * struct soro_rwqe - the receive WQE in hand
 * @valid: there is one
 * @wr_id: of the application
 * @bytes: capacity
 * @num_sge: entries of @sge
 * @max_sge: room in @sge; constant
 * @sge: scatter list
 */
struct soro_rwqe {
	bool valid;
	u64 wr_id;
	u32 bytes;
	u32 num_sge;
	u32 max_sge;
	struct ib_sge *sge;
};

#define SORO_BACKOFF_NS	NSEC_PER_MSEC	/* from no memory, or a full queue, to the next try */

/**
 * struct soro_requesting - the requester half
 * @half: ownership; all below is the owner's
 * @engine: protocol state
 * @ring: send queue, filled by user space or run/post.c
 * @post_lock: serializes consumers in the kernel that post; leaf, irqsave
 * @flow: how requests reach the peer
 * @timer: fires at the engine's next deadline or later
 * @armed_ns: when @timer fires, 0 = not armed
 * @backoff_ns: nothing is sent before (no memory, full queue), 0 = none
 * @sent: the last that was sent (UC, UD)
 * @binds: memory windows were bound, perhaps of type 2B
 * @drain_event: an event is due when the queue is drained (SQD)
 * @congestion: notification owed for marked responses
 * @probed: the engine's probes that were counted
 * @marks: the engine's path marks that were counted
 */
struct soro_requesting {
	struct soro_half half;
	struct soro_requester engine;
	struct soro_ring ring;
	spinlock_t post_lock;	/* other end of ring */
	struct soro_flow flow;
	struct hrtimer timer;
	u64 armed_ns;
	u64 backoff_ns;
	struct soro_charge_mark sent;
	bool binds;
	bool drain_event;
	struct soro_congestion congestion;
	u64 probed;
	u64 marks;
};

/**
 * struct soro_responding - the responder half
 * @half: ownership; all below is the owner's
 * @engine: protocol state
 * @ring: receive queue, filled by user space or run/post.c; does not exist with an SRQ
 * @post_lock: serializes consumers in the kernel that post; leaf, irqsave
 * @flow: how replies reach the peer
 * @recv: receive WQE in hand
 * @held: what came out of order
 * @sport: UDP source port of the last request that came in order, 0 = none yet
 * @congestion: notification owed for marked requests
 * @relook_msec: in ERR, time until the ring is looked at again
 */
struct soro_responding {
	struct soro_half half;
	struct soro_responder engine;
	struct soro_ring ring;
	spinlock_t post_lock;	/* other end of ring */
	struct soro_flow flow;
	struct soro_rwqe recv;
	struct soro_held held;
	u16 sport;
	struct soro_congestion congestion;
	u32 relook_msec;
};

/**
 * struct soro_qp - a queue pair
 * @ib: the core's part
 * @dev: its device
 * @counters: where its packets are counted: of the device, or of control/counters.c when the
 *            QP is bound to some; RCU
 * @state: enum ib_qp_state; written under @state_lock, read once per run
 * @state_lock: guards writes of @state; leaf, irqsave
 * @modify: serializes modify; process context, outermost
 * @attr: what modify set, for query; @modify
 * @cap: granted capabilities; constant
 * @sq_sig_all: every send WQE is signalled; constant
 * @told: events that are raised once and were, bits by IB_EVENT_*; none in RESET
 * @due: events of a consumer in the kernel, bits by IB_EVENT_*, until @notifier runs
 * @notifier: calls the handler of a consumer in the kernel, from no call of its
 * @sgid: own GID while there is a path; changed only with both halves owned
 * @dgid: the peer's GID
 * @datagram: of UD and GSI, whose halves are run by run/datagram.c
 * @req: requester half
 * @rsp: responder half
 * @relook: in ERR, looks at the rings again (receive posts ring no bell)
 * @hold: references
 */
struct soro_qp {
	struct ib_qp ib;
	struct soro_dev *dev;
	struct soro_counters __percpu *counters;
	u8 state;
	spinlock_t state_lock;	/* guards writes of state */
	struct mutex modify;	/* one change at a time */
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	bool sq_sig_all;
	unsigned long told;
	unsigned long due;
	struct tasklet_struct notifier;
	struct in6_addr sgid;
	struct in6_addr dgid;
	struct soro_datagram datagram;
	struct soro_requesting req;
	struct soro_responding rsp;
	struct timer_list relook;
	struct soro_hold hold;
};

static inline struct soro_qp *soro_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct soro_qp, ib);
}

/**
 * soro_qp_srq() - the shared queue from which a QP takes its receives
 * @qp: the QP
 *
 * Return: NULL if it has a receive queue of its own.
 */
static inline struct soro_srq *soro_qp_srq(const struct soro_qp *qp)
{
	return qp->ib.srq ? soro_srq_from_ib(qp->ib.srq) : NULL;
}

/**
 * soro_qp_transport() - what the packets of a QP are
 * @qp: the QP
 *
 * Return: enum soro_transport; a GSI QP speaks UD (IBA 9.8.3).
 */
static inline u8 soro_qp_transport(const struct soro_qp *qp)
{
	switch (qp->ib.qp_type) {
	case IB_QPT_RC:
		return SORO_RC;
	case IB_QPT_UC:
		return SORO_UC;
	default:
		return SORO_UD;
	}
}

/**
 * soro_qp_is_datagram() - whether a QP has no connection
 * @qp: the QP
 */
static inline bool soro_qp_is_datagram(const struct soro_qp *qp)
{
	return soro_qp_transport(qp) == SORO_UD;
}

/**
 * soro_qp_count() - add to a counter
 * @qp: what is counted concerns this QP
 * @which: the counter
 * @n: how much
 *
 * Context: RCU, BH off.
 */
static inline void soro_qp_count(struct soro_qp *qp, enum soro_counter which, u64 n)
{
	soro_counters_add(READ_ONCE(qp->counters), which, n);
}

/**
 * soro_qp_count_drop() - count dropped packets
 * @qp: whose packets
 * @why: the reason
 * @n: how many
 *
 * Context: RCU, BH off.
 */
static inline void soro_qp_count_drop(struct soro_qp *qp, enum soro_drop why, u32 n)
{
	soro_counters_drop(READ_ONCE(qp->counters), why, n);
}

int soro_qp_create(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int soro_qp_destroy(struct ib_qp *ibqp, struct ib_udata *udata);
int soro_qp_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad);

void soro_qp_set_state(struct soro_qp *qp, enum ib_qp_state to, const char *why);
void soro_qp_error(struct soro_qp *qp, const char *why);
void soro_qp_send_error(struct soro_qp *qp, const char *why);
void soro_qp_event(struct soro_qp *qp, enum ib_event_type type);
void soro_qp_event_once(struct soro_qp *qp, enum ib_event_type type);
void soro_qp_fatal(struct soro_qp *qp, const char *why);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: one QP with its driver: what run/, memory/, objects/ and link/ do in the
 * module, with arrays for memory and rings.
 */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include "channel.h"
#include "scenario.h"

struct slot {
	struct soro_wqe wqe;
	u32 op;
};

#define HELD_MAX	24

/* Parsed packets beyond a gap. */
struct held {
	bool used;
	u32 n;
	struct soro_pkt pkts[TRAIN_MAX];
	u8 *payloads[TRAIN_MAX];
};

struct node {
	u8 id;
	bool verbose;
	struct scenario *sc;
	struct side *side;
	struct side *peer_side;
	struct channel *ch;
	struct soro_requester req;
	struct soro_responder rsp;
	struct slot *slots;
	u32 taken;		/* operations taken from the ring */
	u32 over;		/* operations popped */
	u32 recv_next;		/* receive WQE in hand or next */
	bool recv_hand;
	u32 flushes;		/* executed for the peer */
	struct held held[HELD_MAX];
	bool error;		/* the QP is in error */
	bool by_peer;		/* because its responder met a fault */
	bool mercy;
	u16 ip_id;
	u64 backoff_ns;		/* sending failed for lack of memory: try again then */
	u32 timeouts;
	u32 uncredited;		/* messages sent without a credit */
	u32 faults;
	u32 arrived;		/* UC: messages that took a receive; set by the check */
	const char *broken;	/* first thing found wrong */
};

void node_init(struct node *node, struct scenario *sc, u8 id, struct channel *ch);
void node_free(struct node *node);
void node_receive(struct node *node, const struct train *train, u64 now);
void node_run(struct node *node, u64 now);
u64 node_next(const struct node *node, u64 now);
bool node_idle(const struct node *node);
void node_complain(struct node *node, const char *what);

#endif

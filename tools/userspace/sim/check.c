// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: whether a run that is over ended as it had to: every byte, every
 * completion, and after an injected fault the status on both sides.
 */
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "check.h"
#include "wire/psn.h"

/* First operation that did not succeed, n_ops if all did. */
static u32 first_error(const struct side *side)
{
	u32 i = 0;

	while (i < side->n_ops && side->ops[i].status == SORO_ST_SUCCESS)
		i++;
	return i;
}

static void check_ops(struct node *node)
{
	const struct side *side = node->side;
	u32 error = first_error(side);
	u32 i;

	for (i = 0; i < side->n_ops; i++) {
		const struct op *op = &side->ops[i];

		if (!op->over)
			node_complain(node, "operation without an end");
		if (i > error && op->status != SORO_ST_FLUSH)
			node_complain(node, "something else than a flush after an error");
		if (i < error && op_has_answer(op) && !op->answered)
			node_complain(node, "success without an answer");
		if (i < error && op_brings_data(op) &&
		    (op->placed != op->bytes || memcmp(op->local, op->expected, op->bytes)))
			node_complain(node, "data of a READ or atomic");
	}
}

/* The receive WQEs of @node against the messages that its peer sent. */
static void check_recvs(struct node *node, const struct side *sender)
{
	u32 error = first_error(sender), i, k = 0;
	const struct side *side = node->side;

	for (i = 0; i < sender->n_ops; i++) {
		const struct op *op = &sender->ops[i];
		const struct recv *recv = &side->recvs[k];

		if (!op_takes_recv(op))
			continue;
		k++;
		if (!recv->over && i < error)
			node_complain(node, "message acknowledged, but not received");
		if (!recv->over || recv->status != SORO_ST_SUCCESS)
			continue;
		if (recv->length != op->bytes || recv->is_write != (op->kind == SORO_WRITE) ||
		    recv->has_imm != !!(op->flags & SORO_WQE_IMM) ||
		    (recv->has_imm && recv->imm != op->imm) ||
		    recv->solicited != !!(op->flags & SORO_WQE_SOLICITED))
			node_complain(node, "receive completion");
		if (op->kind == SORO_SEND && memcmp(recv->buffer, op->local, op->bytes))
			node_complain(node, "received data");
	}
	if (node->recv_next > k)
		node_complain(node, "more messages received than sent");
}

/* Memory that the peer wrote to; where a WRITE did not succeed, anything may stand. */
static void check_region(struct node *node, const struct side *writer)
{
	struct side *side = node->side;
	u32 i;

	for (i = first_error(writer); i < writer->n_ops; i++) {
		const struct op *op = &writer->ops[i];

		if (op->kind == SORO_WRITE || op_is_atomic(op))
			memcpy(side->shadow + op->region_at, side->region + op->region_at,
			       op->bytes);
	}
	if (memcmp(side->shadow, side->region, side->region_bytes))
		node_complain(node, "memory that was written");
}

/* Every FLUSH that succeeded was executed, and none that was not posted. */
static void check_flushes(struct node *node, const struct side *sender)
{
	u32 error = first_error(sender), posted = 0, succeeded = 0, i;

	for (i = 0; i < sender->n_ops; i++) {
		posted += sender->ops[i].kind == SORO_FLUSH;
		succeeded += sender->ops[i].kind == SORO_FLUSH && i < error;
	}
	if (node->flushes < succeeded || node->flushes > posted)
		node_complain(node, "number of FLUSHes");
}

/* Nothing went wrong: both sides agree about everything. */
static void check_agreement(struct node *node, const struct node *peer)
{
	if (first_error(node->side) != node->side->n_ops)
		node_complain(node, "error without a cause");
	if (node->req.una != node->req.nxt || node->req.reads ||
	    soro_requester_deadline(&node->req))
		node_complain(node, "something left in flight");
	if (peer->rsp.epsn != node->req.nxt)
		node_complain(node, "expected PSN");
	if (peer->rsp.msn != (node->side->n_ops & SORO_PSN_MASK))
		node_complain(node, "MSN");
	/* What lacks memory may be slower than its deadline. */
	if (node->side->refuse_permille || peer->side->refuse_permille)
		return;
	if (node->sc->lossless && (node->timeouts ||
				   (node->req.resent > node->req.probed && !peer->side->n_recvs)))
		node_complain(node, "timeout or resend without loss");
}

/* Whether a victim may end with @status at @op although the scenario asks for another. */
static bool tolerated(const struct scenario *sc, const struct op *ops, u32 op, u8 status)
{
	switch (sc->injection) {
	case INJECT_BLACK_HOLE:
	case INJECT_LOW_RETRY:
		return status == SORO_ST_RETRY_EXC;
	case INJECT_RECV_NEVER:
		return status == SORO_ST_RNR_RETRY_EXC && op <= sc->op;
	case INJECT_PMTU:
		return status == SORO_ST_REM_INV_REQ || status == SORO_ST_BAD_RESP ||
		       status == SORO_ST_RETRY_EXC || status == SORO_ST_REM_ACCESS;
	default:
		/* The NAK was lost: its sender is silent since. */
		return !sc->lossless && status == SORO_ST_RETRY_EXC && op <= sc->op;
	}
}

static bool may_succeed(const struct scenario *sc)
{
	return sc->injection == INJECT_BLACK_HOLE || sc->injection == INJECT_LOW_RETRY ||
	       sc->injection == INJECT_PMTU;
}

static void check_victim(struct scenario *sc, struct node *node)
{
	u32 error = first_error(node->side);

	if (error == node->side->n_ops) {
		if (!may_succeed(sc))
			node_complain(node, "injected fault had no effect");
		return;
	}
	if (error == sc->op && node->side->ops[error].status == sc->status)
		return;
	if (!tolerated(sc, node->side->ops, error, node->side->ops[error].status))
		node_complain(node, "status of the victim");
}

/* The other side: its QP went down with the victim's, by its own NAK or by silence. */
static void check_bystander(struct scenario *sc, struct node *node)
{
	u32 error = first_error(node->side);
	u8 status;

	if (error == node->side->n_ops)
		return;
	status = node->side->ops[error].status;
	if (status == SORO_ST_FLUSH && node->by_peer)
		return;
	if (status == SORO_ST_RETRY_EXC)
		return;
	node_complain(node, "status of the other side");
}

static void check_hit_recv(struct scenario *sc, struct node *node)
{
	const struct recv *recv = &node->side->recvs[sc->recv];
	const struct side *victim = &sc->side[sc->victim];

	if (!sc->recv_status || first_error(victim) < sc->op)
		return;
	if (!recv->over || recv->status != sc->recv_status)
		node_complain(node, "status of the receive WQE");
}

/* ---- UC ---- */

/* The network brings nothing from so long ago that it is taken for a new start. */
static bool in_order(const struct scenario *sc, const struct side *sender)
{
	u32 psns = 0, i;

	for (i = 0; i < sender->n_ops; i++)
		psns += sender->ops[i].bytes / sender->req.pmtu_bytes + 1;
	return psns < SORO_HOLD_PSNS ||
	       !(sc->vices.duplicate_permille || sc->vices.reorder_permille);
}

/* Whatever was sent succeeded; a local failure flushed what was behind it, then it went on. */
static void check_uc_ops(const struct scenario *sc, struct node *node)
{
	bool local = sc->injection == INJECT_LOCAL_TAKE || sc->injection == INJECT_LOCAL_SEND;
	const struct side *side = node->side;
	bool flushed = false, resumed = false;
	u32 i;

	local &= node->id == sc->victim;
	for (i = 0; i < side->n_ops; i++) {
		const struct op *op = &side->ops[i];

		if (!op->over)
			node_complain(node, "operation without an end");
		if (op->status == SORO_ST_SUCCESS) {
			resumed |= flushed;
			if (node->error && flushed)
				node_complain(node, "success in ERR");
		} else if (local && i == sc->op && op->status == sc->status) {
			flushed = true;
		} else if (op->status == SORO_ST_FLUSH && !resumed && (flushed || node->error)) {
			flushed = true;
		} else {
			node_complain(node, "error without a cause");
		}
	}
	if (local && !node->error && side->ops[sc->op].status != sc->status)
		node_complain(node, "injected fault had no effect");
}

/* What a receive completion says is what the message is. */
static bool is_message(const struct op *op, const struct recv *recv)
{
	return op_takes_recv(op) && op->status == SORO_ST_SUCCESS && recv->length == op->bytes &&
	       recv->is_write == (op->kind == SORO_WRITE) &&
	       recv->has_imm == !!(op->flags & SORO_WQE_IMM) &&
	       (!recv->has_imm || recv->imm == op->imm) &&
	       recv->solicited == !!(op->flags & SORO_WQE_SOLICITED) &&
	       (op->kind != SORO_SEND || !memcmp(recv->buffer, op->local, op->bytes));
}

/* What was received is what was sent, in its order and once; return: messages. */
static u32 check_uc_recvs(const struct scenario *sc, struct node *node, const struct side *sender)
{
	const struct side *side = node->side;
	bool ordered = in_order(sc, sender);
	u32 at = 0, n, i;

	for (n = 0; n < side->n_recvs && side->recvs[n].over; n++) {
		const struct recv *recv = &side->recvs[n];

		if (recv->status != SORO_ST_SUCCESS) {
			if (n != sc->recv || recv->status != sc->recv_status || !node->error)
				node_complain(node, "status of a receive WQE");
			return n;
		}
		for (i = ordered ? at : 0; i < sender->n_ops; i++) {
			if (is_message(&sender->ops[i], recv))
				break;
		}
		if (i == sender->n_ops)
			node_complain(node, "received what was not sent, or not in this order");
		at = i + 1;
	}
	return n;
}

/* Each byte is what it was, or what one of the WRITEs to it made of it. */
static void check_uc_region(const struct scenario *sc, struct node *node,
			    const struct side *writer)
{
	const struct side *side = node->side;
	bool *right = calloc(side->region_bytes + 1, sizeof(*right));
	u32 i, k;

	if (!right)
		abort();
	for (i = 0; i < writer->n_ops; i++) {
		const struct op *op = &writer->ops[i];

		if (op->kind != SORO_WRITE || !side->rsp.allow_write || op->rkey != side->rkey ||
		    op->va != side->base + op->region_at)
			continue;
		for (k = 0; k < op->bytes; k++)
			right[op->region_at + k] |= side->region[op->region_at + k] == op->local[k];
	}
	for (i = 0; i < side->region_bytes; i++) {
		if (!right[i] && side->region[i] != side->initial[i])
			node_complain(node, "memory that nobody wrote");
	}
	free(right);
}

/* Nothing is lost on the way, and a receive is there for everything. */
static bool all_arrives(const struct scenario *sc, const struct side *side)
{
	u32 i;

	for (i = 0; i < side->n_recvs; i++) {
		if (side->recvs[i].post_ns)
			return false;
	}
	return sc->lossless && !side->recv_slots;
}

static void check_unreliable(struct scenario *sc, struct node *nodes)
{
	struct node *hit = &nodes[!sc->victim];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct node *node = &nodes[i];

		check_uc_ops(sc, node);
		node->arrived = check_uc_recvs(sc, node, nodes[!i].side);
		check_uc_region(sc, node, nodes[!i].side);
		if (!sc->injection && all_arrives(sc, node->side) &&
		    (node->arrived != node->side->n_recvs ||
		     memcmp(node->side->shadow, node->side->region, node->side->region_bytes)))
			node_complain(node, "something did not arrive");
		if (node->req.resent || node->timeouts || soro_requester_deadline(&node->req))
			node_complain(node, "a retry of what has none");
		if (node->error && !(sc->recv_status && i != sc->victim))
			node_complain(node, "QP in error");
	}
	if (sc->recv_status && all_arrives(sc, hit->side) && !hit->error)
		node_complain(hit, "injected fault had no effect");
}

/* ---- both ---- */

/**
 * check_outcome() - whether a run that is over ended as it had to
 * @sc: scenario
 * @nodes: both ends
 */
void check_outcome(struct scenario *sc, struct node *nodes)
{
	u32 i;

	if (sc->unreliable) {
		check_unreliable(sc, nodes);
		return;
	}
	for (i = 0; i < 2; i++) {
		check_ops(&nodes[i]);
		check_recvs(&nodes[i], nodes[!i].side);
		check_region(&nodes[i], nodes[!i].side);
		check_flushes(&nodes[i], nodes[!i].side);
		if (!sc->injection)
			check_agreement(&nodes[i], &nodes[!i]);
	}
	if (!sc->injection)
		return;
	check_victim(sc, &nodes[sc->victim]);
	check_bystander(sc, &nodes[!sc->victim]);
	if (sc->recv != NEVER)
		check_hit_recv(sc, &nodes[!sc->victim]);
}

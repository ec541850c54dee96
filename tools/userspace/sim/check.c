// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: whether a run that is over ended as it had to: every byte, every
 * completion, and after an injected fault the status on both sides.
 */
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

/**
 * check_outcome() - whether a run that is over ended as it had to
 * @sc: scenario
 * @nodes: both ends
 */
void check_outcome(struct scenario *sc, struct node *nodes)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		check_ops(&nodes[i]);
		check_recvs(&nodes[i], nodes[!i].side);
		check_region(&nodes[i], nodes[!i].side);
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: one QP with its driver. Checks what can only be seen while it runs:
 * order of cursors, equal sizes, fences, bytes placed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "node.h"
#include "wire/psn.h"

#define QPN		0x11
#define BACKOFF_NS	30000

#define trace(node, now, ...) do {						\
	if ((node)->verbose) {							\
		printf("# %9llu.%03llu %c ", (now) / 1000, (now) % 1000, 'A' + (node)->id); \
		printf(__VA_ARGS__);						\
		putchar('\n');							\
	}									\
} while (0)

void node_complain(struct node *node, const char *what)
{
	if (!node->broken)
		node->broken = what;
}

void node_init(struct node *node, struct scenario *sc, u8 id, struct channel *ch)
{
	struct side *side = &sc->side[id];

	memset(node, 0, sizeof(*node));
	node->id = id;
	node->sc = sc;
	node->side = side;
	node->peer_side = &sc->side[!id];
	node->ch = ch;
	node->slots = calloc(side->slots, sizeof(*node->slots));
	if (!node->slots)
		abort();
	node->req.wqes = node->slots;
	node->req.stride = sizeof(*node->slots);
	node->req.mask = side->slots - 1;
	soro_requester_reset(&node->req);
	node->req.cfg = side->req;
	soro_requester_init(&node->req, side->psn);
	node->rsp.cfg = side->rsp;
	soro_responder_init(&node->rsp, node->peer_side->psn);
}

static void release(struct held *held)
{
	while (held->n)
		free(held->payloads[--held->n]);
	held->used = false;
}

void node_free(struct node *node)
{
	u32 i;

	for (i = 0; i < HELD_MAX; i++)
		release(&node->held[i]);
	free(node->slots);
}

static struct slot *slot_of(const struct node *node, u32 slot)
{
	return soro_requester_slot(&node->req, slot);
}

static struct op *op_of(const struct node *node, u32 slot)
{
	return &node->side->ops[slot_of(node, slot)->op];
}

/* ---- what must hold at any time ---- */

static void check_cursors(struct node *node)
{
	const struct soro_requester *req = &node->req;
	u32 ahead = (req->psn - req->una) & SORO_PSN_MASK;
	u32 flight = (req->nxt - req->una) & SORO_PSN_MASK;

	if (req->failed)
		return;
	if (ahead > flight || flight >= 1U << 23)
		node_complain(node, "order of PSN cursors");
	if (req->acked - req->head > req->mask + 1 || req->cur - req->acked > req->mask + 1 ||
	    req->tail - req->cur > req->mask + 1 || req->tail - req->head > req->mask + 1)
		node_complain(node, "order of WQE cursors");
	if (req->reads > req->cfg.reads_max)
		node_complain(node, "more READs than agreed");
	if (req->window_bytes < SORO_WINDOW_MIN_BYTES || req->window_bytes > SORO_WINDOW_MAX_BYTES)
		node_complain(node, "window");
}

/* ---- sending packets ---- */

/* Headers of the packet at @i of @n, from the headers of the train. */
static struct soro_pkt packet_at(const struct node *node, const struct soro_pkt *head, u8 kind,
				 u32 i, u32 n, bool first, bool last, u16 last_headers)
{
	struct soro_pkt pkt = *head;
	bool is_last = last && i + 1 == n;
	u8 pos = (first && !i ? SORO_FIRST : 0) | (is_last ? SORO_LAST : 0);

	pkt.psn = soro_psn_add(head->psn, i);
	pkt.qpn = QPN;
	pkt.pkey = 0xffff;
	pkt.opcode = soro_opcode_make(node->sc->unreliable ? SORO_UC : SORO_RC, kind, pos,
				      is_last ? last_headers : 0);
	return pkt;
}

/* Equal sizes but for the last, and within the limits of the route. */
static void check_train(struct node *node, const struct train *train)
{
	const struct soro_train_limits *limits = &node->side->limits;
	u32 bytes = 0, i;

	for (i = 0; i < train->n; i++) {
		bytes += train->frames[i]->len;
		if (train->frames[i]->len > train->frames[0]->len ||
		    (i + 1 < train->n && train->frames[i]->len != train->frames[0]->len))
			node_complain(node, "packets of a train differ in size");
	}
	if (train->n > limits->packets || (train->n > 1 && bytes > limits->bytes))
		node_complain(node, "train beyond its limits");
}

static bool refused(struct node *node, u64 now)
{
	if (!rng_chance(&node->sc->rng, node->side->refuse_permille))
		return false;
	node->backoff_ns = now + 1 + rng_below(&node->sc->rng, BACKOFF_NS);
	return true;
}

/* ---- requester: send ---- */

static bool posted(const struct node *node, u64 now)
{
	return node->taken < node->side->n_ops && node->side->ops[node->taken].post_ns <= now;
}

static bool take(struct node *node, u64 now)
{
	struct slot *slot;
	const struct op *op;

	if (!posted(node, now) || !soro_requester_room(&node->req))
		return false;
	op = &node->side->ops[node->taken];
	slot = slot_of(node, node->req.tail);
	memset(slot, 0, sizeof(*slot));
	slot->op = node->taken++;
	slot->wqe.kind = op->kind;
	slot->wqe.flags = op->flags;
	slot->wqe.bytes = op->bytes;
	slot->wqe.imm = op->imm;
	slot->wqe.va = op->va;
	slot->wqe.rkey = op->rkey;
	slot->wqe.swap_add = op->swap_add;
	if (op->kind == SORO_FLUSH) {
		slot->wqe.flush_bytes = op->flush_bytes;
		slot->wqe.flush_type = op->flush_type;
		slot->wqe.flush_level = op->flush_level;
	} else {
		slot->wqe.compare = op->compare;
	}
	slot->wqe.status = op->take_status;
	soro_requester_take(&node->req);
	return true;
}

/* A fence holds until every earlier READ, atomic and FLUSH has its answer. */
static void check_fence(struct node *node, const struct soro_train *train)
{
	u32 op = slot_of(node, train->slot)->op;
	u32 i;

	if (!(node->side->ops[op].flags & SORO_WQE_FENCE) || train->offset)
		return;
	for (i = 0; i < op; i++) {
		const struct op *read = &node->side->ops[i];

		if ((op_has_answer(read) && !read->answered) ||
		    (op_brings_data(read) && read->placed != read->bytes))
			node_complain(node, "fence overrun");
	}
}

static bool copy_fails(const struct op *op, const struct soro_train *train)
{
	return !op_brings_data(op) && op->fail_at != NEVER &&
	       op->fail_at - train->offset < train->bytes;
}

static void build_train(struct node *node, const struct soro_train *plan, struct train *train)
{
	const struct soro_wqe *wqe = &slot_of(node, plan->slot)->wqe;
	const struct op *op = op_of(node, plan->slot);
	bool read = op_brings_data(op);
	u32 pmtu = node->req.cfg.pmtu_bytes;
	struct soro_pkt head = { .psn = plan->psn, .imm = wqe->imm };
	const u8 *payload = op->local + (read ? 0 : plan->offset);
	u32 left = read ? 0 : plan->bytes;
	u32 i;

	if (plan->kind == SORO_CMP_SWP || plan->kind == SORO_FETCH_ADD) {
		head.atomic.va = wqe->va;
		head.atomic.rkey = wqe->rkey;
		head.atomic.swap_add = wqe->swap_add;
		head.atomic.compare = wqe->compare;
	} else {
		head.reth.va = wqe->va + plan->offset;
		head.reth.rkey = wqe->rkey;
		head.reth.len = read ? plan->bytes : wqe->bytes;
	}
	if (plan->kind == SORO_FLUSH) {
		head.reth.len = wqe->flush_bytes;
		head.feth_type = wqe->flush_type;
		head.feth_level = wqe->flush_level;
	}
	for (i = 0; i < plan->n; i++) {
		struct soro_pkt pkt = packet_at(node, &head, plan->kind, i, plan->n, plan->first,
						plan->last, wqe->flags & SORO_WQE_IMM ?
						SORO_HDR_IMM : 0);

		pkt.payload_len = min(left, pmtu);
		if (i + 1 == plan->n)
			pkt.flags = (plan->ackreq ? SORO_PKT_ACKREQ : 0) |
				    (plan->last && wqe->flags & SORO_WQE_SOLICITED ?
				     SORO_PKT_SE : 0);
		train->frames[i] = frame_build(&pkt, payload + (read ? 0 : i * pmtu), node->id,
					       node->ip_id++);
		left -= pkt.payload_len;
	}
	train->n = plan->n;
	if (left)
		node_complain(node, "bytes of a train do not fit its packets");
}

/* A message begins for which no receive of the peer is known (IBA 9.7.7.2): one at a time. */
static void note_uncredited(struct node *node, const struct soro_train *plan)
{
	const struct soro_wqe *wqe = &slot_of(node, plan->slot)->wqe;
	struct op *op = op_of(node, plan->slot);
	u32 slot;

	if (!op_takes_recv(op) || plan->offset || node->req.unlimited ||
	    (s32)(wqe->takers - node->req.limit) < 0)
		return;
	for (slot = node->req.acked; slot != plan->slot; slot++) {
		if (op_takes_recv(op_of(node, slot)))
			node_complain(node, "a second message without a credit");
	}
	op->uncredited = true;
	node->uncredited++;
}

static void send_train(struct node *node, const struct soro_train *plan, u64 now)
{
	struct train train;

	trace(node, now, "send kind %u op %u psn %06x+%u (%u) offset %u bytes %u%s%s%s%s",
	      plan->kind, slot_of(node, plan->slot)->op, plan->psn, plan->n, plan->npsn,
	      plan->offset, plan->bytes, plan->first ? " first" : "", plan->last ? " last" : "",
	      plan->ackreq ? " ackreq" : "", plan->resend ? " again" : "");
	if (node->sc->unreliable && (plan->ackreq || plan->resend))
		node_complain(node, "UC asks for an ACK, or sends again");
	check_fence(node, plan);
	note_uncredited(node, plan);
	build_train(node, plan, &train);
	check_train(node, &train);
	soro_requester_sent(&node->req, plan, now);
	check_cursors(node);
	channel_send(node->ch, node->id, &train, now, node->mercy || node->sc->lossless);
}

static bool complete(struct node *node, u64 now);

static void transmit(struct node *node, u64 now)
{
	struct soro_train plan;

	for (;;) {
		if (node->req.head != node->req.acked)
			complete(node, now);
		while (node->side->take_greedily && take(node, now))
			;
		if (node->req.cur == node->req.tail && !take(node, now))
			return;
		if (!soro_requester_plan(&node->req, &node->side->limits, posted(node, now), now,
					 &plan)) {
			if (node->req.wait == SORO_WAIT_CREDITS && node->req.psn == node->req.una)
				node_complain(node, "waits for credits with nothing on its way");
			return;
		}
		if (refused(node, now))
			return;
		if (copy_fails(op_of(node, plan.slot), &plan)) {
			trace(node, now, "copy fails");
			soro_requester_fail(&node->req, plan.slot, SORO_ST_LOC_PROT);
			check_cursors(node);
		} else {
			send_train(node, &plan, now);
		}
	}
}

/* ---- requester: digest ---- */

/* The result of an atomic comes once. */
static bool store_result(struct node *node, const struct soro_req_step *step,
			 const struct soro_pkt *pkt)
{
	struct op *op = op_of(node, step->slot);

	if (step->n != 1 || op->placed || !op_brings_data(op) || op->kind == SORO_READ_REQ) {
		node_complain(node, "atomic result out of place");
		return false;
	}
	memcpy(op->local, &pkt->atomic_orig, sizeof(pkt->atomic_orig));
	op->placed = sizeof(pkt->atomic_orig);
	op->answered = true;
	return true;
}

/* Copy READ data to where it belongs; each byte comes once and in order. */
static bool place_read(struct node *node, const struct soro_req_step *step,
		       const struct soro_pkt *pkts, const u8 *const *payloads)
{
	struct op *op = op_of(node, step->slot);
	u32 at = step->offset, i;

	if (op->fail_at != NEVER && op->fail_at - at < step->bytes)
		return false;
	if (!op_brings_data(op) && (!op_has_answer(op) || op->answered || step->bytes))
		node_complain(node, "answer out of place");
	op->answered = true;
	if (!op_brings_data(op))
		return true;
	if (step->offset != op->placed || step->bytes > op->bytes - op->placed) {
		node_complain(node, "READ data out of place");
		return false;
	}
	for (i = 0; i < step->n; i++) {
		memcpy(op->local + at, payloads[i], pkts[i].payload_len);
		at += pkts[i].payload_len;
	}
	op->placed = at;
	if (at - step->offset != step->bytes)
		node_complain(node, "bytes of a READ step");
	return true;
}

static void digest(struct node *node, const struct soro_pkt *pkts, const u8 *const *payloads,
		   u32 n, u64 now)
{
	struct soro_req_step step;
	u32 i;

	for (i = 0; i < n; i += step.n) {
		soro_requester_judge(&node->req, pkts + i, n - i, now, &step);
		trace(node, now, "%s psn %06x syndrome %02x: %s+%u%s, una %06x",
		      pkts[i].row->name, pkts[i].psn, pkts[i].syndrome,
		      step.verdict == SORO_REQ_DROP ? "drop" :
		      step.verdict == SORO_REQ_DONE ? "done" : "place", step.n,
		      step.implied ? " implied NAK" : "", node->req.una);
		if (!step.n || step.n > n - i) {
			node_complain(node, "packets of a requester step");
			return;
		}
		check_cursors(node);
		if (step.verdict != SORO_REQ_PLACE && step.verdict != SORO_REQ_STORE)
			continue;
		if (step.verdict == SORO_REQ_STORE ? store_result(node, &step, pkts + i) :
						     place_read(node, &step, pkts + i, payloads + i))
			soro_requester_commit(&node->req, &step, now);
		else
			soro_requester_fail(&node->req, step.slot, SORO_ST_LOC_PROT);
		check_cursors(node);
	}
}

/* ---- responder ---- */

static bool range_ok(const struct node *node, const struct soro_range *range)
{
	const struct side *side = node->side;

	if (range->rkey != side->rkey || side->withdrawn)
		return false;
	return range->whole || (range->va >= side->base && range->bytes <= side->region_bytes &&
				range->va - side->base <= side->region_bytes - range->bytes);
}

static u8 *range_at(const struct node *node, const struct soro_range *range)
{
	return node->side->region + (range->va - node->side->base);
}

static bool recv_posted(const struct node *node, u32 i, u64 now)
{
	const struct side *side = node->side;
	const struct recv *before;

	if (i >= side->n_recvs || side->recvs[i].post_ns > now)
		return false;
	if (!side->recv_slots || i < side->recv_slots)
		return true;
	before = &side->recvs[i - side->recv_slots];
	return before->over && before->over_ns + side->repost_ns <= now;
}

/* Posted and not completed, with the one in hand. */
static u32 count_recvs(const struct node *node, u64 now)
{
	u32 n = 0;

	while (recv_posted(node, node->recv_next + n, now))
		n++;
	return n;
}

/* The peer knows that receive WQE @i is there, and has sent what takes it. */
static bool was_promised(const struct node *node, u32 i)
{
	const struct side *peer = node->peer_side;
	u32 op;

	for (op = 0; op < peer->n_ops; op++) {
		if (op_takes_recv(&peer->ops[op]) && !i--)
			return node->side->credits && !peer->ops[op].uncredited;
	}
	return true;
}

static void fetch_recv(struct node *node, struct soro_rsp_answer *answer, u64 now)
{
	const struct recv *recv = &node->side->recvs[node->recv_next];

	if (!node->recv_hand && !recv_posted(node, node->recv_next, now)) {
		if (was_promised(node, node->recv_next))
			node_complain(node, "no receive for a message that had a credit");
		return;
	}
	node->recv_hand = true;
	answer->recv_found = true;
	answer->recv_capacity = recv->capacity;
	if (recv->bad)
		answer->fault = SORO_FAULT_RECV_BAD;
}

static void finish_recv(struct node *node, u8 status, const struct soro_rsp_step *step, u64 now)
{
	struct recv *recv = &node->side->recvs[node->recv_next];

	if (!node->recv_hand) {
		node_complain(node, "completion without a receive WQE");
		return;
	}
	node->recv_hand = false;
	node->recv_next++;
	recv->over = true;
	recv->over_ns = now;
	recv->status = status;
	recv->length = step->length;
	recv->has_imm = step->has_imm;
	recv->imm = step->imm;
	recv->solicited = step->solicited;
	recv->is_write = step->is_write;
}

static void enter_error(struct node *node, bool by_peer, u64 now)
{
	if (node->error)
		return;
	trace(node, now, "QP in error");
	node->error = true;
	node->by_peer = by_peer;
	node->rsp.dead = true;
	soro_requester_flush(&node->req);
}

static void suffer(struct node *node, struct soro_rsp_step *step, u64 now)
{
	const struct soro_fault_row *row = soro_fault_row(step->fault);

	node->faults++;
	trace(node, now, "fault %u", step->fault);
	if (row->responder != SORO_ST_SUCCESS && node->recv_hand)
		finish_recv(node, row->responder, step, now);
	if (node->sc->unreliable)
		enter_error(node, true, now);
}

static void execute_atomic(struct node *node, struct soro_rsp_step *step,
			   const struct soro_pkt *pkt)
{
	u8 *cell = range_at(node, &step->range);
	u64 value;

	memcpy(&step->orig, cell, sizeof(step->orig));
	value = step->orig;
	if (pkt->row->kind == SORO_FETCH_ADD)
		value += pkt->atomic.swap_add;
	else if (value == pkt->atomic.compare)
		value = pkt->atomic.swap_add;
	memcpy(cell, &value, sizeof(value));
}

/* FLUSH number @i of those that @side posts, NULL if it posts fewer. */
static const struct op *flush_of(const struct side *side, u32 i)
{
	u32 op;

	for (op = 0; op < side->n_ops; op++) {
		if (side->ops[op].kind == SORO_FLUSH && !i--)
			return &side->ops[op];
	}
	return NULL;
}

/* All that was posted before a FLUSH is in memory when it is executed, nothing that came later. */
static void execute_flush(struct node *node, const struct soro_pkt *pkt)
{
	const struct op *op = flush_of(node->peer_side, node->flushes++);

	if (!op || pkt->reth.va != op->va || pkt->reth.rkey != op->rkey ||
	    pkt->reth.len != op->flush_bytes || pkt->feth_level != op->flush_level)
		node_complain(node, "a FLUSH that is not the next one");
	else if (memcmp(node->side->region, op->expected, node->side->region_bytes))
		node_complain(node, "memory when a FLUSH is executed");
}

static bool place(struct node *node, struct soro_rsp_step *step,
		  const struct soro_pkt *pkts, const u8 *const *payloads)
{
	const struct recv *recv = &node->side->recvs[node->recv_next];
	u8 *to = NULL;
	u32 i;

	if (step->act == SORO_ACT_ATOMIC) {
		execute_atomic(node, step, pkts);
	} else if (step->act == SORO_ACT_FLUSH) {
		execute_flush(node, pkts);
	} else if (step->act == SORO_ACT_WRITE || step->act == SORO_ACT_STORE) {
		to = range_at(node, &step->range);
	} else if (step->act == SORO_ACT_RECV) {
		if (recv->prot)
			return false;
		if (!node->recv_hand || step->offset + step->bytes > recv->capacity)
			node_complain(node, "receive WQE overrun");
		to = recv->buffer + step->offset;
	}
	for (i = 0; i < step->n && to && !node->broken; i++) {
		memcpy(to, payloads[i], pkts[i].payload_len);
		to += pkts[i].payload_len;
	}
	return true;
}

static void execute(struct node *node, struct soro_rsp_step *step, const struct soro_pkt *pkts,
		    const u8 *const *payloads, u64 now)
{
	struct soro_rsp_answer answer = { 0 };

	if (step->need & SORO_NEED_RECV)
		fetch_recv(node, &answer, now);
	if (step->need & SORO_NEED_RANGE && !range_ok(node, &step->range))
		answer.fault = SORO_FAULT_ACCESS;
	if (soro_responder_resolve(&node->rsp, step, &answer) != SORO_RSP_EXECUTE)
		return;
	if (!place(node, step, pkts, payloads)) {
		soro_responder_refuse(&node->rsp, step, SORO_FAULT_RECV_PROT);
		return;
	}
	soro_responder_commit(&node->rsp, step);
	if (step->complete)
		finish_recv(node, SORO_ST_SUCCESS, step, now);
}

/* Keep what came beyond a gap; now and then there is no room. */
static bool hold(struct node *node, const struct soro_pkt *pkts, const u8 *const *payloads, u32 n)
{
	struct held *held = NULL;
	u32 i;

	for (i = 0; i < HELD_MAX; i++) {
		if (!node->held[i].used)
			held = &node->held[i];
		else if (node->held[i].pkts[0].psn == pkts[0].psn)
			return false;
	}
	if (!held || !node->side->holds || rng_chance(&node->sc->rng, 50))
		return false;
	held->used = true;
	for (i = 0; i < n; i++) {
		held->pkts[i] = pkts[i];
		held->payloads[i] = malloc(pkts[i].payload_len + 1);
		if (!held->payloads[i])
			abort();
		memcpy(held->payloads[i], payloads[i], pkts[i].payload_len);
	}
	held->n = n;
	return true;
}

static void answer(struct node *node, const struct soro_pkt *pkts, const u8 *const *payloads,
		   u32 n, u64 now)
{
	static const char * const verdicts[] = { "execute", "answer", "hold", "drop" };
	struct soro_rsp_step step;
	u32 i;

	for (i = 0; i < n; i += step.n) {
		soro_responder_judge(&node->rsp, pkts + i, n - i, &step);
		if (!step.n || step.n > n - i) {
			node_complain(node, "packets of a responder step");
			return;
		}
		if (step.verdict == SORO_RSP_EXECUTE)
			execute(node, &step, pkts + i, payloads + i, now);
		if (step.verdict != SORO_RSP_DROP && step.fault)
			suffer(node, &step, now);
		else if (step.verdict == SORO_RSP_HOLD &&
			 !hold(node, pkts + i, payloads + i, step.n))
			soro_responder_dropped(&node->rsp, &step);
		if (node->sc->unreliable && soro_responder_owes(&node->rsp))
			node_complain(node, "UC owes an answer");
		trace(node, now, "%s psn %06x: %s+%u%s%s, epsn %06x owed %u", pkts[i].row->name,
		      pkts[i].psn, verdicts[step.verdict], step.n,
		      step.duplicate ? " duplicate" : "", step.complete ? " complete" : "",
		      node->rsp.epsn, node->rsp.owed);
	}
}

static struct held *next_held(struct node *node)
{
	u32 i;

	for (i = 0; i < HELD_MAX; i++) {
		struct held *held = &node->held[i];

		if (held->used && soro_psn_diff(held->pkts[0].psn, node->rsp.epsn) <= 0)
			return held;
	}
	return NULL;
}

/* What was kept, as far as the gap before it is filled. */
static void answer_held(struct node *node, u64 now)
{
	struct held *held, copy;
	bool any = false;
	u32 i;

	while ((held = next_held(node))) {
		any = true;
		copy = *held;
		held->used = false;
		held->n = 0;
		answer(node, copy.pkts, (const u8 *const *)copy.payloads, copy.n, now);
		release(&copy);
	}
	for (i = 0; i < HELD_MAX; i++) {
		if (any && node->held[i].used)
			soro_responder_gap(&node->rsp);
	}
}

/* ---- responder: replies ---- */

static bool unreadable(const struct node *node, const struct soro_reply *reply)
{
	u64 gone = node->side->base + node->side->gone_at;

	if (!reply->range.bytes)
		return false;
	if (node->side->gone_at != NEVER && gone - reply->range.va < reply->range.bytes)
		return true;
	return !range_ok(node, &reply->range);
}

static void build_reply(struct node *node, const struct soro_reply *reply, struct train *train)
{
	struct soro_pkt head = {
		.psn = reply->psn, .syndrome = reply->syndrome, .msn = reply->msn,
		.atomic_orig = reply->orig,
	};
	bool read = reply->kind == SORO_READ_RESP;
	u32 pmtu = node->rsp.cfg.pmtu_bytes;
	u32 left = read ? reply->range.bytes : 0;
	const u8 *from = left ? range_at(node, &reply->range) : NULL;
	u32 i;

	for (i = 0; i < reply->n; i++) {
		struct soro_pkt pkt = packet_at(node, &head, reply->kind, i, reply->n,
						!read || reply->first, !read || reply->last, 0);

		pkt.payload_len = min(left, pmtu);
		train->frames[i] = frame_build(&pkt, from ? from : (const u8 *)"", node->id,
					       node->ip_id++);
		from = from ? from + pkt.payload_len : NULL;
		left -= pkt.payload_len;
	}
	train->n = reply->n;
	if (left)
		node_complain(node, "bytes of a reply do not fit its packets");
}

static void reply_all(struct node *node, u64 now)
{
	struct soro_reply reply;
	struct train train;

	if (node->side->credits)
		soro_responder_credits(&node->rsp, count_recvs(node, now));
	while (!node->error && soro_responder_reply(&node->rsp, &node->side->limits, &reply)) {
		if (refused(node, now))
			return;
		if (reply.kind == SORO_READ_RESP && unreadable(node, &reply)) {
			node->faults += soro_responder_unreadable(&node->rsp, &reply);
			continue;
		}
		trace(node, now, "reply kind %u psn %06x+%u syndrome %02x%s", reply.kind, reply.psn,
		      reply.n, reply.syndrome, reply.fatal ? " fatal" : "");
		build_reply(node, &reply, &train);
		check_train(node, &train);
		soro_responder_replied(&node->rsp, &reply);
		channel_send(node->ch, node->id, &train, now, node->mercy || node->sc->lossless);
		if (reply.fatal)
			enter_error(node, true, now);
	}
}

/* ---- driving ---- */

static void flush_ring(struct node *node)
{
	while (node->taken < node->side->n_ops) {
		struct op *op = &node->side->ops[node->taken++];

		op->over = true;
		op->status = SORO_ST_FLUSH;
		node->over++;
	}
}

/* SQE to RTS: the application has taken the errors and goes on. */
static void resume(struct node *node, u64 now)
{
	trace(node, now, "out of SQE");
	if (node->req.head != node->req.tail)
		node_complain(node, "a WQE left behind in SQE");
	soro_requester_init(&node->req, node->req.nxt);
}

/* Return: true if the QP has left SQE, so that what waits may go. */
static bool complete(struct node *node, u64 now)
{
	bool stopped = false;
	struct soro_req_done done;

	while (soro_requester_pop(&node->req, &done)) {
		struct op *op = op_of(node, done.slot);

		trace(node, now, "op %u over, status %u", slot_of(node, done.slot)->op,
		      done.status);
		if (op->over || slot_of(node, done.slot)->op != node->over)
			node_complain(node, "completion out of order or twice");
		if (done.completion != (done.status != SORO_ST_SUCCESS ||
					!!(op->flags & SORO_WQE_SIGNALED)))
			node_complain(node, "completion due or not");
		op->over = true;
		op->status = done.status;
		node->over++;
		stopped |= done.error && node->sc->unreliable;
		if (done.error && !node->sc->unreliable)
			enter_error(node, false, now);
	}
	/* Who has all answers of RC may tell the other end, which ends its key then. */
	if (!node->sc->unreliable && !node->error && node->over == node->side->n_ops)
		node->peer_side->withdrawn = true;
	stopped = stopped && !node->error;
	if (stopped)
		resume(node, now);
	if (node->error && node->req.head == node->req.tail)
		flush_ring(node);
	return stopped;
}

/**
 * node_run() - do what can be done now
 * @node: node
 * @now: ns
 */
void node_run(struct node *node, u64 now)
{
	u8 retry_left = node->req.retry_left;

	if (node->backoff_ns && node->backoff_ns <= now)
		node->backoff_ns = 0;
	soro_requester_timeout(&node->req, now);
	if (node->req.retry_left < retry_left) {
		node->timeouts++;
		trace(node, now, "timeout, una %06x, %u retries left", node->req.una,
		      node->req.retry_left);
	}
	complete(node, now);
	if (!node->backoff_ns)
		reply_all(node, now);
	if (!node->backoff_ns)
		transmit(node, now);
	while (complete(node, now) && !node->backoff_ns)
		transmit(node, now);
	check_cursors(node);
}

/**
 * node_receive() - a train arrives
 * @node: node
 * @train: packets
 * @now: ns
 *
 * A packet that does not stand the parse leaves a gap.
 */
void node_receive(struct node *node, const struct train *train, u64 now)
{
	struct soro_pkt pkts[TRAIN_MAX];
	const u8 *payloads[TRAIN_MAX];
	u32 n = 0, i, from;

	for (i = 0; i < train->n; i++) {
		if (!frame_parse(train->frames[i], !node->id, &pkts[n]))
			continue;
		payloads[n] = train->frames[i]->bytes + pkts[n].hdr_len;
		n++;
	}
	for (from = 0; from < n; from = i) {
		bool response = pkts[from].row->response;

		for (i = from; i < n && pkts[i].row->response == response; i++)
			;
		if (response)
			digest(node, pkts + from, payloads + from, i - from, now);
		else
			answer(node, pkts + from, payloads + from, i - from, now);
		answer_held(node, now);
	}
}

static void earlier(u64 *next, u64 at)
{
	if (at && (!*next || at < *next))
		*next = at;
}

/**
 * node_next() - when the node wants to run again, if nothing arrives
 * @node: node
 * @now: ns
 *
 * Return: ns, 0 = never.
 */
u64 node_next(const struct node *node, u64 now)
{
	u64 next = soro_requester_deadline(&node->req);

	earlier(&next, node->backoff_ns);
	if (node->taken < node->side->n_ops && node->side->ops[node->taken].post_ns > now)
		earlier(&next, node->side->ops[node->taken].post_ns);
	return next;
}

/* Everything that was to be done is done. */
bool node_idle(const struct node *node)
{
	return node->over == node->side->n_ops && !node->backoff_ns;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: a requester and a responder, both real, with a network between
 * them that the input plays: it delivers, loses, copies and reorders.
 *
 * Every message must be executed once, in order and whole; READs and atomics bring
 * what was there; a FLUSH is over when its answer has come, not before. In the end the
 * network is perfect, and everything must be over.
 */
#include <linux/kernel.h>

#include "train.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/window.h"

#define STEPS_MAX	400
#define OPS_MAX		200
#define SLOTS		16
#define LANE_MAX	256
#define HELD_MAX	4
#define PMTU		256
#define SETTLE_ROUNDS	4000

struct op {
	u8 kind;
	u8 flags;
	u32 bytes;
	u32 placed;	/* by the requester: data of a READ, result of an atomic */
	u64 orig;	/* found by an atomic */
	u32 flush_bytes;
	u8 flush_level;
	bool executed;
	bool answered;	/* by more than an ACK */
	bool uncredited;	/* went without a receive being known for it */
};

/* A packet, and what its payload is: bytes of an operation from an offset on. */
struct packet {
	struct soro_pkt pkt;
	u32 op;
	u32 offset;
};

struct lane {
	struct packet packets[LANE_MAX];
	u32 n;
};

struct batch {
	struct soro_pkt pkts[TRAIN_MAX];
	struct packet packets[TRAIN_MAX];
	u32 n;
};

struct model {
	struct input in;
	struct soro_requester req;
	struct soro_responder rsp;
	struct soro_wqe slots[SLOTS];
	struct op ops[OPS_MAX];
	u32 posted, taken, popped;
	u32 executing;	/* operation that the responder executes next */
	u32 executed;	/* bytes of it */
	bool hand;
	u32 recvs;	/* receive WQEs posted */
	bool credits;	/* the peer is told of them */
	struct lane there, back;
	struct batch held[HELD_MAX];
	u64 now;
	bool lost;	/* the network lost something, or what is as bad */
	bool error;	/* retries exceeded */
};

static bool is_atomic(u8 kind)
{
	return kind == SORO_CMP_SWP || kind == SORO_FETCH_ADD || kind == SORO_ATOMIC_WRITE;
}

/* Whether an ACK does not complete it. */
static bool is_read(u8 kind)
{
	return kind == SORO_READ_REQ || is_atomic(kind) || kind == SORO_FLUSH;
}

static bool is_message(const struct soro_pkt *pkt)
{
	return pkt->row->kind == SORO_SEND || pkt->row->kind == SORO_WRITE;
}

static u64 va_of_op(u32 op)
{
	return 0x100000ULL * (op + 1);
}

/* ---- the network ---- */

static void put(struct model *m, struct lane *lane, struct soro_pkt *fields, u32 op, u32 offset)
{
	struct train train = { 0 };

	must(train_add(&train, fields), "what the engine sends is well formed");
	if (lane->n == LANE_MAX) {
		m->lost = true;
		return;
	}
	lane->packets[lane->n++] = (struct packet) { train.pkts[0], op, offset };
}

/* Take @n packets from @at on, as one train; they stay if they are copied. */
static void take_batch(struct lane *lane, u32 at, u32 n, bool copy, struct batch *batch)
{
	u32 i;

	batch->n = min3(n, lane->n - at, (u32)TRAIN_MAX);
	for (i = 0; i < batch->n; i++) {
		batch->packets[i] = lane->packets[at + i];
		batch->pkts[i] = lane->packets[at + i].pkt;
	}
	if (copy)
		return;
	lane->n -= batch->n;
	memmove(lane->packets + at, lane->packets + at + batch->n,
		(lane->n - at) * sizeof(lane->packets[0]));
}

/* ---- the requester's driver ---- */

static void fuzz_post(struct model *m)
{
	static const u8 kinds[] = {
		SORO_SEND, SORO_WRITE, SORO_READ_REQ, SORO_WRITE, SORO_SEND, SORO_READ_REQ,
		SORO_FETCH_ADD, SORO_ATOMIC_WRITE, SORO_CMP_SWP,
	};
	u8 how = input_u8(&m->in), size = input_u8(&m->in);
	struct op *op = &m->ops[m->posted];

	if (m->posted == OPS_MAX)
		return;
	op->kind = kinds[how % ARRAY_SIZE(kinds)];
	op->flags = (how & 0x80 ? SORO_WQE_SIGNALED : 0) | (how & 0x40 ? SORO_WQE_FENCE : 0);
	if (how & 0x20 && (op->kind == SORO_SEND || op->kind == SORO_WRITE))
		op->flags |= SORO_WQE_IMM;
	op->bytes = is_atomic(op->kind) ? sizeof(u64) : (size >> 4) * PMTU + size % 16 * 17;
	if (op->kind == SORO_ATOMIC_WRITE && how & 0x20) {	/* every second one */
		op->kind = SORO_FLUSH;
		op->bytes = 0;
		op->flush_bytes = (size >> 1) * PMTU;
		op->flush_level = size & 1;
	}
	m->posted++;
}

static bool take(struct model *m)
{
	struct soro_wqe *wqe = soro_requester_slot(&m->req, m->req.tail);
	const struct op *op = &m->ops[m->taken];

	if (m->taken == m->posted || !soro_requester_room(&m->req))
		return false;
	*wqe = (struct soro_wqe) {
		.va = va_of_op(m->taken), .rkey = m->taken + 1, .bytes = op->bytes,
		.kind = op->kind, .flags = op->flags,
	};
	if (op->kind == SORO_FLUSH) {
		wqe->flush_bytes = op->flush_bytes;
		wqe->flush_type = SORO_FLUSH_GLOBAL;
		wqe->flush_level = op->flush_level;
	}
	m->taken++;
	soro_requester_take(&m->req);
	return true;
}

static void send_packets(struct model *m, const struct soro_train *train)
{
	const struct op *op = &m->ops[train->slot];
	bool has_payload = op->kind == SORO_SEND || op->kind == SORO_WRITE ||
			   op->kind == SORO_ATOMIC_WRITE;
	u32 left = has_payload ? train->bytes : 0, i;

	for (i = 0; i < train->n; i++) {
		bool last = train->last && i + 1 == train->n;
		u8 pos = (train->first && !i ? SORO_FIRST : 0) | (last ? SORO_LAST : 0);
		struct soro_pkt pkt = { .psn = soro_psn_add(train->psn, i) };

		pkt.opcode = soro_opcode_make(SORO_RC, op->kind, pos, last && op->flags &
					      SORO_WQE_IMM ? SORO_HDR_IMM : 0);
		if (op->kind == SORO_CMP_SWP || op->kind == SORO_FETCH_ADD) {
			pkt.atomic.va = va_of_op(train->slot);
			pkt.atomic.rkey = train->slot + 1;
		} else {
			pkt.reth.va = va_of_op(train->slot) + train->offset;
			pkt.reth.rkey = train->slot + 1;
			pkt.reth.len = op->kind == SORO_READ_REQ ? train->bytes : op->bytes;
		}
		if (op->kind == SORO_FLUSH) {
			pkt.reth.len = op->flush_bytes;
			pkt.feth_type = SORO_FLUSH_GLOBAL;
			pkt.feth_level = op->flush_level;
		}
		pkt.payload_len = train_payload(left, PMTU);
		pkt.flags = i + 1 == train->n && train->ackreq ? SORO_PKT_ACKREQ : 0;
		put(m, &m->there, &pkt, train->slot, train->offset + i * PMTU);
		left -= pkt.payload_len;
	}
	must(!left, "bytes of a train");
}

static void pop_all(struct model *m)
{
	struct soro_req_done done;

	while (soro_requester_pop(&m->req, &done)) {
		const struct op *op = &m->ops[done.slot];

		trace("pop %u status %u\n", done.slot, done.status);
		must(done.slot == m->popped++, "order of completions");
		if (done.status != SORO_ST_SUCCESS) {
			must(done.status == SORO_ST_RETRY_EXC || done.status == SORO_ST_FLUSH,
			     "no fault but loss");
			m->error = true;
			continue;
		}
		must(!m->error && op->executed, "success of what was not executed");
		if (is_read(op->kind))
			must(op->answered && op->placed == op->bytes, "success without the data");
	}
}

static void note_credit(struct model *m, const struct soro_train *train)
{
	const struct soro_wqe *wqe = soro_requester_slot(&m->req, train->slot);

	if (train->first && !m->req.unlimited && soro_window_takes_receive(wqe))
		m->ops[train->slot].uncredited |= wqe->takers >= m->req.limit;
}

/* Return: how many of @trains were sent. */
static u32 transmit(struct model *m, const struct soro_train_limits *limits, u32 trains)
{
	struct soro_train train;
	u32 sent;

	pop_all(m);
	for (sent = 0; sent < trains && !m->error; sent++) {
		if (m->req.cur == m->req.tail && !take(m))
			return sent;
		if (!soro_requester_plan(&m->req, limits, m->taken < m->posted, m->now, &train))
			return sent;
		trace("send %u psn %06x+%u in %u%s%s\n", train.slot, train.psn, train.npsn,
		      train.n, train.ackreq ? " ackreq" : "", train.resend ? " again" : "");
		note_credit(m, &train);
		soro_requester_sent(&m->req, &train, m->now);
		send_packets(m, &train);
	}
	return sent;
}

static void place(struct model *m, const struct soro_req_step *step, const struct packet *packets)
{
	struct op *op = &m->ops[step->slot];
	u32 at = step->offset, i;

	for (i = 0; i < step->n; i++) {
		must(packets[i].op == step->slot, "data of another operation");
		if (step->verdict == SORO_REQ_STORE)
			must(packets[i].pkt.atomic_orig == op->orig, "result of an atomic");
		else
			must(packets[i].offset == at || !packets[i].pkt.payload_len,
			     "data of another place");
		at += packets[i].pkt.payload_len;
	}
	must(op->kind == SORO_READ_REQ ? op->placed == step->offset : !op->answered,
	     "data comes once");
	op->placed += is_atomic(op->kind) ? sizeof(u64) : step->bytes;
	op->answered = true;
	soro_requester_commit(&m->req, step, m->now);
}

static void digest(struct model *m, const struct batch *batch)
{
	struct soro_req_step step;
	u32 i;

	for (i = 0; i < batch->n; i += step.n) {
		soro_requester_judge(&m->req, batch->pkts + i, batch->n - i, m->now, &step);
		trace("%s psn %06x syndrome %02x: verdict %u drop %u, una %06x psn %06x nxt %06x\n",
		      batch->pkts[i].row->name, batch->pkts[i].psn, batch->pkts[i].syndrome,
		      step.verdict, step.drop, m->req.una, m->req.psn, m->req.nxt);
		if (step.verdict == SORO_REQ_PLACE || step.verdict == SORO_REQ_STORE)
			place(m, &step, batch->packets + i);
		/* An answer ahead of its turn is as good as lost: only a deadline asks again. */
		else if (step.verdict == SORO_REQ_DROP)
			m->lost |= soro_psn_between(batch->pkts[i].psn, m->req.una,
						    (m->req.nxt - m->req.una) & SORO_PSN_MASK);
	}
}

/* ---- the responder's driver ---- */

static void executed(struct model *m, struct op *op)
{
	must(!op->executed, "executed twice");
	op->executed = true;
	m->executing++;
	m->executed = 0;
}

/* New packets are the next of the operation that is being executed. */
static void check_order(struct model *m, const struct soro_rsp_step *step,
			const struct packet *packets)
{
	struct op *op = &m->ops[m->executing];
	u32 i;

	for (i = 0; i < step->n; i++) {
		must(packets[i].op == m->executing, "order of operations");
		must(packets[i].offset == m->executed, "order of bytes");
		m->executed += packets[i].pkt.payload_len;
		if (!is_message(&packets[i].pkt) || packets[i].pkt.row->pos & SORO_LAST) {
			must(op->kind == SORO_READ_REQ || op->kind == SORO_CMP_SWP ||
			     op->kind == SORO_FETCH_ADD || m->executed == op->bytes,
			     "all bytes of a message");
			must(i + 1 == step->n, "one operation a step");
			executed(m, op);
		}
	}
}

/* The operation's own range, or all that its key names. */
static void check_range(const struct op *op, u32 number, const struct soro_range *range)
{
	u32 bytes = op->kind == SORO_FLUSH ? op->flush_bytes : op->bytes;

	must(range->rkey == number + 1 && range->va >= va_of_op(number) &&
	     range->va + range->bytes <= va_of_op(number) + bytes, "range of an operation");
	must(range->whole == (op->kind == SORO_FLUSH && op->flush_level == SORO_FLUSH_REGION),
	     "level of a FLUSH");
	must((range->right == SORO_RIGHT_FLUSH) == (op->kind == SORO_FLUSH), "right of a FLUSH");
}

static void execute(struct model *m, struct soro_rsp_step *step, const struct packet *packets)
{
	struct soro_rsp_answer answer = { .recv_capacity = 1 << 20 };
	struct op *op = &m->ops[packets->op];

	if (step->need & SORO_NEED_RECV) {
		if (!m->hand && m->recvs) {
			m->recvs--;
			m->hand = true;
		}
		answer.recv_found = m->hand;
	}
	if (step->need & SORO_NEED_RANGE)
		check_range(op, packets->op, &step->range);
	if (soro_responder_resolve(&m->rsp, step, &answer) != SORO_RSP_EXECUTE) {
		must(!step->fault && !answer.recv_found, "a fault from nowhere");
		must(!m->credits || op->uncredited, "no receive for what had a credit");
		return;
	}
	must(!step->duplicate || op->kind == SORO_READ_REQ, "only a READ is executed again");
	must((step->act == SORO_ACT_FLUSH) == (op->kind == SORO_FLUSH), "act of a FLUSH");
	if (step->act == SORO_ACT_ATOMIC) {
		step->orig = 0x1000 + m->executing;
		op->orig = step->orig;
	}
	soro_responder_commit(&m->rsp, step);
	if (step->complete)
		m->hand = false;
	if (!step->duplicate)
		check_order(m, step, packets);
}

static bool hold(struct model *m, const struct batch *batch, u32 from)
{
	u32 i, k;

	for (k = 0; k < HELD_MAX; k++) {
		struct batch *held = &m->held[k];

		if (held->n)
			continue;
		held->n = batch->n - from;
		for (i = 0; i < held->n; i++) {
			held->pkts[i] = batch->pkts[from + i];
			held->packets[i] = batch->packets[from + i];
		}
		return true;
	}
	return false;
}

/* Dropped beyond a gap. If its NAK has gone out, this may be what the peer sent in answer to it. */
static void note_dropped(struct model *m)
{
	m->lost |= m->rsp.owed != SORO_OWE_SEQUENCE && m->rsp.owed != SORO_OWE_RNR;
}

static void answer(struct model *m, const struct batch *batch)
{
	struct soro_rsp_step step;
	u32 i;

	for (i = 0; i < batch->n; i += step.n) {
		soro_responder_judge(&m->rsp, batch->pkts + i, batch->n - i, &step);
		trace("%s psn %06x: verdict %u+%u%s drop %u, epsn %06x\n", batch->pkts[i].row->name,
		      batch->pkts[i].psn, step.verdict, step.n, step.duplicate ? " duplicate" : "",
		      step.drop, m->rsp.epsn);
		must(!step.fault && !m->rsp.dead, "a fault from nowhere");
		if (step.verdict == SORO_RSP_EXECUTE)
			execute(m, &step, batch->packets + i);
		else if (step.verdict == SORO_RSP_HOLD &&
			 !(step.n == batch->n - i && hold(m, batch, i))) {
			soro_responder_dropped(&m->rsp, &step);
			note_dropped(m);
		} else if (step.verdict == SORO_RSP_DROP) {
			note_dropped(m);
		}
	}
}

static void answer_held(struct model *m)
{
	bool any = false, more = false;
	u32 k;

	for (k = 0; k < HELD_MAX; k++) {
		struct batch batch = m->held[k];

		if (!batch.n || soro_psn_diff(batch.pkts[0].psn, m->rsp.epsn) > 0)
			continue;
		m->held[k].n = 0;
		more = true;
		answer(m, &batch);
		k = -1;
	}
	for (k = 0; k < HELD_MAX; k++)
		any |= m->held[k].n;
	if (any && more)
		soro_responder_gap(&m->rsp);
}

static void reply_packets(struct model *m, const struct soro_reply *reply)
{
	bool read = reply->kind == SORO_READ_RESP;
	u32 op = reply->kind == SORO_ACK ? 0 : reply->range.rkey - 1;
	u32 offset = reply->range.va - va_of_op(op);
	u32 left = read ? reply->range.bytes : 0, i;

	for (i = 0; i < reply->n; i++) {
		bool last = !read || (reply->last && i + 1 == reply->n);
		u8 pos = ((!read || reply->first) && !i ? SORO_FIRST : 0) | (last ? SORO_LAST : 0);
		struct soro_pkt pkt = {
			.psn = soro_psn_add(reply->psn, i), .syndrome = reply->syndrome,
			.msn = reply->msn, .payload_len = train_payload(left, PMTU),
			.opcode = soro_opcode_make(SORO_RC, reply->kind, pos, 0),
		};

		if (reply->kind == SORO_ATOMIC_ACK)
			pkt.atomic_orig = reply->orig;
		put(m, &m->back, &pkt, op, offset + i * PMTU);
		left -= pkt.payload_len;
	}
	must(!left, "bytes of a reply");
}

static void reply(struct model *m, const struct soro_train_limits *limits, u32 trains)
{
	struct soro_reply reply;

	if (m->credits)
		soro_responder_credits(&m->rsp, m->recvs + m->hand);
	while (trains-- && soro_responder_reply(&m->rsp, limits, &reply)) {
		must(!reply.fatal, "a fault from nowhere");
		trace("reply kind %u psn %06x+%u syndrome %02x\n", reply.kind, reply.psn, reply.n,
		      reply.syndrome);
		soro_responder_replied(&m->rsp, &reply);
		reply_packets(m, &reply);
	}
}

/* ---- what the input plays ---- */

static void deliver(struct model *m, bool there, u32 at, u32 n, bool copy)
{
	struct lane *lane = there ? &m->there : &m->back;
	struct batch batch;

	take_batch(lane, at, n, copy, &batch);
	if (!batch.n)
		return;
	if (!there) {
		digest(m, &batch);
		return;
	}
	answer(m, &batch);
	answer_held(m);
}

static void fuzz_network(struct model *m, u8 op)
{
	struct lane *lane = op & 1 ? &m->there : &m->back;
	u8 how = input_u8(&m->in);
	u32 n = 1 + (how & 0xf), at = 0;
	struct batch batch;

	if (how & 0x80)
		at = input_u8(&m->in);
	if (!lane->n)
		return;
	at %= lane->n;
	if ((how & 0x70) == 0x70) {
		take_batch(lane, at, n, false, &batch);
		trace("lost %u\n", batch.n);
		m->lost |= batch.n;
		return;
	}
	deliver(m, op & 1, at, n, (how & 0x70) == 0x60);
}

static void fuzz_time(struct model *m)
{
	u64 deadline = soro_requester_deadline(&m->req);
	u8 how = input_u8(&m->in);

	m->now = how & 1 ? max(m->now, deadline) : m->now + how * 500;
	trace("time %llu\n", m->now);
	soro_requester_timeout(&m->req, m->now);
}

static void start(struct model *m)
{
	static const u64 timeouts[] = { 0, 4096ULL << 8, 4096ULL << 14, 4096ULL << 24 };
	u8 how = input_u8(&m->in);
	struct soro_requester_config cfg = {
		.pmtu_bytes = PMTU, .timeout_ns = timeouts[how & 3], .retry_cnt = 7, .rnr_retry = 7,
		.reads_max = 1 + (how >> 2 & 3),
	};

	m->now = 1000;
	m->req.wqes = m->slots;
	m->req.stride = sizeof(m->slots[0]);
	m->req.mask = how & 0x10 ? SLOTS - 1 : 3;
	soro_requester_reset(&m->req);
	soro_requester_configure(&m->req, &cfg, m->now);
	soro_requester_init(&m->req, 0xfffff0);
	m->rsp.cfg = (struct soro_responder_config) {
		.pmtu_bytes = PMTU, .min_rnr_timer = 1, .reads_max = cfg.reads_max,
		.allow_write = true, .allow_read = true, .allow_atomic = true,
		.allow_flush = true,
	};
	soro_responder_init(&m->rsp, 0xfffff0);
	m->recvs = how >> 5;
	m->credits = how % 3;
}

/* A perfect network, receive WQEs in plenty: everything ends. */
static void settle(struct model *m)
{
	struct soro_train_limits limits = { .packets = 16, .bytes = 65000 };
	u32 rounds;

	m->recvs = OPS_MAX;
	for (rounds = 0; rounds < SETTLE_ROUNDS; rounds++) {
		u32 sent = transmit(m, &limits, 4);
		u64 deadline;

		if (m->error || m->popped == m->posted)
			return;
		while (m->there.n)
			deliver(m, true, 0, TRAIN_MAX, false);
		reply(m, &limits, 100);
		if (sent || m->back.n) {
			while (m->back.n)
				deliver(m, false, 0, TRAIN_MAX, false);
			continue;
		}
		deadline = soro_requester_deadline(&m->req);
		if (!deadline) {
			must(m->lost && !m->req.cfg.timeout_ns, "everybody waits");
			return;
		}
		m->now = max(m->now, deadline);
		soro_requester_timeout(&m->req, m->now);
	}
	must(false, "no end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct model m;
	u32 steps;

	memset(&m, 0, sizeof(m));
	m.in = (struct input) { .at = data, .left = size };
	start(&m);
	for (steps = 0; steps < STEPS_MAX && !input_empty(&m.in) && !m.error; steps++) {
		struct soro_train_limits limits = { .packets = 16, .bytes = 65000 };
		u8 op = input_u8(&m.in);

		if (op & 0x08)
			limits.packets = 1 + (op & 7);
		if (op < 0x30)
			fuzz_post(&m);
		else if (op < 0x58)
			transmit(&m, &limits, 1 + op % 8);
		else if (op < 0xc0)
			fuzz_network(&m, op);
		else if (op < 0xe0)
			reply(&m, &limits, 1 + op % 4);
		else if (op < 0xf0)
			fuzz_time(&m);
		else
			m.recvs += op & 3;
	}
	settle(&m);
	return 0;
}

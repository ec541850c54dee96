// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: UC, both ends. A responder under any requests and any driver; a requester
 * under any posts, answers and failures.
 *
 * The input is a program, as for the targets of RC. A model counts what must be executed: whole
 * messages, in the order of PSNs, and nothing of what lacks a packet.
 */
#include <linux/kernel.h>

#include "train.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/unreliable.h"
#include "engine/window.h"

#define STEPS_MAX	400
#define VA		0x10000ULL
#define SLOTS		8
#define POSTS_MAX	512

struct post {
	u8 kind;
	u8 flags;
	u8 status;	/* found before, or by the engine or driver */
	u32 bytes;
	u32 sent;	/* of it */
};

struct model {
	struct input in;
	/* the responder, and the message in progress */
	struct soro_responder rsp;
	u32 epsn;
	bool open;
	u8 kind;
	u64 va;
	u32 rkey;
	u32 total;
	u32 placed;
	bool hand;
	u32 capacity;
	bool over;
	/* the requester */
	struct soro_requester req;
	struct soro_wqe slots[SLOTS];
	struct post posts[POSTS_MAX];
	u32 taken, popped;
	u32 psn;
	u64 now;
	bool stopped;	/* SQE */
};

/* ---- responder ---- */

static u32 pmtu(const struct model *m)
{
	return m->rsp.cfg.pmtu_bytes;
}

static bool opens(const struct soro_pkt *pkt)
{
	return pkt->row->pos & SORO_FIRST;
}

static bool is_late(const struct model *m, const struct soro_pkt *pkt)
{
	s32 ahead = soro_psn_diff(pkt->psn, m->epsn);

	return ahead < 0 && ahead >= -SORO_LATE_PSNS;
}

static void check_state(const struct model *m)
{
	must(m->rsp.epsn == m->epsn, "expected PSN");
	must(m->rsp.dead == m->over, "dead after a fault of the receive, and only then");
	must(m->over || m->rsp.in_message == m->open, "in a message");
	must(!soro_responder_owes(&m->rsp), "UC owes nothing");
}

/* The message is over, and nobody hears of it; its receive WQE stays in hand. */
static void give_up(struct model *m, const struct soro_rsp_step *step, const struct soro_pkt *pkts,
		    u8 why)
{
	must(step->verdict == SORO_RSP_DROP && step->drop == why, "reason of a drop");
	m->open = false;
	m->epsn = soro_psn_add(pkts[step->n - 1].psn, 1);
}

static void note_fault(struct model *m, const struct soro_rsp_step *step,
		       const struct soro_pkt *pkts)
{
	must(step->fault > SORO_FAULT_NONE && step->fault < SORO_FAULTS, "fault");
	if (!soro_fault_is_local(step->fault)) {
		give_up(m, step, pkts, SORO_DROP_REFUSED);
		return;
	}
	must(step->verdict == SORO_RSP_ANSWER, "a fault of the receive is told");
	must(m->hand, "a fault of a receive that there is not");
	m->hand = false;
	m->over = true;
}

static void check_placement(const struct model *m, const struct soro_rsp_step *step,
			    const struct soro_pkt *pkts)
{
	u32 total = opens(pkts) ? pkts->reth.len : m->total;
	u32 placed = opens(pkts) ? 0 : m->placed;

	must(!step->bytes == (step->act == SORO_ACT_NONE), "act");
	if (pkts->row->kind == SORO_SEND) {
		must(m->hand && step->offset == placed, "place in the receive WQE");
		must(placed <= m->capacity && step->bytes <= m->capacity - placed,
		     "beyond the receive WQE");
	} else if (step->bytes) {
		must(step->range.right == SORO_RIGHT_WRITE &&
		     step->range.rkey == (opens(pkts) ? pkts->reth.rkey : m->rkey) &&
		     step->range.va == (opens(pkts) ? pkts->reth.va : m->va) + placed,
		     "place of a WRITE");
		must(step->bytes <= step->range.bytes && placed <= total &&
		     step->range.bytes <= total - placed, "beyond the RETH");
		must(!opens(pkts) || step->range.bytes == total, "a first packet checks all");
	}
}

static void note_commit(struct model *m, const struct soro_rsp_step *step,
			const struct soro_pkt *pkts)
{
	const struct soro_pkt *last = &pkts[step->n - 1];
	bool imm = last->row->headers & SORO_HDR_IMM;

	if (opens(pkts)) {
		m->open = true;
		m->kind = pkts->row->kind;
		m->va = pkts->reth.va;
		m->rkey = pkts->reth.rkey;
		m->total = pkts->reth.len;
		m->placed = 0;
	}
	must(m->open && m->kind == pkts->row->kind, "a message of this kind is in progress");
	m->placed += step->bytes;
	m->epsn = soro_psn_add(m->epsn, step->n);
	if (!(last->row->pos & SORO_LAST)) {
		must(!step->complete, "a completion within a message");
		return;
	}
	m->open = false;
	must(m->kind == SORO_SEND || m->placed == m->total, "bytes of a WRITE");
	must(step->complete == (m->kind == SORO_SEND || imm), "completion");
	must(step->has_imm == imm && (!imm || step->imm == last->imm), "immediate data");
	if (!step->complete)
		return;
	must(m->hand, "a completion without a receive WQE");
	m->hand = false;
	must(step->length == m->placed && step->is_write == (m->kind == SORO_WRITE), "completion");
	must(step->solicited == !!(last->flags & SORO_PKT_SE), "solicited");
}

/* One byte says how the driver fares. */
#define NO_RECV		0x01
#define BAD_RECV	0x02
#define SHORT_RECV	0x04
#define NO_ACCESS	0x08
#define ACT_FAILS	0x10

static void fetch(struct model *m, const struct soro_rsp_step *step, u8 how,
		  struct soro_rsp_answer *answer)
{
	if (step->need & SORO_NEED_RECV && !m->hand && !(how & NO_RECV)) {
		m->hand = true;
		m->capacity = how & SHORT_RECV ? input_u16(&m->in) : 0x7fffffff;
		if (how & BAD_RECV)
			answer->fault = SORO_FAULT_RECV_BAD;
	}
	answer->recv_found = m->hand;
	answer->recv_capacity = m->capacity;
	if (step->need & SORO_NEED_RANGE &&
	    (how & NO_ACCESS || step->range.va + step->range.bytes < step->range.va))
		answer->fault = SORO_FAULT_ACCESS;
}

static void execute(struct model *m, struct soro_rsp_step *step, const struct soro_pkt *pkts)
{
	bool imm = pkts[step->n - 1].row->headers & SORO_HDR_IMM;
	bool recv = pkts->row->kind == SORO_SEND ? opens(pkts) : imm;
	struct soro_rsp_answer answer = { 0 };
	u8 how = input_u8(&m->in);

	how = how < 0xa0 ? 0 : how & 0x1f;
	must(!!(step->need & SORO_NEED_RECV) == recv, "which packets take a receive WQE");
	must(m->rsp.cfg.allow_write || pkts->row->kind != SORO_WRITE || !opens(pkts),
	     "WRITE not allowed");
	fetch(m, step, how, &answer);
	if (soro_responder_resolve(&m->rsp, step, &answer) != SORO_RSP_EXECUTE) {
		if (recv && !answer.recv_found) {
			must(!step->fault, "no receive WQE is no fault");
			give_up(m, step, pkts, SORO_DROP_NO_RECV);
			return;
		}
		must(!answer.fault || step->fault == answer.fault, "fault of resolve");
		must(answer.fault || step->fault == SORO_FAULT_RECV_SHORT, "a fault from nowhere");
		note_fault(m, step, pkts);
		return;
	}
	must(!answer.fault && (!recv || answer.recv_found), "executed in spite of a fault");
	check_placement(m, step, pkts);
	if (how & ACT_FAILS && step->act != SORO_ACT_NONE) {
		soro_responder_refuse(&m->rsp, step, step->act == SORO_ACT_RECV ?
				      SORO_FAULT_RECV_PROT : SORO_FAULT_ACCESS);
		note_fault(m, step, pkts);
		return;
	}
	soro_responder_commit(&m->rsp, step);
	note_commit(m, step, pkts);
}

/* The step's packets follow each other from the expected PSN on, in one message. */
static void check_run(const struct model *m, const struct soro_rsp_step *step,
		      const struct soro_pkt *pkts)
{
	u32 bytes = 0, i;

	for (i = 0; i < step->n; i++) {
		must(pkts[i].psn == soro_psn_add(m->epsn, i), "in the order of PSNs");
		must(pkts[i].row->kind == pkts->row->kind && (!i || !opens(&pkts[i])) &&
		     (i + 1 == step->n || !(pkts[i].row->pos & SORO_LAST)), "one message");
		bytes += pkts[i].payload_len;
	}
	must(bytes == step->bytes, "bytes of a step");
}

static void note_step(struct model *m, struct soro_rsp_step *step, const struct soro_pkt *pkts,
		      const struct soro_responder *was)
{
	bool request = pkts->row->transport == SORO_UC && !pkts->row->response;
	u32 i;

	if (m->over || !request || is_late(m, pkts)) {
		must(step->verdict == SORO_RSP_DROP, "took what is not for it");
		must(step->drop == (m->over ? SORO_DROP_QP_STATE : !request ? SORO_DROP_QP_TYPE :
				    SORO_DROP_STALE), "reason of a drop");
		must(!memcmp(&m->rsp, was, sizeof(*was)), "a dropped packet changes nothing");
		for (i = 0; i < step->n && step->drop == SORO_DROP_STALE; i++)
			must(is_late(m, &pkts[i]), "one verdict");
		return;
	}
	if (!opens(pkts) && !(m->open && pkts->psn == m->epsn)) {
		for (i = 0; i < step->n; i++)
			must(!opens(&pkts[i]), "a new message was dropped with the old");
		give_up(m, step, pkts, SORO_DROP_SEQUENCE);
		return;
	}
	if (opens(pkts)) {
		m->open = false;
		m->epsn = pkts->psn;
	}
	if (step->verdict == SORO_RSP_DROP) {
		must(step->n == 1 && !soro_fault_is_local(step->fault), "a fault of the receive");
		note_fault(m, step, pkts);
		return;
	}
	must(step->verdict == SORO_RSP_EXECUTE && !step->duplicate && !step->kept, "verdict");
	check_run(m, step, pkts);
	execute(m, step, pkts);
}

static void receive(struct model *m, const struct soro_pkt *pkts, u32 n)
{
	struct soro_responder was;
	struct soro_rsp_step step;
	u32 i;

	for (i = 0; i < n; i += step.n) {
		was = m->rsp;
		soro_responder_judge(&m->rsp, pkts + i, n - i, &step);
		trace("%s psn %06x bytes %u: verdict %u+%u need %x drop %u fault %u, epsn %06x\n",
		      pkts[i].row->name, pkts[i].psn, pkts[i].payload_len, step.verdict, step.n,
		      step.need, step.drop, step.fault, m->rsp.epsn);
		must(step.n >= 1 && step.n <= n - i, "packets of a step");
		note_step(m, &step, pkts + i, &was);
		check_state(m);
	}
}

/* ---- making requests ---- */

/* What a proper peer would send next, as far as the train got. */
struct peer {
	u32 psn;
	bool open;
	u8 kind;
	u32 left;	/* WRITE: bytes not sent yet */
};

static void choose_operation(struct model *m, const struct peer *peer, struct soro_pkt *pkt)
{
	u8 how = input_u8(&m->in);
	bool begins = !peer->open || (how & 0xf0) == 0xe0;
	bool last = how & 1;

	if (how >= 0xf8) {
		pkt->opcode = input_u8(&m->in);
		return;
	}
	if (!begins && peer->kind == SORO_WRITE && how < 0xd0)
		last = peer->left <= pmtu(m);
	pkt->opcode = soro_opcode_make(how >= 0xf0 ? SORO_RC : SORO_UC,
				       begins ? (how & 2 ? SORO_WRITE : SORO_SEND) : peer->kind,
				       (begins ? SORO_FIRST : 0) | (last ? SORO_LAST : 0),
				       last && how & 4 ? SORO_HDR_IMM : 0);
}

static void choose_payload(struct model *m, const struct peer *peer, struct soro_pkt *pkt,
			   const struct soro_opcode_row *row)
{
	u8 how = input_u8(&m->in);

	if (row->headers & SORO_HDR_RETH) {
		pkt->reth.va = how == 0xff ? -64ULL : VA + how;
		pkt->reth.rkey = 1 + (how & 3);
		pkt->reth.len = row->pos & SORO_LAST ? how % (pmtu(m) + 1) :
				(1 + (how & 7)) * pmtu(m) + how;
	}
	if (!(row->headers & SORO_HDR_PAYLOAD))
		return;
	pkt->payload_len = pmtu(m);
	if (row->kind == SORO_WRITE)
		pkt->payload_len = train_payload(opens(pkt) ? pkt->reth.len : peer->left, pmtu(m));
	else if (row->pos & SORO_LAST)
		pkt->payload_len = min(how * 16U, pmtu(m));
	if (how >= 0xf0)
		pkt->payload_len = input_u16(&m->in) & 0x1fff;
	if (how >= 0xf8)
		pkt->reth.len = input_u32(&m->in);
}

static bool add_packet(struct model *m, struct train *train, struct peer *peer)
{
	const struct soro_opcode_row *row;
	struct soro_pkt pkt = { 0 };
	u8 how = input_u8(&m->in);

	choose_operation(m, peer, &pkt);
	row = soro_opcode_row(pkt.opcode);
	if (!row)
		return false;
	pkt.row = row;
	pkt.flags = (how & 1 ? SORO_PKT_ACKREQ : 0) | (how & 2 ? SORO_PKT_SE : 0);
	pkt.imm = how * 0x01010101U;
	pkt.psn = peer->psn;
	if (how >= 0xf8)
		pkt.psn = input_u32(&m->in) & SORO_PSN_MASK;
	else if (how >= 0xd0)
		pkt.psn = soro_psn_add(peer->psn, (how & 0xf) - (how < 0xe8 ? 0 : 16));
	choose_payload(m, peer, &pkt, row);
	if (!train_add(train, &pkt))
		return false;
	peer->psn = soro_psn_add(pkt.psn, 1);
	if (opens(&pkt))
		peer->left = row->kind == SORO_WRITE ? pkt.reth.len : 0;
	peer->left -= min_t(u32, peer->left, pkt.payload_len);
	peer->open = !(row->pos & SORO_LAST);
	peer->kind = row->kind;
	return true;
}

static void fuzz_train(struct model *m, u32 n)
{
	struct peer peer = {
		.psn = m->epsn, .open = m->open, .kind = m->kind, .left = m->total - m->placed,
	};
	struct train train = { 0 };

	while (n-- && add_packet(m, &train, &peer))
		;
	if (train.n)
		receive(m, train.pkts, train.n);
}

/* ---- requester ---- */

static void check_requester(const struct model *m)
{
	const struct soro_requester *req = &m->req;

	must(req->una == req->psn && req->nxt == req->psn, "sent is acknowledged");
	must(!soro_requester_deadline(req) && !req->resent && !req->probed && !req->reads,
	     "UC waits for nothing");
	must(req->tail == m->taken && req->head == m->popped, "slots");
	must(m->stopped || req->acked == req->cur, "sent is acknowledged");
}

static void pop_all(struct model *m)
{
	struct soro_req_done done;

	while (soro_requester_pop(&m->req, &done)) {
		const struct post *post = &m->posts[m->popped];

		trace("pop %u status %u\n", done.slot, done.status);
		must(m->popped < m->taken && done.slot == m->popped, "once and in order");
		if (done.status == SORO_ST_SUCCESS) {
			must(!m->stopped && !post->status, "success after an error");
			must(post->sent == post->bytes + !post->bytes, "success of what was not sent");
			must(done.completion == !!(post->flags & SORO_WQE_SIGNALED), "completion");
			must(!done.error, "success is no error");
		} else {
			must(done.completion, "an error completes");
			must(done.error == !m->stopped, "the first error is told");
			must(done.status == (m->stopped ? SORO_ST_FLUSH : post->status), "status");
			m->stopped = true;
		}
		m->popped++;
	}
	must(m->popped == m->taken || !m->stopped, "after an error everything is over");
	must(m->popped == m->taken || !m->posts[m->popped].status, "an error that is not told");
	check_requester(m);
}

static void fuzz_post(struct model *m)
{
	static const u8 kinds[] = {
		SORO_SEND, SORO_WRITE, SORO_SEND, SORO_WRITE, SORO_SEND, SORO_READ_REQ,
		SORO_CMP_SWP, SORO_ATOMIC_WRITE, SORO_FLUSH,
	};
	u8 how = input_u8(&m->in), size = input_u8(&m->in);
	struct post *post = &m->posts[m->taken];
	struct soro_wqe *wqe;
	bool works;

	if (m->taken == POSTS_MAX || !soro_requester_room(&m->req))
		return;
	*post = (struct post) {
		.kind = kinds[how < 0xf0 ? how % 5 : how % ARRAY_SIZE(kinds)],
		.flags = (how & 0x20 ? SORO_WQE_SIGNALED : 0) | (how & 0x40 ? SORO_WQE_FENCE : 0) |
			 (how & 0x10 ? SORO_WQE_IMM : 0),
		.bytes = (size >> 3) * m->req.cfg.pmtu_bytes + (size & 7),
	};
	if (how >= 0xe8 && how < 0xf0)
		post->flags = SORO_WQE_INV;
	if (how >= 0xe0 && how < 0xe8)
		post->bytes = input_u32(&m->in);
	works = (post->kind == SORO_SEND || post->kind == SORO_WRITE) &&
		!(post->flags & SORO_WQE_INV);
	wqe = soro_requester_slot(&m->req, m->req.tail);
	*wqe = (struct soro_wqe) {
		.kind = post->kind, .flags = post->flags, .bytes = post->bytes,
	};
	if (post->kind == SORO_FLUSH)
		wqe->flush_type = SORO_FLUSH_GLOBAL;
	soro_requester_take(&m->req);
	m->taken++;
	post->status = wqe->status;
	trace("take kind %u flags %02x bytes %u status %u psn %06x+%u\n", post->kind, post->flags,
	      post->bytes, wqe->status, wqe->psn, wqe->npsn);
	if (!m->stopped)
		must(wqe->status == (!works ? SORO_ST_LOC_QP_OP : post->bytes > SORO_MESSAGE_MAX ?
				     SORO_ST_LOC_LEN : SORO_ST_SUCCESS), "status of a WQE");
}

static void check_train(const struct model *m, const struct soro_train *train)
{
	const struct post *post = &m->posts[train->slot];

	must(train->slot >= m->popped && train->slot < m->taken && !post->status, "what is sent");
	must(!train->ackreq && !train->resend, "UC asks for nothing and sends once");
	must(train->npsn == train->n && train->offset == post->sent, "the next of the message");
	must(train->bytes <= post->bytes - train->offset, "beyond the message");
	must(train->first == !train->offset, "FIRST");
	must(train->last == (train->offset + train->bytes == post->bytes), "LAST");
	must(train->bytes || !post->bytes, "a train of nothing");
	must(train->psn == m->req.nxt, "PSN");
}

static void fuzz_transmit(struct model *m)
{
	struct soro_train_limits limits = { .packets = 1 + input_u8(&m->in), .bytes = 65000 };
	struct soro_train train;
	u32 n = 1 + input_below(&m->in, 8);
	u8 outcome;

	while (n-- && soro_requester_plan(&m->req, &limits, n & 1, m->now, &train)) {
		struct post *post = &m->posts[train.slot];

		check_train(m, &train);
		outcome = input_u8(&m->in);
		trace("send %u psn %06x+%u offset %u bytes %u of %u: %02x\n", train.slot, train.psn,
		      train.n, train.offset, train.bytes, post->bytes, outcome);
		if (outcome >= 0xf8) {
			post->status = SORO_ST_LOC_PROT;
			soro_requester_fail(&m->req, train.slot, SORO_ST_LOC_PROT);
		} else if (outcome < 0xf0) {
			soro_requester_sent(&m->req, &train, m->now);
			post->sent += train.bytes + !post->bytes;
		}
		check_requester(m);
	}
	must(m->req.wait == 0 || m->req.wait == SORO_WAIT_EMPTY ||
	     m->req.wait == SORO_WAIT_FAILED, "UC waits for nothing");
}

/* Whatever comes back changes nothing, and time passes in vain. */
static void fuzz_answer(struct model *m)
{
	struct soro_requester was = m->req;
	struct soro_req_step step;
	struct train train = { 0 };
	struct soro_pkt pkt = {
		.opcode = soro_opcode_make(SORO_RC, SORO_ACK, SORO_ONLY, 0),
		.syndrome = input_u8(&m->in),
		.psn = soro_psn_add(m->req.una, input_below(&m->in, 8) - 4),
	};

	m->now += 1000000000ULL;
	must(!soro_requester_timeout(&m->req, m->now), "a timeout of nothing");
	if (!train_add(&train, &pkt))
		return;
	soro_requester_judge(&m->req, train.pkts, 1, m->now, &step);
	must(step.verdict == SORO_REQ_DROP && !memcmp(&was, &m->req, sizeof(was)),
	     "an answer to nothing");
}

/* The QP is modified: to SQD, to RTS out of SQE, or to ERR and on. */
static void fuzz_modify(struct model *m)
{
	struct soro_requester_config cfg = m->req.cfg;
	u8 how = input_u8(&m->in);

	if (how & 1)
		soro_requester_ask_again(&m->req);
	if (how & 2) {
		cfg.timeout_ns = how * 4096ULL;
		cfg.reads_max = how & 4;
		soro_requester_configure(&m->req, &cfg, m->now);
	}
	pop_all(m);
	if (!(how & 8) && !m->stopped)
		return;
	soro_requester_flush(&m->req);
	m->stopped |= m->req.failed;
	pop_all(m);
	must(m->popped == m->taken, "a flush ends everything");
	soro_requester_init(&m->req, m->req.nxt);
	m->stopped = false;
	check_requester(m);
}

/* ---- the run ---- */

static void start(struct model *m)
{
	static const u32 psns[] = { 0, 0xfffffd, 0x7ffffe, 0x800000 };
	u8 how = input_u8(&m->in), flags = input_u8(&m->in);
	u32 bytes = 256U << how % 5;

	m->now = 1000;
	m->epsn = psns[how >> 6];
	m->rsp.cfg = (struct soro_responder_config) {
		.pmtu_bytes = bytes, .allow_write = flags % 8 != 7, .unreliable = true,
	};
	soro_responder_init(&m->rsp, m->epsn);
	m->req.wqes = m->slots;
	m->req.stride = sizeof(m->slots[0]);
	m->req.mask = (1U << flags / 8 % 4) - 1;
	soro_requester_reset(&m->req);
	m->req.cfg = (struct soro_requester_config) {
		.pmtu_bytes = bytes, .unreliable = true,
	};
	soro_requester_init(&m->req, m->epsn);
	check_state(m);
	check_requester(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model m = { .in = { .at = data, .left = size } };
	u32 steps;

	start(&m);
	for (steps = 0; steps < STEPS_MAX && !input_empty(&m.in); steps++) {
		u8 op = input_u8(&m.in);

		if (op < 0x80)
			fuzz_train(&m, 1 + op % 12);
		else if (op < 0xb0)
			fuzz_post(&m);
		else if (op < 0xe8)
			fuzz_transmit(&m);
		else if (op < 0xf0)
			fuzz_answer(&m);
		else if (op < 0xf8)
			fuzz_modify(&m);
		else
			pop_all(&m);
		if (op & 1)
			pop_all(&m);
	}
	pop_all(&m);
	return 0;
}

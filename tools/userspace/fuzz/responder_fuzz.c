// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: an RC responder under any requests and any driver.
 *
 * The input is a program: a configuration, then trains near the expected PSN,
 * replies, changes of configuration; and for each thing that a driver is asked,
 * its answer. Beside the engine runs a model of what a peer and an application
 * may rely on; it is written from the specification and from responder.h.
 */
#include <linux/kernel.h>

#include "train.h"
#include "engine/credit.h"
#include "engine/replies.h"
#include "engine/responder.h"

#define STEPS_MAX	400
#define VA		0x10000ULL
#define HELD_MAX	4

/* A READ, atomic or FLUSH that was accepted, as the peer knows it. */
struct kept {
	u8 kind;
	u32 psn;
	u32 npsn;
	u64 va;
	u32 rkey;
	u32 bytes;	/* of the answer */
	u64 orig;
	u32 stop;	/* of what is owed: bytes from the start of the READ */
	u32 cursor;	/* next response packet */
	u32 end;
	bool restart;
	bool owed;
	bool answered;
};

/* What the driver kept that lies beyond a gap. */
struct held {
	struct soro_pkt pkts[TRAIN_MAX];
	u32 n;
};

struct model {
	struct soro_responder rsp;
	struct input in;
	u32 epsn;
	u32 msn;
	/* the message in progress */
	bool open;
	u8 kind;
	u64 va;
	u32 rkey;
	u32 total;	/* WRITE */
	u32 placed;
	/* the receive WQE in hand */
	bool hand;
	u32 capacity;
	/* owed, beside responses */
	bool want;
	bool gap;
	bool rnr;
	bool quiet;	/* a NAK for the gap, or an RNR NAK, was made */
	bool not_ready;	/* ... an RNR NAK */
	bool fatal;
	u8 fault;
	u32 fatal_psn;
	bool over;	/* the fatal NAK went: the QP is in error */
	bool counts;	/* the peer is told of receives */
	u32 receives;
	struct kept kept[SORO_READS_MAX];
	u32 kept_count;
	struct held held[HELD_MAX];
};

static u32 pmtu(const struct model *m)
{
	return m->rsp.cfg.pmtu_bytes;
}

static bool is_message(const struct soro_pkt *pkt)
{
	return pkt->row->kind == SORO_SEND || pkt->row->kind == SORO_WRITE;
}

static bool is_atomic(u8 kind)
{
	return kind == SORO_CMP_SWP || kind == SORO_FETCH_ADD || kind == SORO_ATOMIC_WRITE;
}

/* ---- the model's memory of READs, atomics and FLUSHes ---- */

static u64 va_of(const struct soro_pkt *pkt)
{
	return pkt->row->headers & SORO_HDR_RETH ? pkt->reth.va : pkt->atomic.va;
}

static u32 rkey_of(const struct soro_pkt *pkt)
{
	return pkt->row->headers & SORO_HDR_RETH ? pkt->reth.rkey : pkt->atomic.rkey;
}

/* Payload bytes of the answer to a READ, atomic or FLUSH. */
static u32 bytes_of(const struct soro_pkt *pkt)
{
	return pkt->row->kind == SORO_READ_REQ ? pkt->reth.len : 0;
}

static u32 packets_of(const struct model *m, u32 bytes)
{
	return bytes ? (bytes + pmtu(m) - 1) / pmtu(m) : 1;
}

/* The newest kept request which @pkt repeats, all or a part of a READ. */
static struct kept *find_kept(struct model *m, const struct soro_pkt *pkt)
{
	u32 i;

	for (i = m->kept_count; i--;) {
		struct kept *kept = &m->kept[i];
		u32 skipped = (pkt->psn - kept->psn) & SORO_PSN_MASK;
		u32 offset = skipped * pmtu(m);

		if (skipped >= kept->npsn)
			continue;
		if (pkt->row->kind != kept->kind || rkey_of(pkt) != kept->rkey ||
		    va_of(pkt) != kept->va + offset)
			return NULL;
		if (kept->kind != SORO_READ_REQ ||
		    (pkt->reth.len <= kept->bytes - offset && (pkt->reth.len || !kept->bytes)))
			return kept;
		return NULL;
	}
	return NULL;
}

static void keep(struct model *m, const struct soro_pkt *pkt, u64 orig)
{
	u32 bytes = bytes_of(pkt);
	struct kept *kept;

	if (m->kept_count >= m->rsp.cfg.reads_max) {
		must(m->kept[0].answered, "forgotten before it was answered");
		m->kept_count--;
		memmove(m->kept, m->kept + 1, m->kept_count * sizeof(*kept));
	}
	must(m->kept_count < SORO_READS_MAX, "ring of READs");
	kept = &m->kept[m->kept_count++];
	*kept = (struct kept) {
		.kind = pkt->row->kind, .psn = pkt->psn, .npsn = packets_of(m, bytes),
		.va = va_of(pkt), .rkey = rkey_of(pkt), .bytes = bytes, .stop = bytes,
		.orig = orig, .end = packets_of(m, bytes), .restart = true, .owed = true,
	};
}

static void owe_again(struct model *m, const struct soro_pkt *pkt)
{
	struct kept *kept = find_kept(m, pkt);

	must(kept, "a duplicate of nothing was accepted");
	kept->cursor = (pkt->psn - kept->psn) & SORO_PSN_MASK;
	kept->end = kept->cursor + packets_of(m, bytes_of(pkt));
	kept->stop = kept->cursor * pmtu(m) + bytes_of(pkt);
	kept->restart = true;
	kept->owed = true;
}

static struct kept *oldest_owed(struct model *m)
{
	u32 i;

	for (i = 0; i < m->kept_count; i++) {
		if (m->kept[i].owed)
			return &m->kept[i];
	}
	return NULL;
}

/* ---- what must hold at any time ---- */

static void check_state(const struct model *m)
{
	const struct soro_responder *rsp = &m->rsp;
	u32 owed = 0, model_owed = 0, i;

	must(rsp->epsn == m->epsn, "expected PSN moves by what was committed");
	must(rsp->msn == m->msn, "MSN counts messages");
	must(rsp->dead == (m->fatal || m->over), "dead after a fault, and only then");
	must(rsp->kept_count <= SORO_READS_MAX && rsp->kept_head < SORO_READS_MAX,
	     "ring of READs");
	must(rsp->kept_count == m->kept_count, "what is kept");
	for (i = 0; i < rsp->kept_count; i++)
		owed += !!(rsp->kept_owed & BIT((rsp->kept_head + i) % SORO_READS_MAX));
	for (i = 0; i < m->kept_count; i++)
		model_owed += m->kept[i].owed;
	must(owed == model_owed, "what is owed stays owed until it was handed over");
	must((rsp->owed != SORO_OWE_NOTHING) == m->want, "an acknowledgment is owed or not");
	if (!m->fatal && !m->over)
		must(rsp->in_message == m->open, "in a message");
}

/* ---- requests ---- */

static void note_fault(struct model *m, u8 fault, u32 psn)
{
	u32 i;

	must(fault > SORO_FAULT_NONE && fault < SORO_FAULTS, "fault");
	must(!m->fatal && !m->over, "a second fault");
	m->fatal = true;
	m->want = true;
	m->gap = false;
	m->rnr = false;
	m->fault = fault;
	m->fatal_psn = psn;
	/* READs at or after the failed request are not answered any more */
	for (i = 0; i < m->kept_count; i++) {
		struct kept *kept = &m->kept[i];

		if (((psn - kept->psn) & SORO_PSN_MASK) < kept->end ||
		    soro_psn_diff(kept->psn, psn) > 0)
			kept->owed = false;
	}
	/* completes the receive WQE in hand, once */
	if (soro_fault_row(fault)->responder != SORO_ST_SUCCESS)
		m->hand = false;
}

static void check_placement(struct model *m, const struct soro_rsp_step *step,
			    const struct soro_pkt *pkts)
{
	bool opens = pkts->row->pos & SORO_FIRST;
	u64 va = opens ? pkts->reth.va : m->va;
	u32 rkey = opens ? pkts->reth.rkey : m->rkey;
	u32 total = opens ? pkts->reth.len : m->total;
	u32 placed = opens ? 0 : m->placed;

	if (pkts->row->kind == SORO_SEND) {
		must(!step->bytes == (step->act == SORO_ACT_NONE), "act of a SEND");
		must(m->hand, "a SEND without a receive WQE");
		must(step->offset == placed, "place in the receive WQE");
		must(step->bytes <= m->capacity && placed <= m->capacity - step->bytes,
		     "beyond the receive WQE");
		return;
	}
	must(!step->bytes == (step->act == SORO_ACT_NONE), "act of a WRITE");
	if (!step->bytes)
		return;
	must(step->range.right == SORO_RIGHT_WRITE && step->range.rkey == rkey, "key of a WRITE");
	must(step->range.va == va + placed, "place of a WRITE");
	must(step->bytes <= step->range.bytes, "act within the range that was checked");
	must(step->range.bytes <= total && placed <= total - step->range.bytes, "beyond the RETH");
	must(!opens || step->range.bytes == total, "a first packet checks the whole range");
}

static void open_message(struct model *m, const struct soro_pkt *pkt)
{
	must(!m->open, "a message inside a message");
	m->open = true;
	m->kind = pkt->row->kind;
	m->placed = 0;
	m->va = pkt->reth.va;
	m->rkey = pkt->reth.rkey;
	m->total = pkt->reth.len;
}

static void close_message(struct model *m, const struct soro_rsp_step *step,
			  const struct soro_pkt *last)
{
	bool imm = last->row->headers & SORO_HDR_IMM;
	bool inv = last->row->headers & SORO_HDR_IETH;
	bool complete = m->kind == SORO_SEND || imm;

	m->open = false;
	m->msn = soro_psn_add(m->msn, 1);
	if (m->kind == SORO_WRITE)
		must(m->placed == m->total, "a WRITE of less or more than announced");
	must(step->complete == complete, "one completion a message that takes a receive WQE");
	must(step->has_imm == imm, "immediate data");
	if (imm)
		must(step->imm == last->imm, "value of immediate data");
	must(step->has_inv == inv && step->invalidate == inv, "key to invalidate");
	if (inv)
		must(step->inv_rkey == last->inv_rkey && step->n == 1, "which key");
	if (!complete)
		return;
	must(m->hand, "a completion without a receive WQE");
	m->hand = false;
	must(step->length == m->placed, "length of the completion");
	must(step->is_write == (m->kind == SORO_WRITE), "kind of the completion");
	must(step->solicited == !!(last->flags & SORO_PKT_SE), "solicited");
}

static void commit_message(struct model *m, const struct soro_rsp_step *step,
			   const struct soro_pkt *pkts)
{
	const struct soro_pkt *last = &pkts[step->n - 1];
	u32 i;

	if (pkts->row->pos & SORO_FIRST)
		open_message(m, pkts);
	must(m->open && m->kind == pkts->row->kind, "a message of this kind is in progress");
	m->placed += step->bytes;
	m->epsn = soro_psn_add(m->epsn, step->n);
	for (i = 0; i < step->n; i++)
		m->want |= !!(pkts[i].flags & SORO_PKT_ACKREQ);
	if (last->row->pos & SORO_LAST)
		close_message(m, step, last);
	else
		must(!step->complete, "a completion within a message");
}

static void note_commit(struct model *m, const struct soro_rsp_step *step,
			const struct soro_pkt *pkts)
{
	if (is_message(pkts)) {
		must(!step->duplicate, "a duplicate was executed");
		commit_message(m, step, pkts);
		return;
	}
	must(step->n == 1 && !step->complete, "what is kept stands alone and completes nothing");
	if (step->duplicate) {
		owe_again(m, pkts);
		return;
	}
	keep(m, pkts, step->orig);
	/* its answer acknowledges everything before it */
	m->want = m->want && m->rsp.untold;	/* the answer acknowledges, but tells of no loss */
	m->epsn = soro_psn_add(m->epsn, packets_of(m, bytes_of(pkts)));
	m->msn = soro_psn_add(m->msn, 1);
}

/* One byte says how the driver fares. */
#define NO_RECV		0x01
#define BAD_RECV	0x02
#define SHORT_RECV	0x04
#define NO_ACCESS	0x08
#define ACT_FAILS	0x10

static u8 luck(struct model *m)
{
	u8 byte = input_u8(&m->in);

	return byte < 0xa0 ? 0 : byte & 0x1f;
}

static void fetch_recv(struct model *m, struct soro_rsp_answer *answer, u8 how)
{
	if (!m->hand) {
		if (how & NO_RECV)
			return;
		m->hand = true;
		m->capacity = how & SHORT_RECV ? input_u16(&m->in) : 0x7fffffff;
		if (how & BAD_RECV)
			answer->fault = SORO_FAULT_RECV_BAD;
	}
	answer->recv_found = true;
	answer->recv_capacity = m->capacity;
}

static bool range_refused(const struct soro_range *range, u8 how)
{
	return how & NO_ACCESS || (!range->whole && range->va + range->bytes < range->va);
}

/* What resolve may say to this answer. */
static u8 expected_fault(const struct model *m, const struct soro_rsp_step *step,
			 const struct soro_rsp_answer *answer, const struct soro_pkt *pkts)
{
	u32 placed = pkts->row->pos & SORO_FIRST ? 0 : m->placed;

	if (answer->fault)
		return answer->fault;
	if (pkts->row->kind == SORO_SEND &&
	    (placed > m->capacity || step->bytes > m->capacity - placed))
		return SORO_FAULT_RECV_SHORT;
	return SORO_FAULT_NONE;
}

/* What a FLUSH at the expected PSN meets, in the order of IBA 9.7.4. */
static u8 flush_fault(const struct model *m, const struct soro_pkt *pkt)
{
	const struct soro_responder_config *cfg = &m->rsp.cfg;

	if (m->open)
		return SORO_FAULT_OPCODE;
	if (!cfg->allow_flush || !cfg->reads_max || pkt->feth_type != SORO_FLUSH_GLOBAL ||
	    (pkt->feth_level != SORO_FLUSH_RANGE && pkt->feth_level != SORO_FLUSH_REGION))
		return SORO_FAULT_NOT_ENABLED;
	return m->kept_count >= cfg->reads_max && !m->kept[0].answered ? SORO_FAULT_READS :
									 SORO_FAULT_NONE;
}

/* A FLUSH of nothing needs its key too; that of a region needs no range. */
static void check_flush_need(const struct model *m, const struct soro_rsp_step *step,
			     const struct soro_pkt *pkt)
{
	must(flush_fault(m, pkt) == SORO_FAULT_NONE, "FLUSH not allowed");
	must(step->need == SORO_NEED_RANGE && step->range.right == SORO_RIGHT_FLUSH &&
	     step->range.rkey == pkt->reth.rkey, "key of a FLUSH");
	must(step->range.whole == (pkt->feth_level == SORO_FLUSH_REGION), "level of a FLUSH");
	must(step->range.whole || (step->range.va == pkt->reth.va &&
				   step->range.bytes == pkt->reth.len), "range of a FLUSH");
}

/* The range of a READ is its RETH, that of an atomic eight bytes at a multiple of eight. */
static void check_kept_need(const struct model *m, const struct soro_rsp_step *step,
			    const struct soro_pkt *pkts)
{
	const struct soro_responder_config *cfg = &m->rsp.cfg;
	u8 kind = pkts->row->kind, right = SORO_RIGHT_READ;
	u32 bytes = is_atomic(kind) ? sizeof(u64) : pkts->reth.len;
	bool allowed = cfg->allow_read;

	if (kind == SORO_ATOMIC_WRITE) {
		right = SORO_RIGHT_WRITE;
		allowed = cfg->allow_write;
		must(pkts->reth.len == sizeof(u64) && pkts->payload_len == sizeof(u64),
		     "length of an ATOMIC WRITE");
	} else if (is_atomic(kind)) {
		right = SORO_RIGHT_ATOMIC;
		allowed = cfg->allow_atomic;
	}
	must(step->duplicate || (allowed && cfg->reads_max), "not allowed");
	must(!is_atomic(kind) || va_of(pkts) % sizeof(u64) == 0, "misaligned");
	must(!!(step->need & SORO_NEED_RANGE) == !!bytes, "range");
	if (bytes)
		must(step->range.right == right && step->range.va == va_of(pkts) &&
		     step->range.bytes == bytes && step->range.rkey == rkey_of(pkts),
		     "range of a READ or atomic");
}

static void check_need(const struct model *m, const struct soro_rsp_step *step,
		       const struct soro_pkt *pkts)
{
	bool opens = pkts->row->pos & SORO_FIRST;
	bool imm = pkts[step->n - 1].row->headers & SORO_HDR_IMM;
	bool recv = pkts->row->kind == SORO_SEND ? opens : pkts->row->kind == SORO_WRITE && imm;

	must(!!(step->need & SORO_NEED_RECV) == recv, "which packets take a receive WQE");
	if (pkts->row->kind == SORO_WRITE)
		must(!!(step->need & SORO_NEED_RANGE) == !!step->bytes, "range of a WRITE");
	must(!step->duplicate || pkts->row->kind == SORO_READ_REQ, "only a READ is executed again");
	must(m->rsp.cfg.allow_write || pkts->row->kind != SORO_WRITE || !opens, "WRITE not allowed");
	must(step->kept == !is_message(pkts), "what is kept");
	if (pkts->row->kind == SORO_FLUSH) {
		check_flush_need(m, step, pkts);
		return;
	}
	must(!step->range.whole, "all that a key names");
	if (step->kept)
		check_kept_need(m, step, pkts);
}

static void check_act(struct model *m, const struct soro_rsp_step *step,
		      const struct soro_pkt *pkts)
{
	u8 kind = pkts->row->kind;

	if (is_message(pkts))
		check_placement(m, step, pkts);
	else if (kind == SORO_READ_REQ)
		must(step->act == SORO_ACT_NONE, "a READ changes nothing here");
	else if (kind == SORO_FLUSH)
		must(step->act == SORO_ACT_FLUSH, "act of a FLUSH");
	else
		must(step->act == (kind == SORO_ATOMIC_WRITE ? SORO_ACT_STORE : SORO_ACT_ATOMIC),
		     "act of an atomic");
}

static void execute(struct model *m, struct soro_rsp_step *step, const struct soro_pkt *pkts)
{
	struct soro_rsp_answer answer = { 0 };
	u8 how = luck(m), verdict, fault;

	check_need(m, step, pkts);
	if (step->need & SORO_NEED_RECV)
		fetch_recv(m, &answer, how);
	if (step->need & SORO_NEED_RANGE && range_refused(&step->range, how))
		answer.fault = SORO_FAULT_ACCESS;
	verdict = soro_responder_resolve(&m->rsp, step, &answer);
	trace("resolve: verdict %u act %u fault %u\n", verdict, step->act, step->fault);
	if (step->need & SORO_NEED_RECV && !answer.recv_found) {
		must(verdict == SORO_RSP_ANSWER && !step->fault, "no receive WQE is RNR");
		m->rnr = true;
		m->quiet = true;
		m->not_ready = true;
		m->want = true;
		return;
	}
	if (answer.fault && step->duplicate) {
		must(verdict == SORO_RSP_DROP && !step->fault &&
		     step->drop == SORO_DROP_DUPLICATE_BAD, "a READ again without its memory");
		return;
	}
	fault = expected_fault(m, step, &answer, pkts);
	must(step->fault == fault, "fault of resolve");
	must((verdict == SORO_RSP_EXECUTE) == !fault, "verdict of resolve");
	if (fault) {
		note_fault(m, fault, pkts->psn);
		return;
	}
	check_act(m, step, pkts);
	if (how & ACT_FAILS && step->act != SORO_ACT_NONE) {
		fault = step->act == SORO_ACT_RECV ? SORO_FAULT_RECV_PROT : SORO_FAULT_ACCESS;
		soro_responder_refuse(&m->rsp, step, fault);
		note_fault(m, fault, pkts->psn);
		return;
	}
	if (step->act == SORO_ACT_ATOMIC)
		step->orig = how * 0x0123456789abcdefULL;
	soro_responder_commit(&m->rsp, step);
	note_commit(m, step, pkts);
}

/* The step's packets follow each other from the expected PSN on, in one message. */
static void check_run(const struct model *m, const struct soro_rsp_step *step,
		      const struct soro_pkt *pkts)
{
	u32 bytes = 0, i;

	for (i = 0; i < step->n; i++) {
		must(pkts[i].psn == soro_psn_add(step->duplicate ? pkts->psn : m->epsn, i),
		     "executed in order of PSNs");
		must(pkts[i].row->kind == pkts->row->kind, "one kind");
		must(!i || !(pkts[i].row->pos & SORO_FIRST), "one message");
		must(i + 1 == step->n || !(pkts[i].row->pos & SORO_LAST), "one message");
		bytes += pkts[i].payload_len;
	}
	if (is_message(pkts))
		must(bytes == step->bytes, "bytes of a step");
}

static void check_unchanged(const struct model *m, const struct soro_responder *was,
			    const char *what)
{
	struct soro_responder now = m->rsp;

	now.dropped = was->dropped;	/* known to nobody but the reply */
	now.dropped_end = was->dropped_end;
	must(!memcmp(&now, was, sizeof(now)), what);
}

/* Beyond a gap: one NAK for it, whatever becomes of the packets. */
static void note_ahead(struct model *m, const struct soro_rsp_step *step,
		       const struct soro_pkt *pkts, const struct soro_responder *was)
{
	s32 ahead = soro_psn_diff(pkts->psn, m->epsn);
	bool may_hold = ahead <= SORO_HOLD_PSNS && !m->not_ready;
	u32 i;

	must(may_hold == (step->verdict == SORO_RSP_HOLD), "what may be kept");
	must(!step->fault && !step->duplicate, "a step beyond a gap");
	for (i = 0; i < step->n; i++)
		must(soro_psn_diff(pkts[i].psn, m->epsn) > 0, "one verdict");
	if (m->quiet) {
		check_unchanged(m, was, "a second packet beyond a gap changes nothing");
		return;
	}
	m->quiet = true;
	m->gap = true;
	m->want = true;
}

static void note_drop(struct model *m, const struct soro_rsp_step *step,
		      const struct soro_pkt *pkts, const struct soro_responder *was)
{
	s32 ahead = soro_psn_diff(pkts->psn, m->epsn);
	bool request = !pkts->row->response && pkts->row->transport == SORO_RC;

	must(step->drop > SORO_DROP_NONE && step->drop < SORO_DROP_COUNT, "reason of a drop");
	if (!m->fatal && !m->over && request && ahead > 0) {
		note_ahead(m, step, pkts, was);
		return;
	}
	check_unchanged(m, was, "a dropped packet changes nothing");
	if (m->fatal || m->over || !request)
		return;
	must(ahead, "the expected packet was dropped");
	must(!is_message(pkts), "a duplicate message without an ACK");
	must(!find_kept(m, pkts), "a duplicate of what is kept was dropped");
}

static void note_answer(struct model *m, const struct soro_rsp_step *step,
			const struct soro_pkt *pkts)
{
	s32 ahead = soro_psn_diff(pkts->psn, m->epsn);
	u32 i;

	if (step->fault) {
		must(!ahead, "a fault beside the expected PSN");
		must(pkts->row->kind != SORO_FLUSH || step->fault == flush_fault(m, pkts),
		     "fault of a FLUSH");
		note_fault(m, step->fault, pkts->psn);
		return;
	}
	must(ahead < 0 && step->duplicate, "answered without an execution");
	for (i = 0; i < step->n; i++)
		must(soro_psn_diff(pkts[i].psn, m->epsn) < 0, "one verdict");
	if (is_message(pkts))
		m->want = true;
	else
		owe_again(m, pkts);
}

/* A driver keeps the rest of a train that lies beyond the gap, if there is room. */
static void hold(struct model *m, const struct soro_pkt *pkts, u32 n)
{
	u32 i;

	if (input_rarely(&m->in, 8))
		return;
	for (i = 0; i < HELD_MAX; i++) {
		struct held *held = &m->held[i];

		if (held->n)
			continue;
		memcpy(held->pkts, pkts, n * sizeof(*pkts));
		held->n = n;
		trace("held %06x+%u\n", pkts->psn, n);
		return;
	}
}

static void receive(struct model *m, const struct soro_pkt *pkts, u32 n)
{
	struct soro_responder was;
	struct soro_rsp_step step;
	u32 i;

	for (i = 0; i < n; i += step.n) {
		s32 ahead = soro_psn_diff(pkts[i].psn, m->epsn);

		was = m->rsp;
		soro_responder_judge(&m->rsp, pkts + i, n - i, &step);
		trace("%s psn %06x bytes %u: verdict %u+%u%s need %x drop %u fault %u, epsn %06x\n",
		      pkts[i].row->name, pkts[i].psn, pkts[i].payload_len, step.verdict, step.n,
		      step.duplicate ? " duplicate" : "", step.need, step.drop, step.fault,
		      m->rsp.epsn);
		must(step.n >= 1 && step.n <= n - i, "packets of a step");
		must(m->rsp.epsn == was.epsn && m->rsp.msn == was.msn, "judge executed something");
		if (!step.fault && (step.verdict != SORO_RSP_ANSWER || is_message(pkts + i)))
			must(!memcmp(m->rsp.kept, was.kept, sizeof(was.kept)), "judge owes answers");
		if (m->fatal || m->over)
			must(step.verdict == SORO_RSP_DROP, "a dead responder did something");
		else if (!ahead && step.verdict != SORO_RSP_DROP) {
			/* the gap is filled, the wait is over: a NAK not sent became an ACK */
			m->gap = false;
			m->rnr = false;
			m->quiet = false;
			m->not_ready = false;
		}
		switch (step.verdict) {
		case SORO_RSP_EXECUTE:
			check_run(m, &step, pkts + i);
			execute(m, &step, pkts + i);
			break;
		case SORO_RSP_ANSWER:
			note_answer(m, &step, pkts + i);
			break;
		case SORO_RSP_HOLD:
			note_ahead(m, &step, pkts + i, &was);
			if (step.n == n - i)
				hold(m, pkts + i, step.n);
			break;
		case SORO_RSP_DROP:
			note_drop(m, &step, pkts + i, &was);
			break;
		default:
			must(false, "verdict");
		}
		check_state(m);
	}
}

/* What was kept is judged again when its turn comes; a NAK is owed for the next gap. */
static void receive_held(struct model *m)
{
	struct soro_pkt pkts[TRAIN_MAX];
	bool any = false;
	u32 i, n;

	for (i = 0; i < HELD_MAX; i++) {
		struct held *held = &m->held[i];

		if (!held->n || soro_psn_diff(held->pkts->psn, m->epsn) > 0)
			continue;
		n = held->n;
		memcpy(pkts, held->pkts, sizeof(pkts));
		held->n = 0;
		receive(m, pkts, n);
		i = -1;		/* from the start */
	}
	for (i = 0; i < HELD_MAX; i++)
		any |= m->held[i].n;
	if (!any)
		return;
	soro_responder_gap(&m->rsp);
	if (!m->quiet && !m->fatal && !m->over) {
		m->quiet = true;
		m->gap = true;
		m->want = true;
	}
	check_state(m);
}

/* ---- making requests ---- */

/* What a proper peer would send next, as far as the train got. */
struct peer {
	u32 psn;
	bool open;
	u8 kind;
	u32 left;	/* WRITE: bytes not sent yet */
};

static void choose_retry(struct model *m, struct soro_pkt *pkt)
{
	const struct kept *kept = &m->kept[input_below(&m->in, m->kept_count)];
	u32 where = input_u8(&m->in), twist = input_u8(&m->in);
	u32 skipped = kept->npsn > 256 ? where * (kept->npsn >> 8) : where % kept->npsn;

	pkt->opcode = soro_opcode_make(SORO_RC, kept->kind, SORO_ONLY, 0);
	pkt->psn = soro_psn_add(kept->psn, skipped);
	if (kept->kind == SORO_CMP_SWP || kept->kind == SORO_FETCH_ADD) {
		pkt->atomic.va = kept->va + (twist >= 0xf0);
		pkt->atomic.rkey = kept->rkey + (twist % 16 == 15);
		return;
	}
	pkt->reth.va = kept->va + skipped * pmtu(m);
	pkt->reth.rkey = kept->rkey;
	pkt->reth.len = kept->bytes - skipped * pmtu(m);
	if (kept->kind == SORO_ATOMIC_WRITE) {
		pkt->reth.len = sizeof(u64);
		pkt->payload_len = sizeof(u64);
	}
	pkt->feth_type = 1 + twist % 3;		/* is not compared */
	pkt->feth_level = twist % 3;
	if (twist >= 0xd8 && twist < 0xe0) {	/* something else at the same place */
		pkt->opcode = soro_opcode_make(SORO_RC, kept->kind == SORO_FLUSH ? SORO_READ_REQ :
					       SORO_FLUSH, SORO_ONLY, 0);
		pkt->payload_len = 0;
		return;
	}
	if (twist >= 0xf0)
		pkt->reth.va += twist;
	else if (twist >= 0xe0)
		pkt->reth.rkey++;
	else if (twist >= 0xd0)
		pkt->reth.len += twist;
	else if (twist >= 0x80)
		pkt->reth.len = min(pkt->reth.len, (twist & 0x1f) * pmtu(m) / 2);
}

static u32 choose_bytes(struct model *m)
{
	u8 how = input_u8(&m->in);

	if (how < 0x20)
		return how;
	if (how < 0xd0)
		return (how >> 4) * pmtu(m) + (how & 1 ? input_u8(&m->in) : 0);
	if (how < 0xe0)
		return (how & 0xf) * pmtu(m);
	return input_u32(&m->in) >> (how & 0xf);
}

static void choose_reth(struct model *m, struct soro_pkt *pkt, u8 kind)
{
	u8 how = input_u8(&m->in);

	pkt->reth.va = how & 0x80 ? -(u64)(how & 0xf) * 64 : VA + how * 8;
	if (how % 16 == 15)
		pkt->reth.va += 3;
	pkt->reth.rkey = 1 + (how & 3);
	/* a few long READs go once around all PSNs */
	if (kind == SORO_READ_REQ && (how & 0x60) == 0x60)
		pkt->reth.len = SORO_MSG_MAX >> (how >> 3 & 3);
	else
		pkt->reth.len = choose_bytes(m);
}

static void choose_operation(struct model *m, struct peer *peer, struct soro_pkt *pkt)
{
	static const struct {
		u8 kind, pos;
		u16 headers;
	} starts[] = {
		{ SORO_SEND, SORO_FIRST, 0 },
		{ SORO_SEND, SORO_ONLY, 0 },
		{ SORO_SEND, SORO_ONLY, SORO_HDR_IMM },
		{ SORO_WRITE, SORO_FIRST, 0 },
		{ SORO_WRITE, SORO_FIRST, 0 },
		{ SORO_WRITE, SORO_ONLY, 0 },
		{ SORO_WRITE, SORO_ONLY, SORO_HDR_IMM },
		{ SORO_READ_REQ, SORO_ONLY, 0 },
		{ SORO_READ_REQ, SORO_ONLY, 0 },
		{ SORO_CMP_SWP, SORO_ONLY, 0 },
		{ SORO_FETCH_ADD, SORO_ONLY, 0 },
		{ SORO_ATOMIC_WRITE, SORO_ONLY, 0 },
		{ SORO_SEND, SORO_ONLY, SORO_HDR_IETH },
		{ SORO_FLUSH, SORO_ONLY, 0 },
	};
	u8 how = input_u8(&m->in);

	if (how >= 0xf8) {
		pkt->opcode = input_u8(&m->in);
		return;
	}
	if (peer->open) {
		bool last = peer->kind == SORO_WRITE ? peer->left <= pmtu(m) : how & 1;
		u16 headers;

		if (how >= 0xe0 && how < 0xe8)
			last = !last;
		headers = last && how & 2 ? SORO_HDR_IMM : 0;
		if (last && how >= 0xf0)
			headers = SORO_HDR_IETH;
		pkt->opcode = soro_opcode_make(SORO_RC, peer->kind, last ? SORO_LAST : SORO_MIDDLE,
					       headers);
		return;
	}
	how %= ARRAY_SIZE(starts);
	pkt->opcode = soro_opcode_make(SORO_RC, starts[how].kind, starts[how].pos,
				       starts[how].headers);
}

static void choose_feth(struct model *m, struct soro_pkt *pkt)
{
	u8 how = input_u8(&m->in);

	pkt->feth_type = how < 0xd0 ? SORO_FLUSH_GLOBAL : how & 0xf;
	pkt->feth_level = how < 0xd0 ? how & 1 : how >> 4 & 3;
}

static void choose_payload(struct model *m, struct peer *peer, struct soro_pkt *pkt,
			   const struct soro_opcode_row *row)
{
	u8 how = input_u8(&m->in);

	if (!(row->headers & SORO_HDR_PAYLOAD))
		return;
	pkt->payload_len = pmtu(m);
	if (row->kind == SORO_ATOMIC_WRITE)
		pkt->payload_len = sizeof(u64);
	else if (row->kind == SORO_WRITE && row->pos & SORO_FIRST)
		pkt->payload_len = train_payload(pkt->reth.len, pmtu(m));
	else if (row->kind == SORO_WRITE)
		pkt->payload_len = train_payload(peer->left, pmtu(m));
	else if (row->pos & SORO_LAST)
		pkt->payload_len = min(how * 16U, pmtu(m));
	if (how >= 0xe8)
		pkt->payload_len = pmtu(m);
	if (how >= 0xf4)
		pkt->payload_len = input_u16(&m->in) & 0x1fff;
}

static void choose_psn(struct model *m, const struct peer *peer, struct soro_pkt *pkt, u8 how)
{
	pkt->psn = peer->psn;
	if (how >= 0xf8)
		pkt->psn = input_u32(&m->in) & SORO_PSN_MASK;
	else if (how >= 0xe8)
		pkt->psn = soro_psn_add(peer->psn, how & 0xf);
	else if (how >= 0xd8)
		pkt->psn = soro_psn_add(peer->psn, -(u32)(how & 0xf));
}

static void advance(struct model *m, struct peer *peer, const struct soro_pkt *pkt)
{
	if (pkt->psn != peer->psn)
		return;
	if (pkt->row->kind == SORO_READ_REQ) {	/* an atomic is one PSN like others */
		peer->psn = soro_psn_add(peer->psn, packets_of(m, pkt->reth.len));
		return;
	}
	peer->psn = soro_psn_add(peer->psn, 1);
	if (!is_message(pkt))
		return;
	if (pkt->row->pos & SORO_FIRST)
		peer->left = pkt->row->kind == SORO_WRITE ? pkt->reth.len : 0;
	peer->left -= min_t(u32, peer->left, pkt->payload_len);
	peer->open = !(pkt->row->pos & SORO_LAST);
	peer->kind = pkt->row->kind;
}

static bool add_packet(struct model *m, struct train *train, struct peer *peer)
{
	const struct soro_opcode_row *row;
	struct soro_pkt pkt = { 0 };
	u8 how = input_u8(&m->in);

	pkt.flags = how & 1 ? SORO_PKT_ACKREQ : 0;
	pkt.flags |= how & 2 ? SORO_PKT_SE : 0;
	if (m->kept_count && how >= 0xa8 && how < 0xd8) {
		choose_retry(m, &pkt);
		return train_add(train, &pkt);
	}
	choose_operation(m, peer, &pkt);
	choose_psn(m, peer, &pkt, how);
	row = soro_opcode_row(pkt.opcode);
	if (!row)
		return false;
	if (row->headers & (SORO_HDR_RETH | SORO_HDR_ATOMICETH))
		choose_reth(m, &pkt, row->kind);
	if (row->headers & SORO_HDR_ATOMICETH) {
		pkt.atomic.va = pkt.reth.va;
		pkt.atomic.rkey = 1 + (how & 3);
	}
	if (row->headers & SORO_HDR_IMM)
		pkt.imm = how * 0x01010101U;
	if (row->headers & SORO_HDR_FETH)
		choose_feth(m, &pkt);
	else
		choose_payload(m, peer, &pkt, row);
	if (row->kind == SORO_ATOMIC_WRITE && how < 0x80)
		pkt.reth.len = sizeof(u64);
	if (!train_add(train, &pkt))
		return false;
	advance(m, peer, &train->pkts[train->n - 1]);
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
	if (!train.n)
		return;
	receive(m, train.pkts, train.n);
	receive_held(m);
}

/* ---- replies ---- */

static u32 response_bytes(u32 payload, bool aeth)
{
	return SORO_BTH_BYTES + (aeth ? SORO_AETH_BYTES : 0) + payload +
	       soro_packet_pad(payload) + SORO_ICRC_BYTES;
}

/* The longest train that may go, and packets of one size but for the last. */
static void check_sizes(const struct model *m, const struct soro_reply *reply,
			const struct soro_train_limits *limits)
{
	u32 tail = reply->range.bytes - (reply->n - 1) * pmtu(m);
	u32 first = response_bytes(reply->n == 1 ? tail : pmtu(m), reply->first);
	u32 last = response_bytes(tail, reply->last);
	u32 full = response_bytes(pmtu(m), false);

	must(reply->n <= limits->packets, "packets of a train");
	if (reply->n == 1)
		return;
	must(tail && tail <= pmtu(m) && last <= first, "the last is not longer");
	must(reply->n == 2 || first == full, "all but the last are of one length");
	must((u64)first + (u64)(reply->n - 2) * full + last <= limits->bytes, "bytes of a train");
}

/* An ACK tells of as many receives as there are, rounded down to what has a code. */
static void check_credits(const struct model *m, u8 syndrome)
{
	u8 code = syndrome & SORO_SYNDROME_VALUE;

	must((syndrome & SORO_SYNDROME_KIND) == SORO_SYNDROME_ACK, "syndrome");
	must((code == SORO_CREDIT_NONE) == !m->counts, "credits");
	must(!m->counts || (soro_credit_count(code) <= m->receives &&
			    (code == 30 || soro_credit_count(code + 1) > m->receives)),
	     "credits of what is there");
}

static void check_response(const struct model *m, const struct soro_reply *reply,
			   const struct kept *kept, const struct soro_train_limits *limits)
{
	u32 offset = kept->cursor * pmtu(m);

	if (kept->kind == SORO_CMP_SWP || kept->kind == SORO_FETCH_ADD)
		must(reply->kind == SORO_ATOMIC_ACK && reply->orig == kept->orig, "result");
	else
		must(reply->kind == SORO_READ_RESP, "what is kept is answered before any ACK");
	must(reply->n >= 1 && reply->n <= kept->end - kept->cursor, "packets of a response");
	must(reply->psn == soro_psn_add(kept->psn, kept->cursor), "PSN of a response");
	must(reply->first == kept->restart, "a response begins with FIRST");
	must(reply->last == (kept->cursor + reply->n == kept->end), "a response ends with LAST");
	check_credits(m, reply->syndrome);
	must(!reply->fatal && reply->range.rkey == kept->rkey, "response");
	if (reply->range.bytes)
		must(reply->range.right == SORO_RIGHT_READ, "a response reads");
	must(reply->range.va == kept->va + offset, "place of a response");
	must(reply->range.bytes == (reply->last ? kept->stop - offset : reply->n * pmtu(m)),
	     "bytes of a response");
	must(offset + reply->range.bytes <= kept->bytes, "beyond the RETH");
	check_sizes(m, reply, limits);
}

static void check_ack(const struct model *m, const struct soro_reply *reply)
{
	must(reply->kind == SORO_ACK && reply->n == 1 && reply->msn == m->msn, "ACK");
	must(reply->fatal == m->fatal, "the last word of a dead responder");
	if (m->fatal) {
		must(reply->psn == m->fatal_psn && reply->fault == m->fault &&
		     reply->syndrome == soro_fault_row(m->fault)->syndrome, "fatal NAK");
	} else if (m->rnr) {
		must(reply->psn == m->epsn &&
		     reply->syndrome == (SORO_SYNDROME_RNR | m->rsp.cfg.min_rnr_timer), "RNR NAK");
	} else if (m->gap) {
		must(reply->psn == m->epsn &&
		     reply->syndrome == (SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE), "sequence NAK");
	} else if (m->rsp.untold && soro_psn_diff(m->rsp.dropped_end, m->epsn) > 0) {
		must(reply->psn == m->epsn &&
		     reply->syndrome == (SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE),
		     "a loss that nobody was told of");
	} else {
		must(reply->psn == soro_psn_add(m->epsn, -1),
		     "an ACK of what was executed, and no more");
		check_credits(m, reply->syndrome);
	}
}

static void note_sent(struct model *m, const struct soro_reply *reply, struct kept *kept)
{
	if (kept) {
		kept->cursor += reply->n;
		kept->restart = false;
		if (kept->cursor == kept->end) {
			kept->owed = false;
			kept->answered = true;
		}
		return;
	}
	if (reply->syndrome == (SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE))
		m->quiet = true;
	m->want = false;
	m->gap = false;
	m->rnr = false;
	m->over = m->fatal;
}

/* One reply: 0 handed over, 1 there was no memory, 2 the range has gone. */
static bool reply_once(struct model *m, const struct soro_train_limits *limits, u8 outcome)
{
	struct soro_responder was = m->rsp;
	struct kept *kept = oldest_owed(m);
	struct soro_reply reply;
	bool any;

	any = soro_responder_reply(&m->rsp, limits, &reply);
	check_unchanged(m, &was, "asking for a reply changes nothing");
	must(any == (kept || m->want), "a reply is made exactly if one is owed");
	if (!any)
		return false;
	trace("reply kind %u psn %06x+%u syndrome %02x%s, outcome %u\n", reply.kind, reply.psn,
	      reply.n, reply.syndrome, reply.fatal ? " fatal" : "", outcome);
	if (kept)
		check_response(m, &reply, kept, limits);
	else
		check_ack(m, &reply);
	if (outcome == 1)
		return false;
	if (outcome == 2 && kept && reply.range.bytes && !m->fatal) {
		must(soro_responder_unreadable(&m->rsp, &reply) == !kept->answered,
		     "who is told that the range has gone");
		if (kept->answered)
			kept->owed = false;
		else
			note_fault(m, SORO_FAULT_ACCESS, reply.psn);
	} else {
		soro_responder_replied(&m->rsp, &reply);
		note_sent(m, &reply, kept);
	}
	check_state(m);
	return true;
}

static void fuzz_replies(struct model *m)
{
	struct soro_train_limits limits = { .packets = 1 + input_u8(&m->in) };
	u32 n = 1 + input_below(&m->in, 8);

	limits.bytes = input_rarely(&m->in, 8) ? input_u32(&m->in) : input_u16(&m->in);
	if (limits.packets < 200) {
		m->receives = limits.bytes >> limits.packets % 16;
		m->counts = true;
		soro_responder_credits(&m->rsp, m->receives);
	}
	while (n-- && reply_once(m, &limits, input_below(&m->in, 16) % 12 % 9 % 3))
		;
}

/* ---- the rest ---- */

static void configure(struct model *m)
{
	u8 flags = input_u8(&m->in), timer = input_u8(&m->in);

	m->rsp.cfg.min_rnr_timer = timer & 0x1f;
	m->rsp.cfg.reads_max = input_below(&m->in, SORO_READS_MAX + 1);
	m->rsp.cfg.allow_write = flags % 8 != 7;
	m->rsp.cfg.allow_read = flags / 8 % 8 != 7;
	m->rsp.cfg.allow_atomic = flags / 64 != 3;
	m->rsp.cfg.allow_flush = timer >> 5 != 7;
}

static void start(struct model *m)
{
	static const u32 psns[] = { 0, 0xfffffd, 0x7ffffe, 0x800000 };
	u8 how = input_u8(&m->in);

	configure(m);
	m->rsp.cfg.pmtu_bytes = 256U << how % 5;
	m->epsn = psns[how >> 6];
	soro_responder_init(&m->rsp, m->epsn);
	check_state(m);
}

/* Everything that is owed goes out at last. */
static void finish(struct model *m)
{
	struct soro_train_limits limits = { .packets = 64, .bytes = 65000 };
	u32 i;

	for (i = 0; i < 64; i++) {
		if (!reply_once(m, &limits, 0))
			return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model m = { .in = { .at = data, .left = size } };
	u32 steps;

	start(&m);
	for (steps = 0; steps < STEPS_MAX && !input_empty(&m.in) && !m.over; steps++) {
		u8 op = input_u8(&m.in);

		if (op < 0xa0)
			fuzz_train(&m, 1 + op % 12);
		else if (op < 0xf8)
			fuzz_replies(&m);
		else
			configure(&m);
	}
	finish(&m);
	if (m.over)
		fuzz_train(&m, 3);
	return 0;
}

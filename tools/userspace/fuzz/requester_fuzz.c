// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: an RC requester under any posts, responses, times and failures
 * of its driver.
 *
 * The input is a program: a configuration, then operations. Beside the engine
 * runs a model with positions that do not wrap. In the end an honest peer
 * answers everything, and whatever happened before, every WQE must be over.
 */
#include <linux/kernel.h>

#include "train.h"
#include "engine/credit.h"
#include "engine/window.h"

#define STEPS_MAX	400
#define WQES_MAX	512	/* posts of a run */
#define SLOTS_MAX	32
#define SETTLE_PSNS	600	/* what an honest peer is asked to answer in the end */

/* A WQE as it was posted; positions count PSNs from the start of the run. */
struct post {
	u8 kind;
	u8 flags;
	u8 status;	/* SUCCESS, or an error that was found before or on the way */
	u32 bytes;
	u64 first;
	u64 npsn;	/* 0: it failed before it had PSNs */
	u32 takers;	/* messages before it that take a receive */
	u32 placed;	/* READ: bytes; atomic: 8 once the answer is there */
	u64 answered;	/* READ, atomic, FLUSH: PSNs whose own answer is there */
	u32 flush_bytes;
	u8 flush_type;
	u8 flush_level;
};

struct model {
	struct soro_requester req;
	struct input in;
	struct soro_wqe slots[SLOTS_MAX];
	struct post posts[WQES_MAX];
	u32 posted;	/* in the ring or taken */
	u32 taken;
	u32 popped;
	u32 base;	/* PSN of position 0 */
	u64 una, nxt, end;
	u64 asked;	/* where the last train ended that asks for an answer */
	u32 takers;	/* messages taken that take a receive */
	u32 limit;	/* so many of them have one, as far as the peer said */
	bool unlimited;
	u8 last_credits;	/* code that the honest peer of the end sends */
	u64 now;
	u64 probe_wait;	/* from the last probe to the next, 0 after progress */
	u32 losses;	/* timeouts and NAKs since the last progress */
	u32 rnrs;
	u8 reads_max;	/* the largest that was configured */
	bool lenient;	/* retries or timeout were changed on the way */
	bool drained;	/* SQD: takes nothing */
	bool error;	/* the first error was popped, or the QP flushed */
	bool failed;	/* a WQE was popped that did not succeed */
};

static u32 pmtu(const struct model *m)
{
	return m->req.cfg.pmtu_bytes;
}

/* Whether it brings back what was there before. */
static bool is_fetching(const struct post *post)
{
	return post->kind == SORO_CMP_SWP || post->kind == SORO_FETCH_ADD;
}

static bool is_atomic(const struct post *post)
{
	return is_fetching(post) || post->kind == SORO_ATOMIC_WRITE;
}

/* Whether it is answered by more than an ACK. */
static bool is_read(const struct post *post)
{
	return post->kind == SORO_READ_REQ || is_atomic(post) || post->kind == SORO_FLUSH;
}

/* What is not granted the peer refuses; what nobody has defined is not sent. */
static bool flush_is_valid(const struct post *post)
{
	return post->flush_type >= 1 && post->flush_type <= 3 && post->flush_level <= 1;
}

static bool takes_receive(const struct post *post)
{
	return post->kind == SORO_SEND || (post->kind == SORO_WRITE && post->flags & SORO_WQE_IMM);
}

static u32 payload_at(const struct model *m, const struct post *post, u64 skipped)
{
	return train_payload(post->bytes - skipped * pmtu(m), pmtu(m));
}

/* The WQE that has @position, NULL if none. */
static struct post *post_at(struct model *m, u64 position)
{
	u32 i;

	for (i = m->popped; i < m->taken; i++) {
		struct post *post = &m->posts[i];

		if (position >= post->first && position < post->first + post->npsn)
			return post;
	}
	return NULL;
}

/* ---- credits ---- */

/* The first WQE that is not complete once everything before @position is. */
static u32 first_open(const struct model *m, u64 position)
{
	u32 i = m->popped;

	while (i < m->taken && m->posts[i].first + max_t(u64, m->posts[i].npsn, 1) <= position)
		i++;
	return i;
}

static u32 takers_before(const struct model *m, u32 post)
{
	return post == m->taken ? m->takers : m->posts[post].takers;
}

/* The WQE that @messages others lie before, from WQE @slot on; what failed early is no message. */
static u32 after_messages(const struct model *m, u32 slot, u32 messages)
{
	u32 start = slot;

	while (messages && slot < m->taken)
		messages -= m->posts[slot++].npsn != 0;
	return messages ? start : slot;
}

/* Whether a message that takes a receive is on its way before WQE @slot. */
static bool taker_in_flight(const struct model *m, u32 slot)
{
	u32 i;

	for (i = m->popped; i < slot; i++) {
		const struct post *post = &m->posts[i];

		if (takes_receive(post) && post->first + post->npsn > m->una)
			return true;
	}
	return false;
}

static bool lacks_credit(const struct model *m, const struct post *post)
{
	return takes_receive(post) && !m->unlimited && post->takers >= m->limit;
}

/* The limit is what AETHs said: messages executed and receives left for those that follow. */
static void check_credits(struct model *m, const struct soro_requester *was, bool broken,
			  const struct soro_pkt *pkt)
{
	u32 reach = (pkt->psn - was->una + 1) & SORO_PSN_MASK;
	bool says = pkt->row->transport == SORO_RC && pkt->row->response &&
		    pkt->row->headers & SORO_HDR_AETH &&
		    (pkt->syndrome & SORO_SYNDROME_KIND) == SORO_SYNDROME_ACK &&
		    reach <= ((was->nxt - was->una) & SORO_PSN_MASK);
	u8 code = pkt->syndrome & SORO_SYNDROME_VALUE;
	u32 open = first_open(m, m->una);
	u32 ahead = (pkt->msn - open) & SORO_PSN_MASK;

	if (says && !broken && !m->unlimited) {
		m->unlimited = code == SORO_CREDIT_NONE;
		if (!m->unlimited)
			m->limit = max(m->limit, takers_before(m, after_messages(m, open, ahead)) +
						 soro_credit_count(code));
	}
	must(m->req.unlimited == m->unlimited, "a peer without credits");
	must(m->req.limit == m->limit, "the limit is what the peer said");
}

/* ---- what must hold at any time ---- */

static u64 position_of_psn(const struct model *m)
{
	return m->una + ((m->req.psn - m->req.una) & SORO_PSN_MASK);
}

/* WQE @slot holds @position, or failed before it had any, or is beyond the last. */
static void check_holds(const struct model *m, u32 slot, u64 position)
{
	const struct post *post = &m->posts[slot];

	if (slot == m->taken) {
		must(position == m->end, "cursor at the tail");
		return;
	}
	must(position >= post->first && position < post->first + max_t(u64, post->npsn, 1),
	     "cursor in its WQE");
}

static void check_cursors(struct model *m)
{
	const struct soro_requester *req = &m->req;
	u32 moved = (req->una - (m->base + (u32)m->una)) & SORO_PSN_MASK;
	u32 flight = (req->nxt - req->una) & SORO_PSN_MASK;
	u32 ahead = (req->psn - req->una) & SORO_PSN_MASK;
	u64 una = m->una + moved;

	must(req->tail == m->taken && req->head == m->popped, "slots");
	must(req->acked - req->head <= req->tail - req->head &&
	     req->cur - req->acked <= req->tail - req->acked, "order of WQE cursors");
	must(req->tail - req->head <= req->mask + 1, "more WQEs than slots");
	if (m->error)
		return;
	must(moved <= m->nxt - m->una, "una moves forward, to nxt at most");
	if (moved) {
		m->losses = 0;
		m->rnrs = 0;
		m->probe_wait = 0;
	}
	m->una = una;
	must(una + flight >= m->nxt, "nxt moves forward");
	m->nxt = una + flight;
	must(flight < 1U << 23, "PSNs in flight");
	must(ahead <= flight, "una <= psn <= nxt");
	must(m->nxt <= m->end, "nxt <= end");
	check_holds(m, req->acked, una);
	check_holds(m, req->cur, una + ahead);
	must(req->window_bytes >= SORO_WINDOW_MIN_BYTES &&
	     req->window_bytes <= SORO_WINDOW_MAX_BYTES, "window");
	must(req->reads <= m->reads_max, "READs outstanding");
}

static void check_deadline(const struct model *m)
{
	u64 deadline = soro_requester_deadline(&m->req);

	if (m->error || soro_window_broken(&m->req)) {
		must(!deadline, "a deadline of a QP in error");
		return;
	}
	/* after an RNR timer everything is about to be sent again */
	if (m->req.psn != m->req.una && m->req.cfg.timeout_ns && !m->lenient)
		must(deadline, "something is in flight and no deadline is armed");
	if (deadline && !m->req.rnr_deadline_ns && !m->lenient)
		must(deadline <= m->now + 4 * m->req.cfg.timeout_ns, "deadline");
	if (m->req.probe_deadline_ns)
		must(m->req.ack_deadline_ns, "a probe without a timeout behind it");
}

/* READs, atomics and FLUSHes are acknowledged by their answer and nothing else. */
static void check_read_at_una(struct model *m)
{
	const struct post *post = post_at(m, m->una);

	if (!post || !is_read(post) || post->status != SORO_ST_SUCCESS)
		return;
	must(post->answered == m->una - post->first, "una and the answers to its READ");
	must(post->placed == min_t(u64, post->bytes, post->answered * pmtu(m)),
	     "una and the data of its READ");
}

static void check_state(struct model *m)
{
	check_cursors(m);
	check_deadline(m);
	if (!m->error)
		check_read_at_una(m);
}

/* ---- completions ---- */

static void note_success(struct model *m, struct post *post, const struct soro_req_done *done)
{
	must(!m->failed && post->status == SORO_ST_SUCCESS, "success after an error");
	must(post->npsn && post->first + post->npsn <= m->una, "success without an ACK");
	must(!is_read(post) || (post->placed == post->bytes && post->answered == post->npsn),
	     "a READ without all its data");
	must(done->completion == !!(post->flags & SORO_WQE_SIGNALED), "completion");
	must(!done->error, "success is no error");
}

static void note_first_error(struct model *m, struct post *post, const struct soro_req_done *done)
{
	must(done->error, "the first error is told");
	m->error = true;
	switch (done->status) {
	case SORO_ST_RETRY_EXC:
		must(m->lenient || m->losses > m->req.cfg.retry_cnt, "retries were left");
		break;
	case SORO_ST_RNR_RETRY_EXC:
		must(m->lenient || (m->req.cfg.rnr_retry < 7 && m->rnrs > m->req.cfg.rnr_retry),
		     "RNR retries were left");
		break;
	case SORO_ST_BAD_RESP:
	case SORO_ST_REM_INV_REQ:
	case SORO_ST_REM_ACCESS:
	case SORO_ST_REM_OP:
		must(post->npsn, "the peer's error of what it never saw");
		break;
	default:
		must(done->status == post->status, "status");
	}
}

static void pop_all(struct model *m)
{
	struct soro_req_done done;

	while (soro_requester_pop(&m->req, &done)) {
		struct post *post = &m->posts[m->popped];

		trace("pop %u status %u\n", done.slot, done.status);
		must(m->popped < m->taken && done.slot == m->popped, "WQEs pop once and in order");
		if (done.status == SORO_ST_SUCCESS)
			note_success(m, post, &done);
		else
			must(done.completion, "an error completes");
		if (done.status != SORO_ST_SUCCESS && m->error)
			must(done.status == SORO_ST_FLUSH && !done.error, "flushed after an error");
		else if (done.status != SORO_ST_SUCCESS)
			note_first_error(m, post, &done);
		m->failed |= done.status != SORO_ST_SUCCESS;
		m->popped++;
	}
	if (m->error)
		must(m->popped == m->taken, "after an error everything is over");
}

/* The caller puts the QP in error: what is left is flushed. */
static void flush(struct model *m)
{
	bool due = soro_window_broken(&m->req) && !m->req.failed;

	trace("flush\n");
	soro_requester_flush(&m->req);
	if (!due)
		m->error = true;
	check_state(m);
	pop_all(m);
	must(m->popped == m->taken, "a flush ends everything");
}

/* ---- posts ---- */

static u32 choose_bytes(struct model *m)
{
	u8 how = input_u8(&m->in);

	if (how < 0x40)
		return how / 4;
	if (how < 0xd0)
		return (how >> 3) % 9 * pmtu(m) + (how & 1 ? input_u8(&m->in) : 0);
	if (how < 0xf0)
		return input_u16(&m->in) * 16U;
	return input_u32(&m->in);
}

/* Mostly what is valid; the length is no message length. */
static void choose_flush(struct model *m, struct post *post)
{
	u8 how = input_u8(&m->in);

	post->kind = SORO_FLUSH;
	post->flush_bytes = choose_bytes(m);
	post->flush_type = 1 + how % 3;
	post->flush_level = how >> 4 & 1;
	if (how >= 0xe0)
		post->flush_level = how & 3;
	else if (how >= 0xd0)
		post->flush_type = how & 7;
}

static void fuzz_post(struct model *m)
{
	static const u8 kinds[] = {
		SORO_SEND, SORO_WRITE, SORO_READ_REQ, SORO_SEND, SORO_WRITE, SORO_READ_REQ,
		SORO_CMP_SWP, SORO_FETCH_ADD, SORO_ATOMIC_WRITE,
		SORO_ACK, SORO_FLUSH,
	};
	static const u8 errors[] = { SORO_ST_LOC_LEN, SORO_ST_LOC_PROT, SORO_ST_LOC_QP_OP };
	struct post *post = &m->posts[m->posted];
	u8 how = input_u8(&m->in), flags;

	if (m->posted == WQES_MAX - 1)
		return;
	memset(post, 0, sizeof(*post));
	flags = input_u8(&m->in);
	post->kind = kinds[how < 0xe0 ? how % 9 : how % ARRAY_SIZE(kinds)];
	post->flags = flags & (SORO_WQE_SIGNALED | SORO_WQE_SOLICITED | SORO_WQE_FENCE |
			       SORO_WQE_IMM | SORO_WQE_INV);
	if (post->kind != SORO_SEND)
		post->flags &= ~SORO_WQE_INV;
	if (post->kind != SORO_SEND && post->kind != SORO_WRITE)
		post->flags &= ~SORO_WQE_IMM;
	if (post->flags & SORO_WQE_IMM)
		post->flags &= ~SORO_WQE_INV;
	/* every second ATOMIC WRITE is a FLUSH */
	if (post->kind == SORO_FLUSH || (post->kind == SORO_ATOMIC_WRITE && flags & 0x80))
		choose_flush(m, post);
	else
		post->bytes = is_atomic(post) && how % 16 ? sizeof(u64) : choose_bytes(m);
	if (how >= 0xf8)
		post->status = errors[how % ARRAY_SIZE(errors)];
	m->posted++;
}

/* Whether the engine was right to accept or refuse what was taken. */
static void note_taken(struct model *m, struct post *post, const struct soro_wqe *wqe)
{
	bool known = post->kind == SORO_SEND || post->kind == SORO_WRITE || is_read(post);

	trace("take %u kind %u flags %02x bytes %u status %u psn %06x+%u\n", m->taken, post->kind,
	      post->flags, post->bytes, wqe->status, wqe->psn, wqe->npsn);
	post->first = m->end;
	post->takers = m->takers;
	if (post->status != SORO_ST_SUCCESS) {
		must(wqe->status == post->status, "an error that was there is kept");
		return;
	}
	post->status = wqe->status;
	if (is_read(post) && !m->req.cfg.reads_max)
		must(wqe->status == SORO_ST_LOC_QP_OP, "a READ that may never go");
	else if (post->kind == SORO_FLUSH)
		must(wqe->status == (flush_is_valid(post) ? SORO_ST_SUCCESS : SORO_ST_LOC_QP_OP),
		     "type and level of a FLUSH");
	else if (is_atomic(post) && post->bytes != sizeof(u64))
		must(wqe->status == SORO_ST_LOC_LEN, "an atomic is of 8 bytes");
	else if (known && post->bytes > SORO_MESSAGE_MAX)
		must(wqe->status == SORO_ST_LOC_LEN, "too long");
	else if (known)
		must(wqe->status == SORO_ST_SUCCESS, "refused a proper WQE");
	if (wqe->status != SORO_ST_SUCCESS)
		return;
	must(known, "took what it does not know");
	post->npsn = post->bytes ? ((u64)post->bytes + pmtu(m) - 1) / pmtu(m) : 1;
	must(wqe->npsn == post->npsn, "PSNs of a WQE");
	must(wqe->psn == ((m->base + (u32)m->end) & SORO_PSN_MASK), "first PSN of a WQE");
	m->end += post->npsn;
	m->takers += takes_receive(post);
}

static bool take(struct model *m)
{
	struct post *post = &m->posts[m->taken];
	struct soro_wqe *wqe;

	if (m->taken == m->posted || m->drained || m->error || !soro_requester_room(&m->req))
		return false;
	wqe = soro_requester_slot(&m->req, m->req.tail);
	memset(wqe, 0x5a, sizeof(*wqe));
	wqe->kind = post->kind;
	wqe->flags = post->flags;
	wqe->bytes = post->bytes;
	wqe->status = post->status;
	if (post->kind == SORO_FLUSH) {
		wqe->flush_bytes = post->flush_bytes;
		wqe->flush_type = post->flush_type;
		wqe->flush_level = post->flush_level;
	}
	soro_requester_take(&m->req);
	note_taken(m, post, wqe);
	m->taken++;
	check_state(m);
	return true;
}

/* ---- sending ---- */

/* Payload, and a constant for each packet, of the PSNs in [from, to). */
static u64 weight(struct model *m, u64 from, u64 to)
{
	u64 sum = 0;
	u32 i;

	for (i = m->popped; i < m->taken; i++) {
		const struct post *post = &m->posts[i];
		u64 a = max(from, post->first), b = min(to, post->first + post->npsn);

		if (a >= b)
			continue;
		sum += (b - a) * (SORO_WINDOW_PACKET_BYTES + pmtu(m));
		if (b == post->first + post->npsn)
			sum -= post->npsn * pmtu(m) - post->bytes;
	}
	return sum;
}

static u32 packet_bytes(const struct post *post, u32 payload, bool first, bool last)
{
	struct soro_pkt pkt = { 0 };
	u16 headers = 0;

	if (last && post->flags & SORO_WQE_IMM)
		headers = SORO_HDR_IMM;
	else if (last && post->flags & SORO_WQE_INV)
		headers = SORO_HDR_IETH;
	pkt.opcode = soro_opcode_make(SORO_RC, post->kind, (first ? SORO_FIRST : 0) |
				      (last ? SORO_LAST : 0), headers);
	must(soro_opcode_row(pkt.opcode), "an operation without an opcode");
	return soro_packet_bytes(soro_opcode_row(pkt.opcode), payload);
}

/* All of one size but the last, which may be shorter; all within the limits. */
static void check_sizes(const struct model *m, const struct post *post,
			const struct soro_train *train, const struct soro_train_limits *limits)
{
	u64 skipped = train->offset / pmtu(m), total = 0;
	u32 size = 0, i;

	must(train->n <= limits->packets, "packets of a train");
	for (i = 0; i < train->n; i++) {
		u32 bytes = packet_bytes(post, payload_at(m, post, skipped + i), !skipped && !i,
					 skipped + i + 1 == post->npsn);

		must(!i || bytes <= size, "a packet longer than the first");
		must(!i || i + 1 == train->n || bytes == size, "packets of one size");
		size = i ? size : bytes;
		total += bytes;
	}
	must(train->n == 1 || total <= limits->bytes, "bytes of a train");
}

static void check_fence(const struct model *m, u32 slot)
{
	u32 i;

	for (i = m->popped; i < slot; i++) {
		const struct post *post = &m->posts[i];

		must(!is_read(post) || post->first + post->npsn <= m->una, "fence overrun");
	}
}

static void check_message(struct model *m, const struct post *post, const struct soro_train *train,
			  const struct soro_train_limits *limits, u64 at)
{
	u64 skipped = at - post->first;

	must(train->npsn == train->n, "PSNs of a message");
	must(train->first == !skipped && train->last == (skipped + train->n == post->npsn),
	     "position in the message");
	must(train->bytes == (train->last ? post->bytes - train->offset : train->n * pmtu(m)),
	     "bytes of a train");
	check_sizes(m, post, train, limits);
	must((train->n == 1 && at == m->una) ||
	     weight(m, m->una, at + train->n) <= m->req.window_bytes, "window");
}

static void check_request(struct model *m, const struct post *post, const struct soro_train *train,
			  u64 at)
{
	u64 skipped = at - post->first;

	must(train->n == 1 && train->first && train->last, "a request is one packet");
	must(train->npsn >= 1 && train->npsn <= SORO_READ_PSN_MAX &&
	     train->npsn <= post->npsn - skipped, "PSNs of a READ request");
	must(train->bytes == min_t(u64, post->bytes - train->offset, (u64)train->npsn * pmtu(m)),
	     "bytes of a READ request");
	must(m->req.reads < m->req.cfg.reads_max, "READs outstanding");
	must(!m->req.reads || weight(m, m->una, at + train->npsn) <= m->req.window_bytes, "window");
}

static void check_train(struct model *m, const struct soro_train *train,
			const struct soro_train_limits *limits)
{
	const struct post *post = &m->posts[train->slot];
	u64 at = position_of_psn(m);

	must(!m->error && train->slot == m->req.cur && train->slot < m->taken, "WQE of a train");
	must(post->status == SORO_ST_SUCCESS, "a WQE that failed is sent");
	must(train->psn == m->req.psn && train->kind == post->kind, "train");
	must(train->n >= 1 && train->offset == (at - post->first) * pmtu(m), "place of a train");
	must(train->resend == (at < m->nxt), "sent before");
	must(!m->req.rnr_deadline_ns || m->now >= m->req.rnr_deadline_ns, "sent while RNR waits");
	if (is_read(post))
		check_request(m, post, train, at);
	else
		check_message(m, post, train, limits, at);
	if (post->flags & SORO_WQE_FENCE && at == post->first)
		check_fence(m, train->slot);
	if (at == post->first && lacks_credit(m, post)) {
		must(!taker_in_flight(m, train->slot), "a second message without a credit");
		must(train->ackreq || !train->last, "a message without a credit asks");
	}
}

/* Nothing is sent: for the reason that is given. */
static void check_wait(struct model *m)
{
	const struct soro_requester *req = &m->req;
	const struct post *post = &m->posts[req->cur];
	u64 at = position_of_psn(m);

	switch (req->wait) {
	case SORO_WAIT_EMPTY:
		must(req->cur == m->taken, "there is a WQE to send");
		break;
	case SORO_WAIT_WINDOW:
		must(at != m->una, "one packet may always go");
		must(weight(m, m->una, at + 1) > req->window_bytes || is_read(post), "room");
		break;
	case SORO_WAIT_READS:
		must(is_read(post) && req->reads >= req->cfg.reads_max && req->reads, "READs");
		break;
	case SORO_WAIT_FENCE:
		must(post->flags & SORO_WQE_FENCE && req->reads, "fence");
		break;
	case SORO_WAIT_RNR:
		must(req->rnr_deadline_ns > m->now, "RNR");
		break;
	case SORO_WAIT_HOLE:
		must(at != m->una && at != m->nxt, "nothing was sent again");
		must(soro_requester_deadline(req) || m->lenient, "a wait without a deadline");
		break;
	case SORO_WAIT_CREDITS:
		must(lacks_credit(m, post) && taker_in_flight(m, req->cur), "credits");
		break;
	case SORO_WAIT_FAILED:
		must(m->error || soro_window_broken(req) || post->status != SORO_ST_SUCCESS,
		     "nothing failed");
		break;
	default:
		must(false, "a reason to wait");
	}
}

/*
 * Nothing can be sent. Something that is in flight must have asked for an answer, or
 * everything would wait for a timeout that there may not be; or a probe will ask, but
 * not where @eager says that there is more to send. A peer that keeps what is out of order
 * was not sent everything again.
 */
static void check_asked(const struct model *m, bool eager)
{
	if (m->error || soro_window_broken(&m->req) || m->req.rnr_deadline_ns)
		return;
	if (m->nxt == m->una)
		return;
	if ((m->req.probe_deadline_ns && !eager) || (m->req.keeps && m->req.ack_deadline_ns))
		return;
	must(m->asked > m->una, "nobody asked for an ACK");
}

static void note_sent(struct model *m, const struct soro_train *train)
{
	u64 end = position_of_psn(m) + train->npsn;

	if (position_of_psn(m) == m->una)
		m->asked = 0;	/* begins anew, perhaps after a loss */
	trace("send %u psn %06x+%u in %u%s%s%s%s, reads %u\n", train->slot, train->psn, train->npsn,
	      train->n, train->first ? " first" : "", train->last ? " last" : "",
	      train->ackreq ? " ackreq" : "", train->resend ? " again" : "", m->req.reads);
	soro_requester_sent(&m->req, train, m->now);
	if (train->ackreq || is_read(&m->posts[train->slot]))
		m->asked = end;
	check_state(m);
	must(position_of_psn(m) == end, "sent moves the cursor");
}

static void fail(struct model *m, u32 slot)
{
	if (m->posts[slot].status == SORO_ST_SUCCESS)
		m->posts[slot].status = SORO_ST_LOC_PROT;
	trace("fail %u\n", slot);
	soro_requester_fail(&m->req, slot, SORO_ST_LOC_PROT);
	check_state(m);
}

/* Plan and send until nothing can be sent, or @trains are on their way. */
static void transmit(struct model *m, const struct soro_train_limits *limits, u32 trains,
		     bool greedy)
{
	struct soro_train train;

	while (trains--) {
		struct soro_requester was;
		u8 outcome;
		bool more, any;

		while (greedy && take(m))
			;
		if (m->req.cur == m->req.tail && !take(m)) {
			check_asked(m, false);
			return;
		}
		more = !m->drained && !m->error && m->taken < m->posted;
		was = m->req;
		any = soro_requester_plan(&m->req, limits, more, m->now, &train);
		was.wait = m->req.wait;
		must(!memcmp(&was, &m->req, sizeof(was)), "a plan changes nothing");
		must(any == !m->req.wait, "a train or a reason");
		if (!any) {
			trace("wait %02x, window %u\n", m->req.wait, m->req.window_bytes);
			check_wait(m);
			check_asked(m, m->req.wait == SORO_WAIT_CREDITS);
			return;
		}
		check_train(m, &train, limits);
		outcome = input_u8(&m->in);
		if (outcome >= 0xfc)
			fail(m, train.slot);
		else if (outcome >= 0xf0)
			return;	/* no memory: nothing happened */
		else
			note_sent(m, &train);
	}
}

static void fuzz_transmit(struct model *m, u8 op)
{
	struct soro_train_limits limits = { .packets = 64, .bytes = 65000 };
	u8 how = input_u8(&m->in);

	if (how & 1)
		limits.packets = 1 + input_below(&m->in, 16);
	if (how & 2)
		limits.bytes = input_u16(&m->in);
	/* completed WQEs have left, or their slots would hold up what asks for an ACK */
	pop_all(m);
	if (m->error)
		return;
	transmit(m, &limits, how & 4 ? 1 + (how >> 4) : 32, how & 8);
}

/* ---- responses ---- */

static void choose_data(struct model *m, struct soro_pkt *pkt, u64 at, u8 how)
{
	const struct post *post = post_at(m, at);
	u8 pos = SORO_MIDDLE;
	u64 skipped;

	pkt->payload_len = pmtu(m);
	if (post && post->kind == SORO_ATOMIC_WRITE) {
		pkt->payload_len = 0;
		pos = SORO_ONLY;
	} else if (post) {
		skipped = at - post->first;
		pkt->payload_len = payload_at(m, post, skipped);
		if (skipped + 1 == post->npsn || (skipped + 1) % SORO_READ_PSN_MAX == 0)
			pos = SORO_LAST;
		if (!skipped)
			pos |= SORO_FIRST;
	}
	if (how >= 0xf0)
		pos = how & 3;
	if (how >= 0xf8)
		pkt->payload_len = input_u16(&m->in) & 0x1fff;
	pkt->syndrome = how & 0xc ? SORO_CREDIT_NONE : how >> 4;
	pkt->opcode = soro_opcode_make(SORO_RC, SORO_READ_RESP, pos, 0);
}

static void choose_ack(struct model *m, struct soro_pkt *pkt, u8 how)
{
	static const u8 syndromes[] = {
		SORO_CREDIT_NONE, 2, 0, SORO_SYNDROME_RNR | 1,
		SORO_SYNDROME_NAK | SORO_NAK_SEQUENCE, 6,
	};

	pkt->opcode = soro_opcode_make(SORO_RC, SORO_ACK, SORO_ONLY, 0);
	pkt->syndrome = syndromes[how % ARRAY_SIZE(syndromes)];
	if (how >= 0xf0)
		pkt->syndrome = input_u8(&m->in);
	else if (how >= 0xe8)
		pkt->syndrome = SORO_SYNDROME_NAK | (how & 3);
}

/* Messages that were executed when everything before @position was; now and then a lie. */
static u32 choose_msn(const struct model *m, u64 position, u8 how)
{
	u32 msn = first_open(m, position);

	if (how % 32 == 31)
		msn += 0x800000;
	else if (how % 32 == 30)
		msn -= how >> 5;
	else if (how % 32 == 29)
		msn += how >> 5;
	return msn & SORO_PSN_MASK;
}

static u64 choose_position(struct model *m, u8 how)
{
	u64 flight = m->nxt - m->una;

	switch (how >> 5) {
	case 0:
	case 1:
		return m->una;
	case 2:
		return m->nxt - 1;
	case 3:
		return m->una + (how & 0x1f);
	case 4:
		return m->nxt - (how & 0x1f);
	case 5:
		return position_of_psn(m) + (how & 0xf) - 8;
	case 6:
		return m->una + flight * (how & 0x1f) / 32;
	default:
		return input_u32(&m->in);
	}
}

/* One response, or a run of them if they are data of a READ. */
static bool add_responses(struct model *m, struct train *train)
{
	u8 what = input_u8(&m->in), how = input_u8(&m->in);
	u64 at = choose_position(m, input_u8(&m->in));
	const struct post *post = post_at(m, at);
	struct soro_pkt pkt = { 0 };
	u32 n = 1;

	/* mostly what belongs there */
	if (what < 0x80)
		what = !post || !is_read(post) ? 0x80 : is_fetching(post) ? 0xf0 : 0xa0;
	if (what >= 0xf0) {
		pkt.opcode = what >= 0xf8 ? input_u8(&m->in) :
			     soro_opcode_make(SORO_RC, SORO_ATOMIC_ACK, SORO_ONLY, 0);
	} else if (what >= 0xa0) {
		n = 1 + how % 8;
	} else {
		choose_ack(m, &pkt, how);
	}
	for (; n; n--, at++) {
		if (what >= 0xa0 && what < 0xf0)
			choose_data(m, &pkt, at, how);
		pkt.psn = (m->base + (u32)at) & SORO_PSN_MASK;
		pkt.msn = choose_msn(m, at + 1, how);
		if (!train_add(train, &pkt))
			return false;
	}
	return true;
}

/* How far a response may move una: what it says and no further. */
static u64 allowed(const struct model *m, const struct soro_pkt *pkt)
{
	u32 ahead = (pkt->psn - m->req.una) & SORO_PSN_MASK;
	u64 at = m->una + ahead;

	if (ahead >= m->nxt - m->una)
		return m->una;
	if (pkt->row->kind != SORO_ACK)
		return at;
	return (pkt->syndrome & SORO_SYNDROME_KIND) == SORO_SYNDROME_ACK ? at + 1 : at;
}

/* With progress the deadline starts anew, or ends if nothing is in flight any more. */
static void check_progress(const struct model *m, u64 una)
{
	u64 deadline = soro_requester_deadline(&m->req);

	if (m->error || m->una == una || soro_window_broken(&m->req) || m->req.rnr_deadline_ns)
		return;
	if (m->nxt == m->una)
		must(!deadline, "a deadline of nothing");
	else if (m->req.cfg.timeout_ns)
		must(m->req.ack_deadline_ns >= m->now + m->req.cfg.timeout_ns,
		     "a deadline that began before");
}

static void place(struct model *m, const struct soro_req_step *step, const struct soro_pkt *pkts,
		  bool fails)
{
	struct post *post = &m->posts[step->slot];
	u64 una;
	u32 bytes = 0, i;

	must(step->slot >= m->popped && step->slot < m->taken && is_read(post), "READ of the data");
	must(post->status == SORO_ST_SUCCESS, "data for a WQE that failed");
	must(step->offset == post->placed && step->bytes <= post->bytes - post->placed,
	     "data out of place");
	must((step->verdict == SORO_REQ_STORE) == is_fetching(post), "result of an atomic");
	must(post->kind == SORO_READ_REQ || (step->n == 1 && !step->bytes),
	     "answer to an atomic or FLUSH");
	for (i = 0; i < step->n; i++) {
		must(pkts[i].row->kind == (step->verdict == SORO_REQ_STORE ? SORO_ATOMIC_ACK :
					   SORO_READ_RESP), "kind of the data");
		must(pkts[i].psn == soro_psn_add(m->req.una, i), "data in order");
		bytes += pkts[i].payload_len;
	}
	must(bytes == step->bytes && step->n <= m->nxt - m->una, "data that was asked for");
	if (fails) {
		fail(m, step->slot);
		return;
	}
	una = m->una + step->n;
	post->placed += is_atomic(post) ? sizeof(u64) : step->bytes;
	post->answered += step->n;
	soro_requester_commit(&m->req, step, m->now);
	check_state(m);
	must(m->error || m->una == una, "data acknowledges itself");
}

static void receive(struct model *m, const struct soro_pkt *pkts, u32 n, bool fails)
{
	u32 i;
	struct soro_req_step step;

	for (i = 0; i < n; i += step.n) {
		struct soro_requester was = m->req;
		u8 kind = pkts[i].syndrome & SORO_SYNDROME_KIND;
		u64 limit = allowed(m, &pkts[i]);
		bool broken = soro_window_broken(&m->req);
		u64 una = m->una;

		soro_requester_judge(&m->req, pkts + i, n - i, m->now, &step);
		trace("%s psn %06x syndrome %02x bytes %u: verdict %u drop %u, una %06x psn %06x nxt %06x\n",
		      pkts[i].row->name, pkts[i].psn, pkts[i].syndrome, pkts[i].payload_len,
		      step.verdict, step.drop, m->req.una, m->req.psn, m->req.nxt);
		must(step.n >= 1 && step.n <= n - i, "packets of a step");
		check_cursors(m);
		must(m->error || m->una <= limit, "una beyond what was acknowledged");
		check_credits(m, &was, broken, pkts + i + step.n - 1);
		if (step.implied || kind == SORO_SYNDROME_NAK)
			m->losses++;
		if (kind == SORO_SYNDROME_RNR)
			m->rnrs++;
		if (step.verdict == SORO_REQ_DROP) {
			must(step.drop > SORO_DROP_NONE && step.drop < SORO_DROP_COUNT, "reason");
			must(!memcmp(&was, &m->req, sizeof(was)), "a drop changes nothing");
		}
		must(!broken || step.verdict == SORO_REQ_DROP, "the wire has no say any more");
		if (step.verdict == SORO_REQ_PLACE || step.verdict == SORO_REQ_STORE)
			place(m, &step, pkts + i, fails);
		check_state(m);
		check_progress(m, una);
	}
}

static void fuzz_responses(struct model *m, u8 op)
{
	struct train train = { 0 };
	u32 n = 1 + op % 4;

	while (n-- && add_responses(m, &train))
		;
	if (train.n)
		receive(m, train.pkts, train.n, input_u8(&m->in) >= 0xf8);
}

/* ---- time and the rest ---- */

/* A probe costs no retry and leaves window and timeout as they are. */
static void check_probe(struct model *m, const struct soro_requester *was)
{
	const struct soro_requester *req = &m->req;
	u64 wait = req->probe_deadline_ns ? req->probe_deadline_ns - m->now : 0;

	must(req->retry_left == was->retry_left && req->window_bytes == was->window_bytes &&
	     req->ack_deadline_ns == was->ack_deadline_ns, "the price of a probe");
	must(req->psn == req->una && req->singles, "a probe");
	must(!wait || wait >= m->probe_wait, "probes become rarer");
	m->probe_wait = wait;
}

static void pass_time(struct model *m, u64 now)
{
	u64 deadline = soro_requester_deadline(&m->req);
	struct soro_requester was = m->req;
	bool acted;

	m->now = now;
	acted = soro_requester_timeout(&m->req, m->now);
	if (!deadline || now < deadline) {
		must(!acted && !memcmp(&was, &m->req, sizeof(was)), "a timeout before its time");
		return;
	}
	trace("timeout, psn %06x, probes %llu\n", m->req.psn, m->req.probed);
	if (m->req.probed != was.probed)
		check_probe(m, &was);
	else if (!was.rnr_deadline_ns)
		m->losses++;
	if (m->req.probed == was.probed)
		m->probe_wait = 0;
	check_state(m);
}

/* The peer is silent while @n deadlines pass. */
static void endure(struct model *m, u32 n)
{
	struct soro_train_limits limits = { .packets = 64, .bytes = 65000 };
	size_t left = m->in.left;

	m->in.left = 0;		/* the driver has luck */
	while (n-- && !soro_window_broken(&m->req) && soro_requester_deadline(&m->req)) {
		pass_time(m, max(soro_requester_deadline(&m->req), m->now));
		transmit(m, &limits, 4, false);
	}
	m->in.left = left;
}

static void fuzz_time(struct model *m)
{
	u64 deadline = soro_requester_deadline(&m->req);
	u8 how = input_u8(&m->in);

	if (how < 0x78)
		pass_time(m, max(deadline, m->now));
	else if (how < 0x80)	/* silence for a while, whatever is sent meanwhile */
		endure(m, 2U << (how & 7));
	else if (how < 0xc0)
		pass_time(m, m->now + (how & 0x3f) * 1000);
	else
		pass_time(m, m->now + ((u64)input_u16(&m->in) << (how & 0x1f)));
}

static void choose_config(struct model *m)
{
	struct soro_requester_config cfg = m->req.cfg;
	u8 how = input_u8(&m->in);

	cfg.retry_cnt = how & 7;
	cfg.rnr_retry = how >> 3 & 7;
	cfg.timeout_ns = how >> 6 ? 4096ULL << (how >> 6) * 8 : 0;
	cfg.reads_max = input_below(&m->in, SORO_READS_MAX + 1);
	if (m->req.cfg.reads_max)	/* READs that were taken may not be forbidden */
		cfg.reads_max = max_t(u8, cfg.reads_max, 1);
	m->reads_max = max(m->reads_max, cfg.reads_max);
	soro_requester_configure(&m->req, &cfg, m->now);
}

/* SQD: nothing new is taken; attributes may change. */
static void fuzz_drain(struct model *m)
{
	u8 how = input_u8(&m->in);

	m->drained = !m->drained;
	trace("drain %u\n", m->drained);
	if (m->drained) {
		soro_requester_ask_again(&m->req);
		check_state(m);
	} else if (how & 1) {
		choose_config(m);
		m->lenient = true;
		check_state(m);
	}
}

static void start(struct model *m)
{
	static const u32 psns[] = { 0, 0xfffffd, 0x7ffffe, 0x800000 };
	u8 how = input_u8(&m->in);

	m->req.wqes = m->slots;
	m->req.stride = sizeof(m->slots[0]);
	m->req.mask = (1U << (how >> 5) % 6) - 1;
	soro_requester_reset(&m->req);
	choose_config(m);
	m->req.cfg.pmtu_bytes = 256U << how % 5;
	m->now = 1000;
	soro_requester_init(&m->req, 0);
	if (how & 0x10) {	/* WQEs that were taken before the first PSN was known */
		fuzz_post(m);
		fuzz_post(m);
		while (take(m))
			;
	}
	m->base = psns[how >> 3 & 3];
	m->last_credits = how & 2 ? how & 0xd : SORO_CREDIT_NONE;
	soro_requester_init(&m->req, m->base);
	check_state(m);
}

/* ---- the end ---- */

/* The honest peer answers the oldest that is in flight. */
static void answer_oldest(struct model *m)
{
	struct post *post = post_at(m, m->una);
	struct train train = { 0 };
	struct soro_pkt pkt = { .psn = m->req.una, .syndrome = m->last_credits };
	u64 una = m->una;

	must(post, "something is in flight");
	if (is_fetching(post)) {
		pkt.opcode = soro_opcode_make(SORO_RC, SORO_ATOMIC_ACK, SORO_ONLY, 0);
	} else if (is_read(post)) {
		choose_data(m, &pkt, m->una, 0);
	} else {
		pkt.opcode = soro_opcode_make(SORO_RC, SORO_ACK, SORO_ONLY, 0);
		pkt.psn = soro_psn_add(pkt.psn, min(m->nxt, post->first + post->npsn) - m->una - 1);
	}
	pkt.msn = first_open(m, min(m->nxt, post->first + post->npsn));
	must(train_add(&train, &pkt), "an honest answer is well formed");
	receive(m, train.pkts, train.n, false);
	must(m->una > una || soro_window_broken(&m->req), "an honest answer is progress");
}

static void settle(struct model *m)
{
	struct soro_train_limits limits = { .packets = 64, .bytes = 65000 };
	u32 rounds = 0;

	m->in.left = 0;
	m->drained = true;	/* what was not taken stays in the ring */
	soro_requester_ask_again(&m->req);
	pop_all(m);
	while (!m->error && m->popped < m->taken) {
		must(rounds++ < 4 * SETTLE_PSNS + 4 * SLOTS_MAX, "no end");
		if (m->nxt != m->una && !soro_window_broken(&m->req)) {
			answer_oldest(m);
		} else {
			if (m->req.rnr_deadline_ns)
				pass_time(m, max(m->now, m->req.rnr_deadline_ns));
			transmit(m, &limits, 4, true);
		}
		pop_all(m);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model m = { .in = { .at = data, .left = size } };
	u32 steps;

	start(&m);
	for (steps = 0; steps < STEPS_MAX && !input_empty(&m.in) && !m.error; steps++) {
		u8 op = input_u8(&m.in);

		if (op < 0x50)
			fuzz_post(&m);
		else if (op < 0x90)
			fuzz_transmit(&m, op);
		else if (op < 0xe0)
			fuzz_responses(&m, op);
		else if (op < 0xf8)
			fuzz_time(&m);
		else if (op < 0xfe)
			fuzz_drain(&m);
		else
			flush(&m);
		if (!(op & 8))
			pop_all(&m);
	}
	if (m.end - m.una <= SETTLE_PSNS)
		settle(&m);
	flush(&m);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Mixed traffic for a given time: several connections at once, both ways, every
 * operation, any length, inline or not, fenced or not, signalled or not, receives
 * that run out. No two messages carry the same bytes, so what is left out, done
 * twice or put elsewhere is seen; each completion must come once and in its place.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

#define PAIRS		4
#define LANES		(2 * PAIRS)
#define SLOTS		16	/* messages in flight, and receives posted, in a lane */
#define CELLS		8
#define PAGE_BYTES	4096
#define MAX_LEN		70000
/* To make and pin more memory takes a slow guest longer than the traffic. */
#define MAX_LEN_QUICK	9000
#define SLOT_SPARE	64

/* The operations of op.h, then the atomics. */
enum kind {
	CMP_SWP = OP_COUNT,
	FETCH_ADD,
	COUNT,		/* FETCH_ADD of one to a cell that all lanes of a direction share */
	ATOMIC_WRITE,
	KINDS,
};

struct message {
	unsigned int kind;
	size_t len;
	uint32_t imm;
	uint64_t seed;		/* of its bytes */
	uint64_t found;		/* what an atomic must return */
	uint64_t receive;	/* number of the receive that it took */
	bool signalled, sent, received;
};

/* Aligned words, as atomics need them. */
struct page {
	uint64_t *cell;
	struct ibv_mr *mr;
};

/* What all lanes that end at one side share. */
struct side {
	struct page counter;
	uint64_t counted;
};

/*
 * One direction of a pair. Message i has slot i % SLOTS in @src (sent), @dst (WRITE
 * puts), @far (READ fetches) and @back (READ and atomics put); receive i has slot
 * i % SLOTS in @inbox.
 */
struct lane {
	struct end *from, *to;
	struct side *side;
	struct message msg[SLOTS];
	uint64_t posted, sent, retired;
	uint64_t recv_posted, recv_done, recv_retired;
	uint64_t last_count, deadline, refill_at;
	size_t max_len;
	unsigned int unsignalled_run;
	bool lazy, dry;
	struct buf src, dst, inbox, far, back;
	size_t inbox_len[SLOTS];
	struct page cells;
	uint64_t model[CELLS];
	uint64_t bytes, done[KINDS];
};

struct traffic {
	struct env *env;
	struct pair pair[PAIRS];
	struct lane lane[LANES];
	struct side side[2];
	uint64_t end_msec;
};

static const char *kind_name(unsigned int kind)
{
	static const char *const atomics[] = { "cmp_swp", "fetch_add", "count", "atomic_write" };

	return kind < OP_COUNT ? op_desc(kind)->name : atomics[kind - OP_COUNT];
}

static enum ibv_wc_opcode kind_wc(unsigned int kind)
{
	static const enum ibv_wc_opcode atomics[] = {
		IBV_WC_COMP_SWAP, IBV_WC_FETCH_ADD, IBV_WC_FETCH_ADD, IBV_WC_ATOMIC_WRITE,
	};

	return kind < OP_COUNT ? op_desc(kind)->wc : atomics[kind - OP_COUNT];
}

static bool takes_recv(const struct message *m)
{
	return m->kind < OP_COUNT && op_desc(m->kind)->takes_recv;
}

static bool is_read(const struct message *m)
{
	return m->kind == OP_READ;
}

static bool returns_word(const struct message *m)
{
	return m->kind == CMP_SWP || m->kind == FETCH_ADD || m->kind == COUNT;
}

/* ---- memory ---- */

static bool page_open(struct page *page, struct ibv_pd *pd)
{
	page->cell = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	if (!CHECK(page->cell, "no memory"))
		return false;
	memset(page->cell, 0, PAGE_BYTES);
	page->mr = ibv_reg_mr(pd, page->cell, PAGE_BYTES, IBV_ACCESS_LOCAL_WRITE |
			      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	return CHECK(page->mr, "ibv_reg_mr: %s", strerror(errno));
}

static void page_close(struct page *page)
{
	if (page->mr)
		CHECK(!ibv_dereg_mr(page->mr), "ibv_dereg_mr: %s", strerror(errno));
	free(page->cell);
}

/* Where a slot begins; not on a word, and at another offset in each. */
static uint8_t *slot_at(const struct buf *buf, uint64_t number)
{
	unsigned int slot = number % SLOTS;

	return buf->mem + slot * (buf->len / SLOTS) + slot % 13;
}

static uint8_t *image_of(const struct buf *buf, const uint8_t *at)
{
	return buf->image + (at - buf->map);
}

static void make_bytes(uint8_t *out, size_t len, uint64_t seed)
{
	uint64_t x = seed | 1;

	for (; len >= 8; len -= 8, out += 8) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(out, &x, 8);
	}
	memcpy(out, &x, len);
}

/* The bytes of a message where it comes from. */
static void put_bytes(const struct buf *buf, uint64_t number, const struct message *m)
{
	uint8_t *at = slot_at(buf, number);

	make_bytes(at, m->len, m->seed);
	memcpy(image_of(buf, at), at, m->len);
}

/* A slot, and some bytes around it, against what it should hold. */
static bool slot_holds(const struct buf *buf, uint64_t number, size_t len)
{
	uint8_t *at = slot_at(buf, number) - 8;

	return !memcmp(at, image_of(buf, at), len + 40);
}

/* ---- posting ---- */

static bool post_receives(struct lane *lane, uint64_t now)
{
	uint64_t waiting = lane->recv_posted - lane->recv_done;

	/* Every second lane lets its peer run into an empty queue. */
	if (lane->lazy) {
		if (!waiting && !lane->dry) {
			lane->dry = true;
			lane->refill_at = now + rnd_below(12);
		}
		if (waiting || now < lane->refill_at)
			return true;
		lane->dry = false;
	}
	while (lane->recv_posted - lane->recv_retired < SLOTS) {
		unsigned int slot = lane->recv_posted % SLOTS;
		struct ibv_sge sge = {
			.addr = (uintptr_t)slot_at(&lane->inbox, slot), .length = lane->max_len,
			.lkey = lane->inbox.mr->lkey,
		};

		if (!CHECK(slot_holds(&lane->inbox, slot, lane->inbox_len[slot]),
			   "receive buffer %u changed after its completion", slot) ||
		    !CHECK(!end_post_recv(lane->to, lane->recv_posted, &sge, 1),
			   "post_recv %llu", (unsigned long long)lane->recv_posted))
			return false;
		lane->recv_posted++;
	}
	return true;
}

static bool can_atomic_write(const struct lane *lane)
{
	return lane->from->qpx && lane->from->qpx->wr_atomic_write;
}

static void choose(struct lane *lane, struct message *m, bool last)
{
	memset(m, 0, sizeof(*m));
	do {
		m->kind = rnd_below(KINDS);
	} while (m->kind == ATOMIC_WRITE && !can_atomic_write(lane));
	m->len = rnd_below(4) ? rnd_below(5000) : rnd_below(lane->max_len + 1);
	if (!rnd_below(4))
		m->len = rnd_below(4);
	if (m->kind >= OP_COUNT)
		m->len = 8;
	m->imm = rnd();
	m->seed = rnd();
	m->signalled = last || rnd_below(4) || lane->unsignalled_run + 1 >= SLOTS / 2;
	lane->unsignalled_run = m->signalled ? 0 : lane->unsignalled_run + 1;
}

/* Cut a piece of memory into up to @max SGEs; Return: how many. */
static int spread(struct ibv_sge *sge, const struct buf *buf, uint64_t number, size_t len,
		  unsigned int max)
{
	uint8_t *at = slot_at(buf, number);
	int count = 1 + rnd_below(max), i;

	sge[0] = (struct ibv_sge) { (uintptr_t)at, 0, buf->mr->lkey };
	if (!len)
		return rnd() & 1;
	if ((size_t)count > len)
		count = len;
	for (i = 0; i < count; i++) {
		size_t part = i == count - 1 ? len : 1 + rnd_below(len - (count - i - 1));

		sge[i] = (struct ibv_sge) { (uintptr_t)at, part, buf->mr->lkey };
		at += part;
		len -= part;
	}
	return count;
}

static void fill_data(struct lane *lane, struct message *m, struct ibv_send_wr *wr)
{
	const struct op_desc *op = op_desc(m->kind);
	const struct buf *remote = op->is_read ? &lane->far : &lane->dst;

	wr->opcode = op->wr;
	wr->imm_data = m->imm;
	wr->num_sge = spread(wr->sg_list, op->is_read ? &lane->back : &lane->src, lane->posted,
			     m->len, lane->from->cap.max_send_sge < MAX_SGE ?
				     lane->from->cap.max_send_sge : MAX_SGE);
	if (op->is_remote) {
		wr->wr.rdma.remote_addr = (uintptr_t)slot_at(remote, lane->posted);
		wr->wr.rdma.rkey = remote->mr->rkey;
	}
	if (!op->is_read && m->len <= lane->from->cap.max_inline_data && (rnd() & 1))
		wr->send_flags |= IBV_SEND_INLINE;
	put_bytes(op->is_read ? &lane->far : &lane->src, lane->posted, m);
}

/* An atomic, and what it does to the model. */
static void fill_atomic(struct lane *lane, struct message *m, struct ibv_send_wr *wr)
{
	unsigned int cell = rnd_below(CELLS);
	uint64_t *model = &lane->model[cell];
	struct page *page = m->kind == COUNT ? &lane->side->counter : &lane->cells;

	wr->opcode = m->kind == CMP_SWP ? IBV_WR_ATOMIC_CMP_AND_SWP : IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr->num_sge = spread(wr->sg_list, &lane->back, lane->posted, 8, 2);
	wr->wr.atomic.rkey = page->mr->rkey;
	if (m->kind == COUNT) {
		wr->wr.atomic.remote_addr = (uintptr_t)page->cell;
		wr->wr.atomic.compare_add = 1;
		lane->side->counted++;
		return;
	}
	wr->wr.atomic.remote_addr = (uintptr_t)&page->cell[cell];
	wr->wr.atomic.compare_add = m->seed;
	m->found = *model;
	if (m->kind == FETCH_ADD) {
		*model += m->seed;
		return;
	}
	wr->wr.atomic.swap = m->seed;
	wr->wr.atomic.compare_add = *model ^ (rnd_below(3) ? 0 : 1ULL << rnd_below(64));
	if (wr->wr.atomic.compare_add == *model)
		*model = m->seed;
}

static int post_atomic_write(struct lane *lane, struct message *m, unsigned int flags)
{
	unsigned int cell = rnd_below(CELLS);
	struct ibv_qp_ex *qpx = lane->from->qpx;

	lane->model[cell] = m->seed;
	ibv_wr_start(qpx);
	qpx->wr_id = lane->posted;
	qpx->wr_flags = flags;
	ibv_wr_atomic_write(qpx, lane->cells.mr->rkey, (uintptr_t)&lane->cells.cell[cell], &m->seed);
	return ibv_wr_complete(qpx);
}

static bool post_message(struct lane *lane, bool last)
{
	struct message *m = &lane->msg[lane->posted % SLOTS];
	struct ibv_sge sge[MAX_SGE];
	struct ibv_send_wr wr = { .wr_id = lane->posted, .sg_list = sge };
	int err;

	/* What a late copy of the slot's last message would have changed. */
	if (!CHECK(slot_holds(&lane->dst, lane->posted, m->len) &&
		   slot_holds(&lane->back, lane->posted, m->len),
		   "message %lld (%s) was done again after its completion",
		   (long long)lane->posted - SLOTS, kind_name(m->kind)))
		return false;
	choose(lane, m, last);
	wr.send_flags = (m->signalled ? IBV_SEND_SIGNALED : 0) |
			(rnd_below(8) ? 0 : IBV_SEND_FENCE);
	if (m->kind == ATOMIC_WRITE) {
		err = post_atomic_write(lane, m, wr.send_flags);
	} else {
		if (m->kind < OP_COUNT)
			fill_data(lane, m, &wr);
		else
			fill_atomic(lane, m, &wr);
		err = end_post_send(lane->from, &wr);
	}
	if (!CHECK(!err, "post_send of message %llu (%s): %s", (unsigned long long)lane->posted,
		   kind_name(m->kind), strerror(err)))
		return false;
	lane->posted++;
	return true;
}

/* ---- completions ---- */

static bool take_send(struct lane *lane, const struct ibv_wc *wc)
{
	struct message *m = &lane->msg[wc->wr_id % SLOTS];

	if (!CHECK(wc->wr_id >= lane->sent && wc->wr_id < lane->posted,
		   "a send completion of %llu (%s), when %llu to %llu were due",
		   (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status),
		   (unsigned long long)lane->sent, (unsigned long long)lane->posted) ||
	    !CHECK(wc->status == IBV_WC_SUCCESS, "message %llu (%s, %zu bytes): %s (vendor 0x%x)",
		   (unsigned long long)wc->wr_id, kind_name(m->kind), m->len,
		   ibv_wc_status_str(wc->status), wc->vendor_err) ||
	    !CHECK(m->signalled, "message %llu (%s) was not signalled",
		   (unsigned long long)wc->wr_id, kind_name(m->kind)) ||
	    !CHECK(wc->opcode == kind_wc(m->kind), "message %llu (%s): opcode %d",
		   (unsigned long long)wc->wr_id, kind_name(m->kind), wc->opcode) ||
	    !CHECK((!is_read(m) && !returns_word(m)) || wc->byte_len == m->len,
		   "message %llu (%s): byte_len %u, not %zu", (unsigned long long)wc->wr_id,
		   kind_name(m->kind), wc->byte_len, m->len))
		return false;
	for (; lane->sent <= wc->wr_id; lane->sent++) {
		m = &lane->msg[lane->sent % SLOTS];
		if (!CHECK(lane->sent == wc->wr_id || !m->signalled,
			   "the completion of message %llu (%s) was left out",
			   (unsigned long long)lane->sent, kind_name(m->kind)))
			return false;
		m->sent = true;
	}
	return true;
}

/* Receives complete in the order of the messages that take one. */
static bool take_recv(struct lane *lane, const struct ibv_wc *wc)
{
	struct message *m = NULL;
	uint64_t i;

	if (!CHECK(wc->status == IBV_WC_SUCCESS, "receive %llu: %s",
		   (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status)) ||
	    !CHECK(wc->wr_id == lane->recv_done, "receive completion %llu, not %llu",
		   (unsigned long long)wc->wr_id, (unsigned long long)lane->recv_done))
		return false;
	for (i = lane->retired; i < lane->posted && !m; i++) {
		if (takes_recv(&lane->msg[i % SLOTS]) && !lane->msg[i % SLOTS].received)
			m = &lane->msg[i % SLOTS];
	}
	if (!CHECK(m, "receive completion %llu without a message", (unsigned long long)wc->wr_id))
		return false;
	m->received = true;
	m->receive = lane->recv_done++;
	return CHECK(wc->opcode == op_desc(m->kind)->recv_wc && wc->byte_len == m->len,
		     "a %s of %zu bytes was received as opcode %d with %u bytes",
		     kind_name(m->kind), m->len, wc->opcode, wc->byte_len) &&
	       CHECK(!op_desc(m->kind)->has_imm || wc->imm_data == m->imm,
		     "immediate data 0x%x, not 0x%x", wc->imm_data, m->imm);
}

static bool check_word(struct lane *lane, uint64_t number, struct message *m)
{
	uint8_t *at = slot_at(&lane->back, number);
	uint64_t got;

	memcpy(&got, at, 8);
	memcpy(image_of(&lane->back, at), at, 8);
	if (m->kind != COUNT)
		return CHECK(got == m->found, "message %llu (%s) returned %#llx, not %#llx",
			     (unsigned long long)number, kind_name(m->kind),
			     (unsigned long long)got, (unsigned long long)m->found);
	if (!CHECK(got + 1 > lane->last_count && got < lane->side->counted,
		   "message %llu counted from %llu, the one before had left %llu, of %llu",
		   (unsigned long long)number, (unsigned long long)got,
		   (unsigned long long)lane->last_count, (unsigned long long)lane->side->counted))
		return false;
	lane->last_count = got + 1;
	return true;
}

static bool check_message(struct lane *lane, uint64_t number, struct message *m)
{
	const struct buf *to = is_read(m) ? &lane->back : &lane->dst;
	uint64_t slot = number;

	if (m->kind == ATOMIC_WRITE)
		return true;
	if (returns_word(m))
		return check_word(lane, number, m);
	if (op_desc(m->kind)->to_recv) {
		to = &lane->inbox;
		slot = m->receive;
		lane->inbox_len[slot % SLOTS] = m->len;
	}
	make_bytes(image_of(to, slot_at(to, slot)), m->len, m->seed);
	return CHECK(slot_holds(to, slot, m->len), "message %llu (%s, %zu bytes): wrong data",
		     (unsigned long long)number, kind_name(m->kind), m->len);
}

/* Check and give back, in order, what is done on both sides. */
static bool retire(struct lane *lane)
{
	while (lane->retired < lane->posted) {
		struct message *m = &lane->msg[lane->retired % SLOTS];

		if (!m->sent || (takes_recv(m) && !m->received))
			return true;
		if (!check_message(lane, lane->retired, m))
			return false;
		if (takes_recv(m))
			lane->recv_retired++;
		lane->bytes += m->len;
		lane->done[m->kind]++;
		lane->retired++;
	}
	return true;
}

static bool poll_queue(struct lane *lane, bool recv, bool *progress)
{
	struct ibv_wc wc[8];
	int n = ibv_poll_cq(recv ? lane->to->rcq : lane->from->scq, 8, wc), i;

	if (!CHECK(n >= 0, "ibv_poll_cq: %d", n))
		return false;
	for (i = 0; i < n; i++) {
		if (!(recv ? take_recv(lane, &wc[i]) : take_send(lane, &wc[i])))
			return false;
	}
	*progress |= n > 0;
	return true;
}

/* ---- running ---- */

/* One round of a lane; false after a failed check. */
static bool step(struct traffic *t, struct lane *lane, bool *busy, bool *progress)
{
	uint64_t now = now_msec();
	bool over = now >= t->end_msec, moved = false;

	if (!post_receives(lane, now))
		return false;
	/* The last message of a lane is signalled, else nothing would end the others. */
	while (lane->posted - lane->retired < SLOTS && (!over || lane->unsignalled_run)) {
		if (!post_message(lane, over))
			return false;
		moved = true;
	}
	if (!poll_queue(lane, false, &moved) || !poll_queue(lane, true, &moved) || !retire(lane))
		return false;
	if (moved || lane->retired == lane->posted)
		lane->deadline = now + t->env->wait_msec;
	*progress |= moved;
	*busy |= !over || lane->retired < lane->posted;
	return CHECK(now < lane->deadline,
		     "lane %td is stuck: %llu posted, %llu sent, %llu retired; receives: %llu posted, %llu done",
		     lane - t->lane, (unsigned long long)lane->posted,
		     (unsigned long long)lane->sent, (unsigned long long)lane->retired,
		     (unsigned long long)lane->recv_posted, (unsigned long long)lane->recv_done);
}

static bool run_traffic(struct traffic *t, unsigned int sec)
{
	uint64_t begin = now_msec();
	unsigned int idle = 0, i;
	bool busy = true;

	t->end_msec = begin + 1000ULL * sec;
	for (i = 0; i < LANES; i++)
		t->lane[i].deadline = begin + t->env->wait_msec;
	while (busy) {
		bool progress = false;

		busy = false;
		for (i = 0; i < LANES; i++) {
			if (!step(t, &t->lane[i], &busy, &progress))
				return false;
		}
		idle = progress ? 0 : idle + 1;
		if (idle > 20)
			sleep_msec(1);
		else if (idle)
			sched_yield();
	}
	return true;
}

/* After the end: nothing comes any more, and nobody has touched anything. */
static void check_end(struct traffic *t)
{
	unsigned int i, cell;

	sleep_msec(500);
	for (i = 0; i < PAIRS; i++) {
		end_expect_none(&t->pair[i].end[0], "after the end");
		end_expect_none(&t->pair[i].end[1], "after the end");
	}
	for (i = 0; i < LANES; i++) {
		struct lane *lane = &t->lane[i];

		buf_check(&lane->src, "what was sent from");
		buf_check(&lane->far, "what was read from");
		buf_check(&lane->dst, "what was written to");
		buf_check(&lane->back, "what was read to");
		buf_check(&lane->inbox, "what was received to");
		for (cell = 0; cell < PAGE_BYTES / 8; cell++)
			CHECK(lane->cells.cell[cell] == (cell < CELLS ? lane->model[cell] : 0),
			      "lane %u, cell %u is not the model's", i, cell);
	}
	for (i = 0; i < 2; i++)
		CHECK(t->side[i].counter.cell[0] == t->side[i].counted,
		      "side %u counted %llu, %llu were posted", i,
		      (unsigned long long)t->side[i].counter.cell[0],
		      (unsigned long long)t->side[i].counted);
}

static void summary(const struct traffic *t, unsigned int sec)
{
	uint64_t bytes = 0, messages = 0, receives = 0;
	unsigned int kind, i;

	for (i = 0; i < LANES; i++) {
		bytes += t->lane[i].bytes;
		messages += t->lane[i].retired;
		receives += t->lane[i].recv_done;
	}
	tap_note("%u s: %llu messages, %llu receives, %llu KiB on %u QPs", sec,
		 (unsigned long long)messages, (unsigned long long)receives,
		 (unsigned long long)bytes / 1024, LANES);
	for (kind = 0; kind < KINDS; kind++) {
		uint64_t done = 0;

		for (i = 0; i < LANES; i++)
			done += t->lane[i].done[kind];
		tap_note("%12s %llu", kind_name(kind), (unsigned long long)done);
		CHECK(done || sec < 10, "no %s was run", kind_name(kind));
	}
}

static bool lane_open(struct lane *lane, struct traffic *t, unsigned int i)
{
	struct pair *pair = &t->pair[i / 2];
	struct ibv_pd *here, *there;
	size_t size;

	lane->max_len = t->env->quick && t->env->duration_sec < 10 ? MAX_LEN_QUICK : MAX_LEN;
	size = SLOTS * (lane->max_len + SLOT_SPARE);
	lane->from = &pair->end[i & 1];
	lane->to = lane->from->peer;
	lane->side = &t->side[!(i & 1)];
	lane->lazy = i & 1;
	here = lane->from->dev->pd;
	there = lane->to->dev->pd;
	return buf_open(&lane->src, here, size, 0) &&
	       buf_open(&lane->dst, there, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) &&
	       buf_open(&lane->inbox, there, size, IBV_ACCESS_LOCAL_WRITE) &&
	       buf_open(&lane->far, there, size, IBV_ACCESS_REMOTE_READ) &&
	       buf_open(&lane->back, here, size, IBV_ACCESS_LOCAL_WRITE) &&
	       page_open(&lane->cells, there);
}

static void lane_close(struct lane *lane)
{
	buf_close(&lane->src);
	buf_close(&lane->dst);
	buf_close(&lane->inbox);
	buf_close(&lane->far);
	buf_close(&lane->back);
	page_close(&lane->cells);
}

static bool open_pair(struct traffic *t, unsigned int i)
{
	static const enum ibv_mtu mtus[PAIRS] = {
		IBV_MTU_256, IBV_MTU_1024, IBV_MTU_4096, IBV_MTU_2048,
	};
	static const uint8_t rd_atomic[PAIRS] = { 1, 4, 16, 3 };
	struct pair_opts opts = pair_defaults(t->env);

	if (mtus[i] <= t->env->dev[0].port.active_mtu && mtus[i] <= t->env->dev[1].port.active_mtu)
		opts.pmtu = mtus[i];
	opts.send_wr = opts.recv_wr = SLOTS;
	opts.wr_api = i & 1;
	opts.inline_bytes = 128;
	opts.rd_atomic = rd_atomic[i];
	/* 268 ms: a guest under load may stand still for a moment. */
	if (opts.timeout < 16)
		opts.timeout = 16;
	opts.access[0] |= IBV_ACCESS_REMOTE_ATOMIC;
	opts.access[1] |= IBV_ACCESS_REMOTE_ATOMIC;
	return pair_open(&t->pair[i], t->env, &opts);
}

static bool traffic_open(struct traffic *t, struct env *env)
{
	bool ok = true;
	unsigned int i;

	t->env = env;
	for (i = 0; i < 2; i++)
		ok = ok && page_open(&t->side[i].counter, env->dev[i].pd);
	for (i = 0; i < PAIRS; i++)
		ok = ok && open_pair(t, i);
	for (i = 0; i < LANES; i++)
		ok = ok && lane_open(&t->lane[i], t, i);
	return ok;
}

static void traffic_close(struct traffic *t)
{
	unsigned int i;

	/* QPs first: nothing writes to the memory while it is freed. */
	for (i = 0; i < PAIRS; i++)
		pair_close(&t->pair[i]);
	for (i = 0; i < LANES; i++)
		lane_close(&t->lane[i]);
	for (i = 0; i < 2; i++)
		page_close(&t->side[i].counter);
}

static void test_traffic(struct env *env, long arg)
{
	unsigned int sec = env->duration_sec ? env->duration_sec : env->quick ? 2 : 10;
	struct traffic *t = calloc(1, sizeof(*t));

	(void)arg;
	if (!CHECK(t, "no memory"))
		return;
	tap_limit(sec + env->wait_msec / 1000 + 120);
	if (traffic_open(t, env) && run_traffic(t, sec)) {
		check_end(t);
		summary(t, sec);
	}
	traffic_close(t);
	free(t);
}

const struct test mixed_tests[] = {
	{ "mixed/traffic", test_traffic },
	{ }
};

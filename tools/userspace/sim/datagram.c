// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: a run of datagrams. There is no state to get wrong but the PSN; what is looked at
 * is that each datagram arrives whole or not at all, at nobody whose key it does not
 * have, no more often than the channel copied it, and always if nothing happened to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "channel.h"
#include "datagram.h"
#include "engine/datagram.h"
#include "random.h"
#include "wire/psn.h"

#define DATAGRAMS_MAX	64
#define QKEY_HIGH	0x80000000U
#define COPIES_MAX	2		/* the channel copies a train once */

/* A work request and what became of it. */
struct request {
	u8 kind;
	u32 qkey;		/* as in the work request */
	u32 bytes;
	bool has_imm;
	__be32 imm;
	u8 *payload;
	u8 status;
	u32 psn;
	u32 arrivals;
	u32 refusals;
};

struct end {
	u8 id;
	struct soro_datagram dg;
	u32 qpn;
	u32 first_psn;
	u32 payload_max;
	u32 n;
	u32 taken;		/* requests that were looked at */
	bool stopped;		/* a request failed: SQE */
	u16 ip_id;
	struct request requests[DATAGRAMS_MAX];
};

struct world {
	struct rng rng;
	struct vices vices;
	bool ideal;		/* nothing happens on the way */
	struct channel ch;
	struct end end[2];
	const char *wrong;
};

static void complain(struct world *w, const char *what)
{
	if (!w->wrong)
		w->wrong = what;
}

/* ---- what a seed says ---- */

static void draw_vices(struct world *w)
{
	struct vices *v = &w->vices;

	v->delay_ns = rng_range(&w->rng, 1, 20000);
	w->ideal = rng_chance(&w->rng, 250);
	if (w->ideal)
		return;
	v->loss_permille = rng_below(&w->rng, 100);
	v->cut_permille = rng_below(&w->rng, 300);
	v->duplicate_permille = rng_below(&w->rng, 200);
	v->reorder_permille = rng_below(&w->rng, 200);
	v->corrupt_permille = rng_below(&w->rng, 50);
	v->jitter_ns = rng_below(&w->rng, 50000);
}

static void draw_request(struct world *w, struct end *end, const struct end *peer,
			 struct request *rq)
{
	rq->kind = rng_chance(&w->rng, 10) ? SORO_WRITE : SORO_SEND;
	rq->bytes = rng_chance(&w->rng, 10) ? end->payload_max + rng_range(&w->rng, 1, 4) :
					      rng_below(&w->rng, end->payload_max + 1);
	rq->has_imm = rng_chance(&w->rng, 300);
	rq->imm = rng_next(&w->rng);
	rq->qkey = peer->dg.qkey;
	if (rng_chance(&w->rng, 100))
		rq->qkey ^= 1U << rng_below(&w->rng, 32);
	else if (rng_chance(&w->rng, 100))
		rq->qkey = QKEY_HIGH | (u32)rng_next(&w->rng);
	rq->payload = malloc(rq->bytes + 1);
	if (!rq->payload)
		abort();
	rng_fill(&w->rng, rq->payload, rq->bytes);
}

static void draw(struct world *w, u64 seed)
{
	u32 payload_max, qkey, i, k;

	memset(w, 0, sizeof(*w));
	w->rng.state = seed * 0xd1342543de82ef95ULL + 0x7654321;
	draw_vices(w);
	payload_max = 256U << rng_below(&w->rng, 5);
	qkey = rng_next(&w->rng);
	for (i = 0; i < 2; i++) {
		struct end *end = &w->end[i];

		end->id = i;
		end->qpn = rng_range(&w->rng, 2, 0xfffffe);
		end->payload_max = payload_max;
		end->dg.qkey = qkey;
		/* often close to the wrap */
		end->dg.psn = soro_psn_add(0xffffff - rng_below(&w->rng, 40),
					   rng_chance(&w->rng, 300) ? rng_next(&w->rng) & 0xffffff : 0);
		end->first_psn = end->dg.psn;
		end->n = rng_below(&w->rng, DATAGRAMS_MAX + 1);
	}
	if (rng_chance(&w->rng, 100))
		w->end[1].dg.qkey ^= 1;
	for (i = 0; i < 2; i++)
		for (k = 0; k < w->end[i].n; k++)
			draw_request(w, &w->end[i], &w->end[!i], &w->end[i].requests[k]);
}

/* ---- the run ---- */

static struct frame *build(struct end *end, const struct end *peer, struct request *rq)
{
	struct soro_pkt pkt = {
		.opcode = soro_opcode_make(SORO_UD, SORO_SEND, SORO_ONLY,
					   rq->has_imm ? SORO_HDR_IMM : 0),
		.qpn = peer->qpn,
		.pkey = 0xffff,
		.imm = rq->imm,
		.payload_len = rq->bytes,
		.deth.qkey = soro_datagram_qkey(&end->dg, rq->qkey),
		.deth.sqpn = end->qpn,
	};

	rq->psn = soro_datagram_psn(&end->dg);
	pkt.psn = rq->psn;
	pkt.pad = -pkt.payload_len & 3;
	return frame_build(&pkt, rq->payload, end->id, end->ip_id++);
}

/* Send some; a request that fails stops the queue. */
static void transmit(struct world *w, struct end *end, u64 now)
{
	u32 most = rng_range(&w->rng, 1, 8);
	struct train train = { 0 };

	while (train.n < most && end->taken < end->n && !end->stopped) {
		struct request *rq = &end->requests[end->taken++];

		rq->status = soro_datagram_sendable(rq->kind, rq->bytes, end->payload_max);
		end->stopped = rq->status != SORO_ST_SUCCESS;
		if (!end->stopped)
			train.frames[train.n++] = build(end, &w->end[!end->id], rq);
	}
	channel_send(&w->ch, end->id, &train, now, false);
}

/* Which request a packet came from; PSNs of a run are not used twice. */
static struct request *find(struct end *sender, u32 psn)
{
	u32 k;

	for (k = 0; k < sender->taken; k++) {
		struct request *rq = &sender->requests[k];

		if (rq->status == SORO_ST_SUCCESS && rq->psn == psn)
			return rq;
	}
	return NULL;
}

static void receive(struct world *w, struct end *end, const struct frame *frame)
{
	struct end *sender = &w->end[!end->id];
	struct soro_pkt pkt;
	struct request *rq;
	enum soro_drop why;

	if (!frame_parse(frame, sender->id, &pkt))
		return;
	rq = find(sender, pkt.psn);
	if (!rq) {
		complain(w, "a datagram arrived that nobody sent");
		return;
	}
	why = soro_datagram_check(&end->dg, &pkt, end->payload_max);
	if (why != SORO_DROP_NONE) {
		if (why != SORO_DROP_QKEY || soro_datagram_qkey(&sender->dg, rq->qkey) == end->dg.qkey)
			complain(w, "a good datagram was refused");
		rq->refusals++;
		return;
	}
	rq->arrivals++;
	if (soro_datagram_qkey(&sender->dg, rq->qkey) != end->dg.qkey)
		complain(w, "taken although the key is wrong");
	if (pkt.qpn != end->qpn || pkt.deth.sqpn != sender->qpn)
		complain(w, "number of a QP changed");
	if (pkt.payload_len != rq->bytes ||
	    memcmp(frame->bytes + pkt.hdr_len, rq->payload, rq->bytes))
		complain(w, "payload changed");
	if (!(pkt.row->headers & SORO_HDR_IMM) != !rq->has_imm ||
	    (rq->has_imm && pkt.imm != rq->imm))
		complain(w, "immediate changed");
}

static void run(struct world *w, bool verbose)
{
	u64 now = 1;
	u32 i;

	for (;;) {
		bool work = false;

		for (i = 0; i < 2; i++) {
			transmit(w, &w->end[i], now);
			work |= w->end[i].taken < w->end[i].n && !w->end[i].stopped;
		}
		while (w->ch.count && channel_next(&w->ch) <= now) {
			struct delivery *delivery = channel_receive(&w->ch);

			if (verbose)
				printf("# %llu: %u of %c arrive\n", now, delivery->train.n,
				       'A' + delivery->from);
			for (i = 0; i < delivery->train.n; i++)
				receive(w, &w->end[!delivery->from], delivery->train.frames[i]);
			delivery_free(delivery);
		}
		if (!work && !w->ch.count)
			return;
		now += work ? rng_range(&w->rng, 1, 10000) : channel_next(&w->ch) - now;
	}
}

/* ---- what must have come of it ---- */

static void check_request(struct world *w, const struct end *end, const struct request *rq)
{
	u8 status = rq->kind != SORO_SEND ? SORO_ST_LOC_QP_OP :
		    rq->bytes > end->payload_max ? SORO_ST_LOC_LEN : SORO_ST_SUCCESS;

	if (rq->status != status)
		complain(w, "wrong status of a request");
	if (rq->arrivals + rq->refusals > COPIES_MAX)
		complain(w, "arrived more often than it was copied");
	if (w->ideal && !status && rq->arrivals + rq->refusals != 1)
		complain(w, "lost or doubled although nothing happened to it");
	if (status && rq->arrivals + rq->refusals)
		complain(w, "arrived although it could not be sent");
}

static void check(struct world *w, struct datagram_totals *totals)
{
	u32 i, k;

	for (i = 0; i < 2; i++) {
		const struct end *end = &w->end[i];
		u32 failed = end->stopped;

		if (end->stopped ? !end->taken : end->taken != end->n)
			complain(w, "not all requests were looked at");
		if (soro_psn_add(end->first_psn, end->taken - failed) != end->dg.psn)
			complain(w, "PSNs were left out or used twice");
		for (k = 0; k < end->taken; k++) {
			check_request(w, end, &end->requests[k]);
			totals->arrived += end->requests[k].arrivals;
			totals->refused += end->requests[k].refusals;
		}
		totals->sent += end->taken - failed;
		totals->failed += failed;
	}
}

static void release(struct world *w)
{
	u32 i, k;

	channel_free(&w->ch);
	for (i = 0; i < 2; i++)
		for (k = 0; k < w->end[i].n; k++)
			free(w->end[i].requests[k].payload);
}

/**
 * datagram_run() - one run
 * @seed: says all
 * @verbose: show what arrives
 * @totals: added to
 *
 * Return: what went wrong, NULL if nothing.
 */
const char *datagram_run(u64 seed, bool verbose, struct datagram_totals *totals)
{
	static struct world w;

	draw(&w, seed);
	channel_init(&w.ch, &w.vices, &w.rng);
	run(&w, verbose);
	check(&w, totals);
	release(&w);
	return w.wrong;
}

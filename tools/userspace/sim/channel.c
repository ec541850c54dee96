// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: loss, copies, delay, order, cuts and bit errors of trains in flight.
 */
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "channel.h"

void channel_init(struct channel *ch, const struct vices *vices, struct rng *rng)
{
	memset(ch, 0, sizeof(*ch));
	ch->vices = vices;
	ch->rng = rng;
}

static bool before(const struct delivery *a, const struct delivery *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void push(struct channel *ch, struct delivery *delivery)
{
	u32 i = ch->count++;

	if (ch->count > ch->room) {
		ch->room = ch->room ? 2 * ch->room : 64;
		ch->heap = realloc(ch->heap, ch->room * sizeof(*ch->heap));
		if (!ch->heap)
			abort();
	}
	for (; i && before(delivery, ch->heap[(i - 1) / 2]); i = (i - 1) / 2)
		ch->heap[i] = ch->heap[(i - 1) / 2];
	ch->heap[i] = delivery;
}

static struct delivery *pop(struct channel *ch)
{
	struct delivery *top = ch->heap[0];
	struct delivery *last = ch->heap[--ch->count];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < ch->count) {
		if (child + 1 < ch->count && before(ch->heap[child + 1], ch->heap[child]))
			child++;
		if (before(last, ch->heap[child]))
			break;
		ch->heap[i] = ch->heap[child];
		i = child;
	}
	ch->heap[i] = last;
	return top;
}

static struct delivery *new_delivery(u8 from)
{
	struct delivery *delivery = calloc(1, sizeof(*delivery));

	if (!delivery)
		abort();
	delivery->from = from;
	return delivery;
}

void delivery_free(struct delivery *delivery)
{
	u32 i;

	for (i = 0; i < delivery->train.n; i++)
		free(delivery->train.frames[i]);
	free(delivery);
}

/* Flip a bit of a packet, but none of the byte that the ICRC leaves out. */
static void corrupt(struct channel *ch, struct frame *frame)
{
	u32 at = rng_below(ch->rng, frame->len);

	if (at != 4)
		frame->bytes[at] ^= 1 << rng_below(ch->rng, 8);
}

static void enqueue(struct channel *ch, struct delivery *delivery, u64 now, bool mercy)
{
	const struct vices *v = ch->vices;
	u8 from = delivery->from;
	u64 at = now + v->delay_ns;

	if (!mercy && v->jitter_ns)
		at += rng_below(ch->rng, v->jitter_ns);
	if (!mercy && rng_chance(ch->rng, v->reorder_permille))
		at += rng_below(ch->rng, 300000);
	else if (at < ch->last_ns[from])
		at = ch->last_ns[from];
	if (at > ch->last_ns[from] && at <= now + v->delay_ns + v->jitter_ns)
		ch->last_ns[from] = at;
	delivery->at_ns = at;
	delivery->order = ch->order++;
	push(ch, delivery);
}

static struct delivery *duplicate(const struct delivery *delivery)
{
	struct delivery *copy = new_delivery(delivery->from);
	u32 i;

	copy->train.n = delivery->train.n;
	for (i = 0; i < copy->train.n; i++)
		copy->train.frames[i] = frame_copy(delivery->train.frames[i]);
	return copy;
}

/* What is left of a piece of a train goes its way, perhaps twice. */
static void forward(struct channel *ch, struct delivery *piece, u64 now, bool mercy)
{
	struct delivery *copy = NULL;

	if (!piece->train.n) {
		free(piece);
		return;
	}
	if (!mercy && rng_chance(ch->rng, ch->vices->duplicate_permille))
		copy = duplicate(piece);
	enqueue(ch, piece, now, mercy);
	if (copy)
		enqueue(ch, copy, now + rng_below(ch->rng, 200000), mercy);
}

static bool swallowed(const struct channel *ch, u64 now)
{
	return ch->vices->hole_ns && now >= ch->vices->hole_ns;
}

/**
 * channel_send() - hand a train over
 * @ch: channel
 * @from: sending side
 * @train: emptied
 * @now: ns
 * @mercy: no vices this time
 */
void channel_send(struct channel *ch, u8 from, struct train *train, u64 now, bool mercy)
{
	const struct vices *v = ch->vices;
	bool lost = swallowed(ch, now) || (!mercy && rng_chance(ch->rng, v->train_loss_permille));
	struct delivery *piece = new_delivery(from);
	u32 i;

	for (i = 0; i < train->n; i++) {
		struct frame *frame = train->frames[i];

		if (lost || (!mercy && rng_chance(ch->rng, v->loss_permille))) {
			free(frame);
			continue;
		}
		if (!mercy && rng_chance(ch->rng, v->corrupt_permille))
			corrupt(ch, frame);
		piece->train.frames[piece->train.n++] = frame;
		if (!mercy && rng_chance(ch->rng, v->cut_permille)) {
			forward(ch, piece, now, mercy);
			piece = new_delivery(from);
		}
	}
	train->n = 0;
	forward(ch, piece, now, mercy);
}

/**
 * channel_next() - when the next train arrives
 * @ch: channel
 *
 * Return: ns, 0 if nothing is in flight.
 */
u64 channel_next(const struct channel *ch)
{
	return ch->count ? ch->heap[0]->at_ns : 0;
}

struct delivery *channel_receive(struct channel *ch)
{
	return pop(ch);
}

void channel_free(struct channel *ch)
{
	while (ch->count)
		delivery_free(pop(ch));
	free(ch->heap);
}

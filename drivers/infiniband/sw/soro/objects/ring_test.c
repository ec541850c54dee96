// SPDX-License-Identifier: GPL-2.0
/* Unit tests of rings, with a test in the place of the user. */
#include <kunit/test.h>
#include <rdma/soro-abi.h>
#include "ring.h"

#define SLOTS		8
#define ELEM_BYTES	16

static void make_ring(struct kunit *test, struct soro_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->shared = kunit_kzalloc(test, sizeof(*ring->shared) + SLOTS * ELEM_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring->shared);
	ring->mask = SLOTS - 1;
	ring->log2_elem_bytes = ilog2(ELEM_BYTES);
}

static void post(struct soro_ring *ring, u32 value)
{
	u32 at = ring->shared->producer;

	memcpy(ring->shared->data + at * ELEM_BYTES, &value, sizeof(value));
	ring->shared->producer = (at + 1) % SLOTS;
}

static void consumes_in_order(struct kunit *test)
{
	u32 posted = 0, copied = 0, released = 0;
	u32 elem[ELEM_BYTES / sizeof(u32)];
	struct soro_ring ring;
	u32 i;

	make_ring(test, &ring);
	for (i = 0; i < 100; i++) {
		while (posted - released < SLOTS - 1)
			post(&ring, posted++);
		KUNIT_ASSERT_EQ(test, soro_ring_pending(&ring), posted - copied);
		while (soro_ring_copy(&ring, elem, sizeof(elem)))
			KUNIT_ASSERT_EQ(test, elem[0], copied++);
		KUNIT_ASSERT_EQ(test, copied, posted);
		KUNIT_ASSERT_EQ(test, soro_ring_taken(&ring), posted - released);
		KUNIT_ASSERT_EQ(test, ring.shared->consumer, released % SLOTS);
		soro_ring_release(&ring, 1 + i % 3);
		released += 1 + i % 3;
		KUNIT_ASSERT_EQ(test, ring.shared->consumer, released % SLOTS);
	}
}

static void copies_no_more_than_a_slot(struct kunit *test)
{
	struct soro_ring ring;
	u8 dst[2 * ELEM_BYTES];

	make_ring(test, &ring);
	memset(ring.shared->data, 0x11, SLOTS * ELEM_BYTES);
	memset(dst, 0xee, sizeof(dst));
	ring.shared->producer = 2;
	KUNIT_EXPECT_TRUE(test, soro_ring_copy(&ring, dst, sizeof(dst)));
	KUNIT_EXPECT_EQ(test, dst[ELEM_BYTES - 1], 0x11);
	KUNIT_EXPECT_EQ(test, dst[ELEM_BYTES], 0xee);
	memset(dst, 0xee, sizeof(dst));
	KUNIT_EXPECT_TRUE(test, soro_ring_copy(&ring, dst, 3));
	KUNIT_EXPECT_EQ(test, dst[2], 0x11);
	KUNIT_EXPECT_EQ(test, dst[3], 0xee);
}

static void producer_of_a_liar_is_bounded(struct kunit *test)
{
	static const u32 lies[] = { 0, 1, 5, 7, 8, 9, 0x7fffffff, 0x80000000, U32_MAX };
	struct soro_ring ring;
	u8 dst[ELEM_BYTES];
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		make_ring(test, &ring);
		for (j = 0; j < 50; j++) {
			ring.shared->producer = lies[(i + j) % ARRAY_SIZE(lies)];
			ring.shared->consumer = lies[(i * j) % ARRAY_SIZE(lies)];
			ring.shared->mask = U32_MAX;
			ring.shared->log2_elem_bytes = 31;
			KUNIT_ASSERT_LE(test, soro_ring_pending(&ring),
					SLOTS - 1 - soro_ring_taken(&ring));
			soro_ring_copy(&ring, dst, sizeof(dst));
			KUNIT_ASSERT_LE(test, soro_ring_taken(&ring), SLOTS - 1U);
			if (j % 5 == 4)
				soro_ring_release(&ring, soro_ring_taken(&ring));
		}
	}
}

static void discard_empties(struct kunit *test)
{
	struct soro_ring ring;
	u8 dst[ELEM_BYTES];
	u32 i;

	make_ring(test, &ring);
	for (i = 0; i < 5; i++)
		post(&ring, i);
	soro_ring_copy(&ring, dst, sizeof(dst));
	soro_ring_discard(&ring);
	KUNIT_EXPECT_EQ(test, soro_ring_pending(&ring), 0U);
	KUNIT_EXPECT_EQ(test, soro_ring_taken(&ring), 0U);
	KUNIT_EXPECT_EQ(test, ring.shared->consumer, 5U);
	post(&ring, 42);
	KUNIT_EXPECT_EQ(test, soro_ring_pending(&ring), 1U);
}

static void produces_until_full(struct kunit *test)
{
	struct soro_ring ring;
	u32 value, i;

	make_ring(test, &ring);
	ring.next = 6;
	ring.seen = 6;
	ring.shared->consumer = 6;
	KUNIT_EXPECT_TRUE(test, soro_ring_empty(&ring));
	for (i = 0; i < SLOTS - 1; i++) {
		KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
		soro_ring_push(&ring, &i, sizeof(i));
		KUNIT_EXPECT_FALSE(test, soro_ring_empty(&ring));
		memcpy(&value, ring.shared->data + (6 + i) % SLOTS * ELEM_BYTES, sizeof(value));
		KUNIT_EXPECT_EQ(test, value, i);
	}
	KUNIT_EXPECT_TRUE(test, soro_ring_full(&ring));
	KUNIT_EXPECT_EQ(test, ring.shared->producer, 5U);
	ring.shared->consumer = 7;
	KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
	ring.shared->consumer = 5;
	KUNIT_EXPECT_TRUE(test, soro_ring_empty(&ring));
}

/* What cq_ex of librxe before v55 leaves behind after a poll of an empty ring. */
static void one_step_too_many_is_repaired(struct kunit *test)
{
	struct soro_ring ring;
	u32 i;

	make_ring(test, &ring);
	for (i = 0; i < 3; i++)
		soro_ring_push(&ring, &i, sizeof(i));
	ring.shared->consumer = 4;
	KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
	KUNIT_EXPECT_EQ(test, ring.shared->consumer, 3U);
	KUNIT_EXPECT_TRUE(test, soro_ring_empty(&ring));

	ring.shared->consumer = 4;
	KUNIT_EXPECT_TRUE(test, soro_ring_empty(&ring));
	KUNIT_EXPECT_EQ(test, ring.shared->consumer, 3U);
}

static void impossible_consumer_frees_nothing(struct kunit *test)
{
	struct soro_ring ring;
	u32 i;

	make_ring(test, &ring);
	for (i = 0; i < 3; i++)
		soro_ring_push(&ring, &i, sizeof(i));
	ring.shared->consumer = 2;
	KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
	KUNIT_EXPECT_EQ(test, ring.seen, 2U);

	/* Back behind what was seen, and two steps ahead of the producer. */
	ring.shared->consumer = 1;
	KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
	KUNIT_EXPECT_EQ(test, ring.seen, 2U);
	ring.shared->consumer = 5;
	KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
	KUNIT_EXPECT_EQ(test, ring.seen, 2U);

	for (i = 0; i < SLOTS - 2; i++) {
		ring.shared->consumer = 1;
		KUNIT_EXPECT_FALSE(test, soro_ring_full(&ring));
		soro_ring_push(&ring, &i, sizeof(i));
	}
	ring.shared->consumer = U32_MAX & ~7;
	KUNIT_EXPECT_EQ(test, ring.next, SLOTS + 1U);
	KUNIT_EXPECT_EQ(test, ring.shared->producer, 1U);
}

/* Read what is there, which goes on where it ended. */
static void drain(struct kunit *test, struct soro_ring *ring, u32 *read)
{
	u32 elem[ELEM_BYTES / sizeof(u32)];

	while (soro_ring_pull(ring, elem, sizeof(elem)))
		KUNIT_ASSERT_EQ(test, elem[0], (*read)++);
}

/* A ring gets a successor while both ends go on: nothing is lost, repeated or reordered. */
static void successor_takes_over(struct kunit *test)
{
	u32 pushed = 0, read = 0, round, i;
	u32 elem[ELEM_BYTES / sizeof(u32)] = {};
	struct soro_ring ring = {}, to;

	KUNIT_ASSERT_EQ(test, soro_ring_create(&ring, 15, ELEM_BYTES, NULL, NULL), 0);
	/* Numbers wrap on the way. */
	ring.next = -100U;
	ring.seen = ring.next;
	ring.shared->producer = ring.next & ring.mask;
	ring.shared->consumer = ring.next & ring.mask;
	for (round = 0; round < 200; round++) {
		memset(&to, 0, sizeof(to));
		KUNIT_ASSERT_EQ(test, soro_ring_create(&to, round % 3 ? 15 : 31, ELEM_BYTES, NULL,
						       NULL), 0);
		for (i = 0; i < round % 8 && !soro_ring_full(&ring); i++) {
			elem[0] = pushed++;
			soro_ring_push(&ring, elem, sizeof(elem));
		}
		soro_ring_succeed(&to, &ring);
		while (!soro_ring_move_unread(&ring, &to, 1 + round % 2)) {
			for (i = 0; i < round % 4 && !(round % 8 / 5); i++)
				if (soro_ring_pull(&ring, elem, sizeof(elem)))
					KUNIT_ASSERT_EQ(test, elem[0], read++);
			if (soro_ring_unread(&ring) < 15 && round % 2) {
				elem[0] = pushed++;
				soro_ring_push(&ring, elem, sizeof(elem));
			}
			if (pushed > 20 * (round + 1))
				drain(test, &ring, &read);
		}
		KUNIT_ASSERT_EQ(test, soro_ring_unread(&to), pushed - read);
		swap(ring, to);
		soro_ring_destroy(&to);
		if (soro_ring_unread(&ring) > 8)
			drain(test, &ring, &read);
	}
	drain(test, &ring, &read);
	KUNIT_EXPECT_EQ(test, read, pushed);
	KUNIT_EXPECT_GT(test, pushed, 500U);
	soro_ring_destroy(&ring);
}

/* Both ends in the kernel: what is put in comes out, and no more goes in than there is room. */
static void kernel_posts(struct kunit *test)
{
	u32 posted = 0, copied = 0, i;
	u32 elem[ELEM_BYTES / sizeof(u32)];
	struct soro_ring ring = {};
	u32 *slot;

	KUNIT_ASSERT_EQ(test, soro_ring_create(&ring, SLOTS - 1, ELEM_BYTES, NULL, NULL), 0);
	KUNIT_ASSERT_TRUE(test, soro_ring_exists(&ring));
	for (i = 0; i < 100; i++) {
		while ((slot = soro_ring_reserve(&ring))) {
			*slot = posted++;
			KUNIT_ASSERT_PTR_EQ(test, (u32 *)soro_ring_reserve(&ring), slot);
			soro_ring_commit(&ring);
		}
		KUNIT_ASSERT_EQ(test, soro_ring_pending(&ring), SLOTS - 1U);
		while (soro_ring_copy(&ring, elem, sizeof(elem)))
			KUNIT_ASSERT_EQ(test, elem[0], copied++);
		/* Room is made by completion, not by copying. */
		KUNIT_ASSERT_NULL(test, soro_ring_reserve(&ring));
		soro_ring_release(&ring, SLOTS - 1);
	}
	KUNIT_EXPECT_EQ(test, copied, 100U * (SLOTS - 1));
	soro_ring_destroy(&ring);
	KUNIT_EXPECT_FALSE(test, soro_ring_exists(&ring));
}

static void kernel_polls(struct kunit *test)
{
	struct soro_ring ring = {};
	u32 pushed = 0, pulled = 0, value, i;

	KUNIT_ASSERT_EQ(test, soro_ring_create(&ring, SLOTS - 1, ELEM_BYTES, NULL, NULL), 0);
	for (i = 0; i < 100; i++) {
		for (; !soro_ring_full(&ring); pushed++)
			soro_ring_push(&ring, &pushed, sizeof(pushed));
		KUNIT_ASSERT_EQ(test, pushed - pulled, SLOTS - 1U);
		while (pulled % 5 != i % 5 && soro_ring_pull(&ring, &value, sizeof(value)))
			KUNIT_ASSERT_EQ(test, value, pulled++);
	}
	while (soro_ring_pull(&ring, &value, sizeof(value)))
		KUNIT_ASSERT_EQ(test, value, pulled++);
	KUNIT_EXPECT_EQ(test, pulled, pushed);
	KUNIT_EXPECT_TRUE(test, soro_ring_empty(&ring));
	soro_ring_destroy(&ring);
}

/* What waits moves in its order, while entries are posted and taken. */
static void moves_what_waits(struct kunit *test)
{
	u32 posted = 0, copied = 0, round, i;
	u32 elem[ELEM_BYTES / sizeof(u32)];
	struct soro_ring from, to;

	make_ring(test, &from);
	from.next = -20U;	/* numbers wrap on the way */
	from.shared->producer = from.next % SLOTS;
	for (round = 0; round < 60; round++) {
		make_ring(test, &to);
		for (i = 0; i < round % SLOTS && soro_ring_pending(&from) < SLOTS - 1; i++)
			post(&from, posted++);
		soro_ring_succeed(&to, &from);
		while (soro_ring_move(&from, &to, SLOTS - 1, 1 + round % 2) == -EAGAIN) {
			for (i = 0; i < round % 5 && soro_ring_copy(&from, elem, sizeof(elem)); i++)
				KUNIT_ASSERT_EQ(test, elem[0], copied++);
			soro_ring_release(&from, i);
			if (round % 3 && posted % 7 && soro_ring_pending(&from) < SLOTS - 1)
				post(&from, posted++);
		}
		KUNIT_ASSERT_EQ(test, soro_ring_pending(&to), posted - copied);
		KUNIT_ASSERT_EQ(test, to.shared->consumer, to.next % SLOTS);
		from = to;
	}
	for (; soro_ring_copy(&from, elem, sizeof(elem)); copied++)
		KUNIT_ASSERT_EQ(test, elem[0], copied);
	KUNIT_EXPECT_EQ(test, copied, posted);
	KUNIT_EXPECT_GT(test, posted, 60U);
}

/* A producer that goes back and forth ends nothing later than one that does not. */
static void moves_for_a_liar(struct kunit *test)
{
	struct soro_ring from, to;
	u32 steps = 0;

	make_ring(test, &from);
	make_ring(test, &to);
	from.shared->producer = SLOTS - 1;
	soro_ring_succeed(&to, &from);
	KUNIT_EXPECT_EQ(test, soro_ring_move(&from, &to, SLOTS - 2, 1), -EINVAL);
	while (soro_ring_move(&from, &to, SLOTS - 1, 1) == -EAGAIN && ++steps < 100)
		from.shared->producer = SLOTS - 1 - steps % 2;
	KUNIT_EXPECT_LT(test, steps, SLOTS);
	KUNIT_EXPECT_LT(test, soro_ring_pending(&to), SLOTS);
}

static void says_what_no_provider_writes(struct kunit *test)
{
	struct soro_ring ring;

	make_ring(test, &ring);
	KUNIT_EXPECT_FALSE(test, soro_ring_broken(&ring));
	ring.shared->producer = SLOTS - 1;
	KUNIT_EXPECT_FALSE(test, soro_ring_broken(&ring));
	ring.shared->producer = SLOTS;
	KUNIT_EXPECT_TRUE(test, soro_ring_broken(&ring));
	ring.shared->producer = U32_MAX;
	KUNIT_EXPECT_TRUE(test, soro_ring_broken(&ring));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(consumes_in_order),
	KUNIT_CASE(copies_no_more_than_a_slot),
	KUNIT_CASE(producer_of_a_liar_is_bounded),
	KUNIT_CASE(discard_empties),
	KUNIT_CASE(produces_until_full),
	KUNIT_CASE(one_step_too_many_is_repaired),
	KUNIT_CASE(impossible_consumer_frees_nothing),
	KUNIT_CASE(successor_takes_over),
	KUNIT_CASE(kernel_posts),
	KUNIT_CASE(kernel_polls),
	KUNIT_CASE(moves_what_waits),
	KUNIT_CASE(moves_for_a_liar),
	KUNIT_CASE(says_what_no_provider_writes),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_ring",
	.test_cases = cases,
};

kunit_test_suites(&suite);

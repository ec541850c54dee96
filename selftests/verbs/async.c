// SPDX-License-Identifier: GPL-2.0
/*
 * Takes asynchronous events and compares them with those expected.
 */
#include <poll.h>
#include <string.h>

#include "async.h"
#include "tap.h"

/* Long enough for an event that should not come to come. */
#define QUIET_MSEC 100
#define OBJECTS_MAX 4
#define TYPES_MAX 32

struct tally {
	const struct async_want *want;
	unsigned int count;
	unsigned int seen[OBJECTS_MAX][TYPES_MAX];
};

static bool complete(const struct tally *tally)
{
	unsigned int i, type;

	for (i = 0; i < tally->count; i++) {
		for (type = 0; type < TYPES_MAX; type++) {
			if (tally->want[i].types & ASYNC(type) && !tally->seen[i][type])
				return false;
		}
	}
	return true;
}

static void note(struct tally *tally, const struct ibv_async_event *event)
{
	unsigned int i;

	for (i = 0; i < tally->count; i++) {
		if (event->element.qp == tally->want[i].object && event->event_type < TYPES_MAX)
			tally->seen[i][event->event_type]++;
	}
}

/* Take events until none comes in time. */
static void take(struct device *dev, struct tally *tally, unsigned int msec, bool until_complete)
{
	struct pollfd pfd = { .fd = dev->ctx->async_fd, .events = POLLIN };
	uint64_t deadline = now_msec() + msec, now;
	struct ibv_async_event event;

	while (!until_complete || !complete(tally)) {
		now = now_msec();
		if (poll(&pfd, 1, now < deadline ? (int)(deadline - now) : 0) <= 0)
			return;
		if (ibv_get_async_event(dev->ctx, &event))
			continue;
		note(tally, &event);
		ibv_ack_async_event(&event);
	}
}

bool async_expect(struct device *dev, const struct async_want *want, unsigned int count,
		  unsigned int msec, const char *what)
{
	struct tally tally = { .want = want, .count = count };
	unsigned int i, type, due;
	bool ok = true;

	take(dev, &tally, msec, true);
	take(dev, &tally, QUIET_MSEC, false);
	for (i = 0; i < count; i++) {
		for (type = 0; type < TYPES_MAX; type++) {
			due = !!(want[i].types & ASYNC(type));
			ok &= CHECK(tally.seen[i][type] == due, "%s: \"%s\" of object %u %u times",
				    what, ibv_event_type_str(type), i, tally.seen[i][type]);
		}
	}
	return ok;
}

bool async_expect_one(struct device *dev, const void *object, enum ibv_event_type type,
		      unsigned int msec, const char *what)
{
	struct async_want want = { object, ASYNC(type) };

	return async_expect(dev, &want, 1, msec, what);
}

bool async_expect_none(struct device *dev, const void *object, const char *what)
{
	struct async_want want = { object, 0 };

	return async_expect(dev, &want, 1, 0, what);
}

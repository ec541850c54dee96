/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asynchronous events: those that are expected come once each, and no others.
 */
#ifndef SORO_VERBS_ASYNC_H
#define SORO_VERBS_ASYNC_H

#include "device.h"

#define ASYNC(type) (1u << (type))

/**
 * struct async_want - events that an object should raise
 * @object: QP or CQ
 * @types: ASYNC() bits of the types of which one should come, and none of another type
 */
struct async_want {
	const void *object;
	unsigned int types;
};

/**
 * async_expect() - wait for events, and then whether more come
 * @dev: device of all objects; events of others are acknowledged and dropped
 * @want: @count rows, an object in one of them
 * @msec: time to wait for those that should come
 * @what: for messages
 *
 * Return: whether all came, each once, and nothing else.
 */
bool async_expect(struct device *dev, const struct async_want *want, unsigned int count,
		  unsigned int msec, const char *what);

/** async_expect_one() - as async_expect(), for one event of one object */
bool async_expect_one(struct device *dev, const void *object, enum ibv_event_type type,
		      unsigned int msec, const char *what);

/** async_expect_none() - an object raises no event for a while */
bool async_expect_none(struct device *dev, const void *object, const char *what);

#endif

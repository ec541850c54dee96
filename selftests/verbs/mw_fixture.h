/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connected pair, a region at end 1 and a memory window on it, through which end 0
 * reaches the region.
 */
#ifndef SORO_VERBS_MW_FIXTURE_H
#define SORO_VERBS_MW_FIXTURE_H

#include "data.h"
#include "fixture.h"

#define STAGE_BYTES 8192

/**
 * struct stage - what the tests of windows and invalidation need
 * @pair: end 0 is the peer, end 1 owns region and window; both post with the ibv_wr_* calls
 * @region: at end 1
 * @local: at end 0
 * @mw: at end 1
 * @key: key of @mw as of the last bind
 */
struct stage {
	struct pair pair;
	struct buf region, local;
	struct ibv_mw *mw;
	uint32_t key;
};

/**
 * struct binding - a bind, every part of which can be wrong
 * @addr: @len: range
 * @access: IBV_ACCESS_ flags
 * @lkey: region
 * @mw_rkey: window
 * @rkey: new key
 */
struct binding {
	uint64_t addr, len;
	unsigned int access;
	uint32_t lkey, mw_rkey, rkey;
};

/**
 * stage_open() - make all of it
 * @s: filled
 * @env: devices
 * @type: of the window
 * @opts: of the pair; wr_api is set
 * @access: of the region
 *
 * Return: false after a failed check; stage_close() is due in any case.
 */
bool stage_open(struct stage *s, struct env *env, enum ibv_mw_type type,
		const struct pair_opts *opts, int access);

/** stage_close() - check every byte, destroy whatever there is */
void stage_close(struct stage *s);

/** stage_binding() - Return: a good bind of bytes 1000 to 5000 for reading and writing */
struct binding stage_binding(const struct stage *s);

/** stage_post_bind() - post a bind at an end, signalled; Return: 0 or errno */
int stage_post_bind(struct end *end, uint64_t wr_id, const struct binding *b);

/** stage_bind() - bind and wait for success; Return: false after a failed check */
bool stage_bind(struct stage *s, const struct binding *b);

/** stage_local_inv() - post a LOCAL_INV at an end, signalled; Return: 0 or errno */
int stage_local_inv(struct end *end, uint64_t wr_id, uint32_t key);

/**
 * stage_write() - end 0 writes to the region and reads it back, and all is right
 * @s: bound
 * @key: key
 * @addr: address that the key knows
 * @at: the byte of the region that this is
 * @len: bytes
 */
bool stage_write(struct stage *s, uint32_t key, uint64_t addr, size_t at, size_t len);

/** stage_post() - end 0 posts an operation on @len bytes, signalled; Return: 0 or errno */
int stage_post(struct stage *s, enum ibv_wr_opcode opcode, uint64_t wr_id, uint32_t key,
	       uint64_t addr, size_t len);

/** stage_refused() - what end 0 posted with wr_id 1 is refused, and both sides learn of it */
void stage_refused(struct stage *s, const char *what);

/** stage_bind_fails() - a bind or invalidation posted at an end with wr_id 1 fails there */
void stage_bind_fails(struct end *end, const char *what);

/** mw_opts() - Return: options of a pair that permits everything */
struct pair_opts mw_opts(const struct env *env);

#endif

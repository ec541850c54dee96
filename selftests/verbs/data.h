/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registered buffers whose every byte is known, and scatter/gather lists on
 * them.
 */
#ifndef SORO_VERBS_DATA_H
#define SORO_VERBS_DATA_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_SGE 32

/**
 * struct buf - memory, its registration and an image of what it should hold
 * @map: whole mapping: guard zone, @len bytes, guard zone
 * @map_len: its length
 * @mem: first registered byte, unaligned on purpose
 * @len: registered length
 * @mr: registration of exactly [mem, mem + len)
 * @image: expected content of the whole mapping
 */
struct buf {
	uint8_t *map;
	size_t map_len;
	uint8_t *mem;
	size_t len;
	struct ibv_mr *mr;
	uint8_t *image;
};

/**
 * struct layout - a scatter/gather list on one buffer
 * @buf: the buffer
 * @count: number of entries
 * @total: sum of their lengths
 * @sge: entries with gaps between them, in rising order
 */
struct layout {
	struct buf *buf;
	int count;
	size_t total;
	struct ibv_sge sge[MAX_SGE];
};

/**
 * buf_open() - make a buffer with random content
 * @buf: filled
 * @pd: protection domain
 * @len: registered bytes
 * @access: IBV_ACCESS_ flags
 *
 * Return: true, or false after a failed check.
 */
bool buf_open(struct buf *buf, struct ibv_pd *pd, size_t len, int access);

/** buf_open_at() - as buf_open(), on a mapping given by the caller (@map, @map_len) */
bool buf_open_at(struct buf *buf, struct ibv_pd *pd, uint8_t *map, size_t map_len,
		 size_t offset, size_t len, int access);

/** buf_close() - deregister (if still registered) and free */
void buf_close(struct buf *buf);

/** buf_dereg() - deregister only */
void buf_dereg(struct buf *buf);

/** buf_check() - compare every byte, guard zones too; Return: whether all are right */
bool buf_check(const struct buf *buf, const char *what);

/**
 * layout_make() - lay a message of @total bytes over @count entries
 * @layout: filled; fewer entries when there are fewer bytes, at least one
 *          unless @count is 0
 * @buf: buffer, big enough for the bytes
 * @total: bytes
 * @count: wanted entries
 */
void layout_make(struct layout *layout, struct buf *buf, size_t total, int count);

/** layout_cut() - shorten the list to its first @total bytes */
void layout_cut(struct layout *layout, size_t total);

/** layout_gather() - copy the bytes under the list to @out */
void layout_gather(const struct layout *layout, uint8_t *out);

/** layout_expect() - say that the list's bytes should now hold @data */
void layout_expect(const struct layout *layout, const uint8_t *data);

/** layout_adopt() - take over whatever the list's bytes hold (contents undefined) */
void layout_adopt(const struct layout *layout);

/** layout_check() - compare the list's bytes and what is around and between them */
bool layout_check(const struct layout *layout, const char *what);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers with guard zones and an image of what they should hold. Knows
 * nothing of operations.
 */
#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "data.h"
#include "tap.h"

#define GUARD_BYTES 4096
#define MAX_GAP_BYTES 61

static void fill_random(uint8_t *p, size_t len)
{
	uint64_t x = rnd(), step = rnd() | 1;
	size_t i;

	/* A Weyl sequence with mixing: no two pages alike, and cheap. */
	for (i = 0; i + 8 <= len; i += 8) {
		uint64_t v;

		x += step;
		v = x ^ (x >> 29) ^ (x << 17);
		memcpy(p + i, &v, 8);
	}
	for (; i < len; i++)
		p[i] = (uint8_t)rnd();
}

bool buf_open_at(struct buf *buf, struct ibv_pd *pd, uint8_t *map, size_t map_len,
		 size_t offset, size_t len, int access)
{
	buf->map = map;
	buf->map_len = map_len;
	buf->mem = map + offset;
	buf->len = len;
	buf->mr = NULL;
	buf->image = malloc(map_len);
	if (!CHECK(buf->image, "no memory for an image of %zu bytes", map_len))
		return false;
	fill_random(buf->map, map_len);
	memcpy(buf->image, buf->map, map_len);
	buf->mr = ibv_reg_mr(pd, buf->mem, len, access);
	return CHECK(buf->mr, "ibv_reg_mr of %zu bytes, access 0x%x: %s", len, access,
		     strerror(errno));
}

bool buf_open(struct buf *buf, struct ibv_pd *pd, size_t len, int access)
{
	/* Odd, so that no address is aligned by accident. */
	size_t offset = GUARD_BYTES + 1 + 2 * rnd_below(500);
	size_t map_len = (offset + len + GUARD_BYTES + 4095) & ~(size_t)4095;
	uint8_t *map = mmap(NULL, map_len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(buf, 0, sizeof(*buf));
	if (!CHECK(map != MAP_FAILED, "mmap of %zu bytes: %s", map_len, strerror(errno)))
		return false;
	return buf_open_at(buf, pd, map, map_len, offset, len, access);
}

void buf_dereg(struct buf *buf)
{
	int err;

	if (!buf->mr)
		return;
	err = ibv_dereg_mr(buf->mr);
	CHECK(!err, "ibv_dereg_mr: %s", strerror(err));
	buf->mr = NULL;
}

void buf_close(struct buf *buf)
{
	buf_dereg(buf);
	free(buf->image);
	if (buf->map)
		munmap(buf->map, buf->map_len);
	memset(buf, 0, sizeof(*buf));
}

static bool compare(const struct buf *buf, size_t from, size_t to, const char *what)
{
	size_t i, bad = 0, first = 0;

	if (!memcmp(buf->map + from, buf->image + from, to - from))
		return true;
	for (i = from; i < to; i++) {
		if (buf->map[i] == buf->image[i])
			continue;
		if (!bad++)
			first = i;
	}
	return CHECK(false, "%s: %zu bytes differ, first at buffer offset %td (0x%02x, not 0x%02x)",
		     what, bad, (ptrdiff_t)first - (buf->mem - buf->map), buf->map[first],
		     buf->image[first]);
}

bool buf_check(const struct buf *buf, const char *what)
{
	return compare(buf, 0, buf->map_len, what);
}

void layout_make(struct layout *layout, struct buf *buf, size_t total, int count)
{
	size_t room = buf->len - total, left = total;
	uint8_t *at;
	int i;

	if (total && (size_t)count > total)
		count = total;
	if (!total && count > 1)
		count = 1;
	layout->buf = buf;
	layout->count = count;
	layout->total = total;
	at = buf->mem;
	for (i = 0; i < count; i++) {
		size_t spare = left - (count - i - 1);
		size_t gap = rnd_below((room < MAX_GAP_BYTES ? room : MAX_GAP_BYTES) + 1);
		size_t len = i == count - 1 ? left : 1 + rnd_below(2 * spare / (count - i));

		/* The first gap may be long: another place for each message. */
		if (!i && room > MAX_SGE * MAX_GAP_BYTES)
			gap = rnd_below(room - MAX_SGE * MAX_GAP_BYTES);
		if (len > spare)
			len = spare;
		at += gap;
		room -= gap;
		layout->sge[i].addr = (uintptr_t)at;
		layout->sge[i].length = len;
		layout->sge[i].lkey = buf->mr->lkey;
		at += len;
		left -= len;
	}
}

void layout_cut(struct layout *layout, size_t total)
{
	int i;

	layout->total = total;
	for (i = 0; i < layout->count; i++) {
		if (layout->sge[i].length > total)
			layout->sge[i].length = total;
		total -= layout->sge[i].length;
	}
}

void layout_gather(const struct layout *layout, uint8_t *out)
{
	int i;

	for (i = 0; i < layout->count; i++) {
		memcpy(out, (void *)(uintptr_t)layout->sge[i].addr, layout->sge[i].length);
		out += layout->sge[i].length;
	}
}

static size_t sge_offset(const struct layout *layout, int i)
{
	return (uintptr_t)layout->sge[i].addr - (uintptr_t)layout->buf->map;
}

void layout_expect(const struct layout *layout, const uint8_t *data)
{
	int i;

	for (i = 0; i < layout->count; i++) {
		memcpy(layout->buf->image + sge_offset(layout, i), data, layout->sge[i].length);
		data += layout->sge[i].length;
	}
}

void layout_adopt(const struct layout *layout)
{
	int i;

	for (i = 0; i < layout->count; i++)
		memcpy(layout->buf->image + sge_offset(layout, i),
		       layout->buf->map + sge_offset(layout, i), layout->sge[i].length);
}

bool layout_check(const struct layout *layout, const char *what)
{
	const struct buf *buf = layout->buf;
	size_t from, to;
	int last = layout->count - 1;

	if (!layout->count)
		return true;
	from = sge_offset(layout, 0);
	to = sge_offset(layout, last) + layout->sge[last].length;
	from = from > GUARD_BYTES ? from - GUARD_BYTES : 0;
	to = to + GUARD_BYTES < buf->map_len ? to + GUARD_BYTES : buf->map_len;
	return compare(buf, from, to, what);
}

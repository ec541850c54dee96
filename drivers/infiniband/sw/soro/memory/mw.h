/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory windows: keys of their own for a part of a memory region (IBA 10.6.7).
 *
 * Owns: the life of a window and what it is bound to. Must not know: QPs, work requests,
 * packets.
 */
#ifndef SORO_MEMORY_MW_H
#define SORO_MEMORY_MW_H

#include <rdma/ib_verbs.h>

struct soro_keys;
struct soro_grant;
struct soro_window;

/**
 * struct soro_mw - the core's object of a window
 * @ib: the core frees it when dealloc_mw returns
 * @window: the window, which lookups under RCU may outlive
 */
struct soro_mw {
	struct ib_mw ib;
	struct soro_window *window;
};

/**
 * struct soro_bind - what a window is to be bound to
 * @addr: start of the range, as the region names it
 * @length: bytes; 0 unbinds a window of type 1
 * @mr_lkey: the region
 * @mw_rkey: the window, by its key until now
 * @rkey: its low byte is that of the new key
 * @access: IB_ACCESS_* bits
 */
struct soro_bind {
	u64 addr;
	u64 length;
	u32 mr_lkey;
	u32 mw_rkey;
	u32 rkey;
	int access;
};

int soro_mw_alloc(struct soro_keys *keys, struct ib_mw *ib_mw);
int soro_mw_dealloc(struct ib_mw *ib_mw);
int soro_mw_bind(struct soro_keys *keys, const struct ib_pd *pd, const void *qp,
		 const struct soro_bind *bind);
void soro_mw_unbind(struct soro_grant *grant);
void soro_mw_forget_qp(struct soro_keys *keys, const void *qp);

#endif /* SORO_MEMORY_MW_H */

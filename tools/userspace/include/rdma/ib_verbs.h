/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for what objects/ takes from the kernel's <rdma/ib_verbs.h>. */
#ifndef SORO_USER_RDMA_IB_VERBS_H
#define SORO_USER_RDMA_IB_VERBS_H

#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/types.h>
#include <rdma/ib_user_verbs.h>

struct ib_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

enum ib_send_flags {
	IB_SEND_FENCE		= 1 << 0,
	IB_SEND_SIGNALED	= 1 << 1,
	IB_SEND_SOLICITED	= 1 << 2,
	IB_SEND_INLINE		= 1 << 3,
	IB_SEND_IP_CSUM		= 1 << 4,
};

enum ib_wr_opcode {
	IB_WR_REG_MR		= 0x20,
};

struct ib_ucontext;
struct vm_area_struct;

struct rdma_user_mmap_entry {
	u32 refs;
	size_t bytes;
};

/* The program that links objects/ring.c has these. */
int rdma_user_mmap_entry_insert(struct ib_ucontext *uctx, struct rdma_user_mmap_entry *entry,
				size_t bytes);
void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry);
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *uctx,
						      struct vm_area_struct *vma);
void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry);
u64 rdma_user_mmap_get_offset(const struct rdma_user_mmap_entry *entry);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two connected QPs of the kernel on one device, and work on them.
 *
 * Owns: the setup, waiting for completions. Must not know: what is tested.
 */
#ifndef SORO_ULP_PAIR_H
#define SORO_ULP_PAIR_H

#include <linux/completion.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#define ULP_BUF_BYTES	(128 * 1024)
#define ULP_WRS		128
#define ULP_SGES	4
#define ULP_INLINE	128
#define ULP_WAIT_SEC	20

/**
 * struct ulp_op - a work request that somebody waits for
 * @cqe: its handler
 * @done: it is over
 * @wc: how
 */
struct ulp_op {
	struct ib_cqe cqe;
	struct completion done;
	struct ib_wc wc;
};

/**
 * struct ulp_end - one of the two
 * @scq: of sends
 * @rcq: of receives
 * @srq: where its receives come from, or NULL
 * @last_wqe: the event that no more are taken from there
 * @qp: the QP
 * @buf: memory, ULP_BUF_BYTES
 * @addr: as it stands in work requests
 */
struct ulp_end {
	struct ib_cq *scq;
	struct ib_cq *rcq;
	struct ib_srq *srq;
	struct completion last_wqe;
	struct ib_qp *qp;
	u8 *buf;
	u64 addr;
};

/**
 * struct ulp_pair - both
 * @dev: the device
 * @type: of the QPs
 * @pd: protection domain; its key allows remote access
 * @gid: own address, and that of the peer
 * @gid_index: where it stands
 * @end: the two ends
 */
struct ulp_pair {
	struct ib_device *dev;
	enum ib_qp_type type;
	struct ib_pd *pd;
	union ib_gid gid;
	int gid_index;
	struct ulp_end end[2];
};

int ulp_pair_init(struct ulp_pair *pair, struct ib_device *dev, enum ib_qp_type type,
		  enum ib_poll_context poll);
int ulp_pair_connect(struct ulp_pair *pair);
void ulp_pair_fini(struct ulp_pair *pair);
int ulp_find_gid(struct ib_device *dev, union ib_gid *gid);
int ulp_create_qp(struct ulp_pair *pair, struct ulp_end *end);
int ulp_error(struct ulp_end *end);

void ulp_op_init(struct ulp_op *op);
int ulp_wait(struct ib_cq *cq, struct ulp_op *op);
int ulp_send(struct ulp_end *end, struct ulp_op *op, u32 offset, u32 bytes, int flags);
int ulp_recv(struct ulp_end *end, struct ulp_op *op, u32 offset, u32 bytes);
int ulp_rdma(struct ulp_end *end, struct ulp_op *op, enum ib_wr_opcode opcode, u32 bytes,
	     u64 remote, u32 rkey);
void ulp_fill(u8 *buf, u32 bytes, u32 seed);

/**
 * ulp_sge() - memory of an end
 * @end: the end
 * @offset: in its buffer
 * @bytes: how much
 */
static inline struct ib_sge ulp_sge(const struct ulp_end *end, u32 offset, u32 bytes)
{
	return (struct ib_sge) {
		.addr = end->addr + offset,
		.length = bytes,
		.lkey = end->qp->pd->local_dma_lkey,
	};
}

#endif

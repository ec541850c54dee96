/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations as data, posting by either interface, and completions.
 */
#ifndef SORO_VERBS_OP_H
#define SORO_VERBS_OP_H

#include "data.h"
#include "fixture.h"

enum op_id {
	OP_SEND,
	OP_SEND_IMM,
	OP_WRITE,
	OP_WRITE_IMM,
	OP_READ,
	OP_COUNT,
};

/**
 * struct op_desc - what an operation is and what completions it makes
 * @name: for messages and --ops
 * @wr: opcode to post
 * @wc: opcode of the requester's completion
 * @recv_wc: opcode of the responder's completion, if @takes_recv
 * @takes_recv: consumes a receive WQE
 * @to_recv: its data goes to that WQE's buffers
 * @is_remote: names remote memory
 * @is_read: data flows to the requester
 * @has_imm: carries immediate data
 */
struct op_desc {
	const char *name;
	enum ibv_wr_opcode wr;
	enum ibv_wc_opcode wc;
	enum ibv_wc_opcode recv_wc;
	bool takes_recv, to_recv, is_remote, is_read, has_imm;
};

/** op_desc() - Return: the row of an operation */
const struct op_desc *op_desc(enum op_id op);

/** op_by_name() - Return: the operation of that name, or -1 */
int op_by_name(const char *name);

/**
 * end_post_send() - post a list by the interface that the end uses
 *
 * With the ibv_wr_* calls inline data is taken from the SGE list as usual
 * and handed over as one piece.
 *
 * Return: 0 or errno.
 */
int end_post_send(struct end *end, struct ibv_send_wr *wr);

/** end_post_recv() - post one receive, to the SRQ if the end has one; Return: 0 or errno */
int end_post_recv(struct end *end, uint64_t wr_id, struct ibv_sge *sge, int count);

/** end_post_recv_layout() - post one receive for a layout; Return: 0 or errno */
int end_post_recv_layout(struct end *end, uint64_t wr_id, struct layout *layout);

/** end_wait_wc() - wait for a completion; Return: false (no failed check) on timeout */
bool end_wait_wc(struct end *end, struct ibv_cq *cq, struct ibv_wc *wc);

/**
 * struct expect - a completion that should come
 * @wr_id: @status: as in struct ibv_wc
 * @opcode: looked at when the status is success, as all below
 * @recv: a receive completion: length, flags and immediate count
 * @has_len: check the length of a requester's completion (READ)
 * @byte_len: length
 * @has_imm: @imm: immediate data
 */
struct expect {
	uint64_t wr_id;
	enum ibv_wc_status status;
	enum ibv_wc_opcode opcode;
	bool recv, has_len, has_imm;
	uint32_t byte_len;
	__be32 imm;
};

/** end_expect() - wait for a completion and check it; Return: whether all was right */
bool end_expect(struct end *end, const struct expect *expect, const char *what);

/** end_expect_status() - as end_expect(), only wr_id, status and qp_num */
bool end_expect_status(struct end *end, bool recv, uint64_t wr_id,
		       enum ibv_wc_status status, const char *what);

/** end_expect_none() - check that neither CQ holds a completion */
bool end_expect_none(struct end *end, const char *what);

/**
 * end_follow() - an empty SEND behind what was sent has arrived, and so has that
 *
 * For UC, which completes a WRITE when it has left.
 *
 * Return: whether all was right.
 */
bool end_follow(struct end *end, const char *what);

/** struct bufs - what each end sends from (read only) and receives to */
struct bufs {
	struct buf tx[2], rx[2];
	uint8_t *scratch;
};

/** bufs_open() - make buffers for messages of @len bytes; Return: false after a failed check */
bool bufs_open(struct bufs *bufs, struct env *env, size_t len);

/** bufs_close() - check every byte a last time and free */
void bufs_close(struct bufs *bufs);

/**
 * struct op_run - one operation to run and check
 * @op: operation
 * @len: bytes
 * @sge: local SGEs
 * @flags: IBV_SEND_ flags besides SIGNALED, which is always set
 */
struct op_run {
	enum op_id op;
	size_t len;
	int sge;
	unsigned int flags;
};

/**
 * op_run() - run one operation alone and check data and completions
 * @pair: connected
 * @from: index of the requester
 * @bufs: buffers
 * @run: what to do
 *
 * Return: whether all was right.
 */
bool op_run(struct pair *pair, int from, struct bufs *bufs, const struct op_run *run);

#endif

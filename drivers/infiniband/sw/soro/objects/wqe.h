/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work requests of the rings, validated and in the kernel's terms.
 *
 * Owns: what the provider may write into a work request and what it means.
 * Must not know: QPs, and anything that is still in shared memory.
 */
#ifndef SORO_OBJECTS_WQE_H
#define SORO_OBJECTS_WQE_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/soro-abi.h>

/* Least size of the private copy that holds num_sge SGEs or data_bytes inline bytes. */
#define SORO_WQE_SEND_BYTES(num_sge, data_bytes)				\
	(sizeof(struct soro_abi_send_wqe) +					\
	 max_t(u32, (num_sge) * sizeof(struct ib_sge), (data_bytes)))
#define SORO_WQE_RECV_BYTES(num_sge)						\
	(sizeof(struct soro_abi_recv_wqe) + (num_sge) * sizeof(struct ib_sge))

/* Operation of consumers in the kernel only; beyond what a ring of user space may hold. */
#define SORO_OP_REG_MR	IB_WR_REG_MR

/**
 * struct soro_send_desc - a send work request
 * @wr_id: the user's cookie
 * @opcode: enum soro_abi_op
 * @flags: enum soro_abi_flag, unknown bits removed
 * @imm_data: immediate data of the operations that carry it
 * @inv_rkey: key to invalidate (SEND_INV, LOCAL_INV)
 * @new_key: key from then on (BIND_MW, %SORO_OP_REG_MR)
 * @access: IB_ACCESS_* bits that it is to have
 * @bind_addr: start of the range, as the region names it (BIND_MW)
 * @bind_length: its bytes
 * @mr_lkey: the region
 * @mw_rkey: the window
 * @remote_addr: remote range or atomic operand (WRITE, READ, atomics, FLUSH)
 * @rkey: its key
 * @compare_add: compare value or addend of an atomic
 * @swap: swap value of an atomic
 * @flush_type: placement types of a FLUSH, as posted
 * @flush_level: selectivity of a FLUSH, as posted
 * @ud_qpn: destination QP of a datagram
 * @ud_qkey: its queue key
 * @ud_pkey_index: P_Key index
 * @ud_ah_num: number of the address handle, 0 when @ud_av holds the address
 * @ud_av: address vector inside the private copy, not validated
 * @num_sge: entries of @sge
 * @length: bytes of the message, summed from @sge or of inline data; or those of a FLUSH
 * @inline_data: whether the payload is @data
 * @data: inline payload inside the private copy
 * @sge: SGEs inside the private copy; their keys are not validated
 *
 * The private copy must stay as long as @ud_av, @data or @sge are used. The UD fields of an RC
 * request and the remote range of a SEND are what the user left there.
 */
struct soro_send_desc {
	u64 wr_id;
	u32 opcode;
	u32 flags;
	union {
		__be32 imm_data;
		u32 inv_rkey;
	};
	u32 new_key;
	int access;
	u64 bind_addr;
	u64 bind_length;
	u32 mr_lkey;
	u32 mw_rkey;
	u64 remote_addr;
	u32 rkey;
	u64 compare_add;
	u64 swap;
	u8 flush_type;
	u8 flush_level;
	u32 ud_qpn;
	u32 ud_qkey;
	u16 ud_pkey_index;
	u32 ud_ah_num;
	const struct soro_abi_av *ud_av;
	u32 num_sge;
	u64 length;
	bool inline_data;
	const u8 *data;
	const struct ib_sge *sge;
};

/**
 * struct soro_recv_desc - a receive work request
 * @wr_id: the user's cookie
 * @num_sge: entries of @sge
 * @length: bytes that fit, summed from @sge
 * @sge: SGEs inside the private copy; their keys are not validated
 */
struct soro_recv_desc {
	u64 wr_id;
	u32 num_sge;
	u64 length;
	const struct ib_sge *sge;
};

int soro_wqe_decode_send(const void *copy, u32 copy_bytes, u32 max_sge, u32 max_inline,
			 struct soro_send_desc *out);
int soro_wqe_decode_recv(const void *copy, u32 copy_bytes, u32 max_sge,
			 struct soro_recv_desc *out);

#endif /* SORO_OBJECTS_WQE_H */

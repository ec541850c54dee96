// SPDX-License-Identifier: GPL-2.0
/*
 * Work requests of the rings, validated and in the kernel's terms.
 *
 * Everything here works on a private copy. What the providers of different
 * age write is described in Documentation/uabi.rst.
 */
#include <linux/nospec.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <rdma/ib_user_verbs.h>
#include "wqe.h"

/* SGEs are used where they stand in the copy. */
static_assert(sizeof(struct soro_abi_sge) == sizeof(struct ib_sge));
static_assert(offsetof(struct soro_abi_sge, addr) == offsetof(struct ib_sge, addr));
static_assert(offsetof(struct soro_abi_sge, length) == offsetof(struct ib_sge, length));
static_assert(offsetof(struct soro_abi_sge, lkey) == offsetof(struct ib_sge, lkey));

#define SAME_OP(op)	static_assert((int)SORO_ABI_OP_##op == (int)IB_UVERBS_WR_##op)
#define SAME_FLAG(flag)	static_assert((int)SORO_ABI_##flag == (int)IB_SEND_##flag)

static_assert((int)SORO_ABI_OP_WRITE == (int)IB_UVERBS_WR_RDMA_WRITE);
static_assert((int)SORO_ABI_OP_WRITE_IMM == (int)IB_UVERBS_WR_RDMA_WRITE_WITH_IMM);
static_assert((int)SORO_ABI_OP_SEND_IMM == (int)IB_UVERBS_WR_SEND_WITH_IMM);
static_assert((int)SORO_ABI_OP_SEND_INV == (int)IB_UVERBS_WR_SEND_WITH_INV);
static_assert((int)SORO_ABI_OP_READ == (int)IB_UVERBS_WR_RDMA_READ);
static_assert((int)SORO_ABI_OP_CMP_SWP == (int)IB_UVERBS_WR_ATOMIC_CMP_AND_SWP);
static_assert((int)SORO_ABI_OP_FETCH_ADD == (int)IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD);
SAME_OP(SEND);
SAME_OP(LOCAL_INV);
SAME_OP(BIND_MW);
SAME_FLAG(FENCE);
SAME_FLAG(SIGNALED);
SAME_FLAG(SOLICITED);
SAME_FLAG(INLINE);
SAME_FLAG(IP_CSUM);

#define KNOWN_FLAGS	(SORO_ABI_FENCE | SORO_ABI_SIGNALED | SORO_ABI_SOLICITED |	\
			 SORO_ABI_INLINE | SORO_ABI_IP_CSUM)

/* What an operation does with the payload part of its request. */
enum payload {
	PAYLOAD_INVALID,	/* no such operation */
	PAYLOAD_NONE,		/* not looked at */
	PAYLOAD_LENGTH,		/* a length without memory */
	PAYLOAD_GATHER,		/* sent: SGEs or inline data */
	PAYLOAD_VALUE,		/* sent: eight bytes, inline whatever inline data was granted */
	PAYLOAD_SCATTER,	/* filled with the answer: SGEs */
};

static const u8 op_payload[] = {
	[SORO_ABI_OP_WRITE]		= PAYLOAD_GATHER,
	[SORO_ABI_OP_WRITE_IMM]		= PAYLOAD_GATHER,
	[SORO_ABI_OP_SEND]		= PAYLOAD_GATHER,
	[SORO_ABI_OP_SEND_IMM]		= PAYLOAD_GATHER,
	[SORO_ABI_OP_READ]		= PAYLOAD_SCATTER,
	[SORO_ABI_OP_CMP_SWP]		= PAYLOAD_SCATTER,
	[SORO_ABI_OP_FETCH_ADD]		= PAYLOAD_SCATTER,
	[SORO_ABI_OP_LOCAL_INV]		= PAYLOAD_NONE,
	[SORO_ABI_OP_BIND_MW]		= PAYLOAD_NONE,
	[SORO_ABI_OP_SEND_INV]		= PAYLOAD_GATHER,
	[SORO_ABI_OP_FLUSH]		= PAYLOAD_LENGTH,
	[SORO_ABI_OP_ATOMIC_WRITE]	= PAYLOAD_VALUE,
	[SORO_OP_REG_MR]		= PAYLOAD_NONE,
};

static enum payload payload_of(u32 opcode)
{
	if (opcode >= ARRAY_SIZE(op_payload))
		return PAYLOAD_INVALID;
	return op_payload[array_index_nospec(opcode, ARRAY_SIZE(op_payload))];
}

static void decode_operation(const struct soro_abi_send_wr *wr, struct soro_send_desc *out)
{
	switch (out->opcode) {
	case SORO_ABI_OP_CMP_SWP:
	case SORO_ABI_OP_FETCH_ADD:
		out->remote_addr = wr->atomic.remote_addr;
		out->compare_add = wr->atomic.compare_add;
		out->swap = wr->atomic.swap;
		out->rkey = wr->atomic.rkey;
		break;
	case SORO_ABI_OP_FLUSH:
		out->remote_addr = wr->flush.remote_addr;
		out->rkey = wr->flush.rkey;
		out->flush_type = wr->flush.type;
		out->flush_level = wr->flush.level;
		break;
	case SORO_ABI_OP_BIND_MW:
	case SORO_OP_REG_MR:
		out->bind_addr = wr->mw.addr;
		out->bind_length = wr->mw.length;
		out->mr_lkey = wr->mw.mr_lkey;
		out->mw_rkey = wr->mw.mw_rkey;
		out->new_key = wr->mw.rkey;
		out->access = wr->mw.access;
		break;
	case SORO_ABI_OP_SEND:
	case SORO_ABI_OP_SEND_IMM:
		out->ud_qpn = wr->ud.remote_qpn;
		out->ud_qkey = wr->ud.remote_qkey;
		out->ud_pkey_index = wr->ud.pkey_index;
		out->ud_ah_num = wr->ud.ah_num;
		out->ud_av = &wr->ud.av;
		break;
	case SORO_ABI_OP_WRITE:
	case SORO_ABI_OP_WRITE_IMM:
	case SORO_ABI_OP_READ:
	case SORO_ABI_OP_ATOMIC_WRITE:
		out->remote_addr = wr->rdma.remote_addr;
		out->rkey = wr->rdma.rkey;
		break;
	}
}

static u64 sum_sges(const struct ib_sge *sge, u32 num_sge)
{
	u64 length = 0;

	while (num_sge--)
		length += sge++->length;
	return length;
}

/* dma.length is what the provider made of the list, which may be anything: sum it here. */
static int decode_sges(const struct soro_abi_dma *dma, const void *data, u32 data_bytes,
		       u32 max_sge, struct soro_send_desc *out)
{
	if (dma->num_sge > max_sge || dma->num_sge > data_bytes / sizeof(struct ib_sge))
		return -EINVAL;

	out->sge = data;
	out->num_sge = dma->num_sge;
	out->length = sum_sges(out->sge, out->num_sge);
	return 0;
}

static int decode_inline(const struct soro_abi_dma *dma, const void *data, u32 data_bytes,
			 u32 max_inline, struct soro_send_desc *out)
{
	if (dma->length > max_inline || dma->length > data_bytes)
		return -EINVAL;

	out->inline_data = true;
	out->data = data;
	out->length = dma->length;
	return 0;
}

/**
 * soro_wqe_decode_send - validate a send work request
 * @copy: private copy of a slot, aligned to 8 bytes
 * @copy_bytes: its size, at least that of struct soro_abi_send_wqe
 * @max_sge: SGEs granted to the QP
 * @max_inline: bytes of inline data granted to the QP
 * @out: the request; refers to @copy
 *
 * Keys and addresses are not checked, nor whether the QP's type and this version execute the
 * operation. The wr_id, the opcode and the flags are valid even if the request is not, so that it
 * can be completed in error.
 *
 * Return: 0, or -EINVAL for an unknown operation or a count or length out of bounds.
 */
int soro_wqe_decode_send(const void *copy, u32 copy_bytes, u32 max_sge, u32 max_inline,
			 struct soro_send_desc *out)
{
	const struct soro_abi_send_wqe *wqe = copy;
	u32 data_bytes = copy_bytes - sizeof(*wqe);
	enum payload payload;
	bool has_inline;

	memset(out, 0, sizeof(*out));
	if (WARN_ON_ONCE(copy_bytes < sizeof(*wqe)))
		return -EINVAL;

	out->wr_id = wqe->wr.wr_id;
	out->opcode = wqe->wr.opcode;
	out->flags = wqe->wr.flags & KNOWN_FLAGS;
	out->inv_rkey = wqe->wr.inv_rkey;
	decode_operation(&wqe->wr, out);

	/* The ibv_wr interface does not set the flag: a length without SGEs says the same. */
	has_inline = (out->flags & SORO_ABI_INLINE) || (!wqe->dma.num_sge && wqe->dma.length);
	payload = payload_of(out->opcode);

	switch (payload) {
	case PAYLOAD_NONE:
		return 0;
	case PAYLOAD_LENGTH:
		out->length = wqe->dma.length;
		return 0;
	case PAYLOAD_VALUE:
		if (has_inline)
			return decode_inline(&wqe->dma, wqe->data, data_bytes, sizeof(u64), out);
		return decode_sges(&wqe->dma, wqe->data, data_bytes, max_sge, out);
	case PAYLOAD_GATHER:
		if (has_inline)
			return decode_inline(&wqe->dma, wqe->data, data_bytes, max_inline, out);
		return decode_sges(&wqe->dma, wqe->data, data_bytes, max_sge, out);
	case PAYLOAD_SCATTER:
		if (has_inline)
			return -EINVAL;
		return decode_sges(&wqe->dma, wqe->data, data_bytes, max_sge, out);
	default:
		return -EINVAL;
	}
}

/**
 * soro_wqe_decode_recv - validate a receive work request
 * @copy: private copy of a slot, aligned to 8 bytes
 * @copy_bytes: its size, at least that of struct soro_abi_recv_wqe
 * @max_sge: SGEs granted to the QP
 * @out: the request; refers to @copy; its wr_id is valid even if the request is not
 *
 * Return: 0, or -EINVAL for a count out of bounds.
 */
int soro_wqe_decode_recv(const void *copy, u32 copy_bytes, u32 max_sge,
			 struct soro_recv_desc *out)
{
	const struct soro_abi_recv_wqe *wqe = copy;
	u32 data_bytes = copy_bytes - sizeof(*wqe);

	memset(out, 0, sizeof(*out));
	if (WARN_ON_ONCE(copy_bytes < sizeof(*wqe)))
		return -EINVAL;

	out->wr_id = wqe->wr_id;
	if (wqe->dma.num_sge > max_sge || wqe->dma.num_sge > data_bytes / sizeof(struct ib_sge))
		return -EINVAL;

	out->sge = (const struct ib_sge *)wqe->sge;
	out->num_sge = wqe->dma.num_sge;
	out->length = sum_sges(out->sge, out->num_sge);
	return 0;
}

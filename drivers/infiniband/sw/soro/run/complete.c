// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: how completions look to the application: status, opcode, length,
 * immediate data.  Must not know packets.
 */
#include <rdma/ib_user_verbs.h>
#include <rdma/soro-abi.h>
#include "complete.h"
#include "trace.h"

static_assert((int)SORO_ST_SUCCESS == (int)IB_WC_SUCCESS);
static_assert((int)SORO_ST_LOC_LEN == (int)IB_WC_LOC_LEN_ERR);
static_assert((int)SORO_ST_LOC_QP_OP == (int)IB_WC_LOC_QP_OP_ERR);
static_assert((int)SORO_ST_LOC_PROT == (int)IB_WC_LOC_PROT_ERR);
static_assert((int)SORO_ST_FLUSH == (int)IB_WC_WR_FLUSH_ERR);
static_assert((int)SORO_ST_MW_BIND == (int)IB_WC_MW_BIND_ERR);
static_assert((int)SORO_ST_BAD_RESP == (int)IB_WC_BAD_RESP_ERR);
static_assert((int)SORO_ST_LOC_ACCESS == (int)IB_WC_LOC_ACCESS_ERR);
static_assert((int)SORO_ST_REM_INV_REQ == (int)IB_WC_REM_INV_REQ_ERR);
static_assert((int)SORO_ST_REM_ACCESS == (int)IB_WC_REM_ACCESS_ERR);
static_assert((int)SORO_ST_REM_OP == (int)IB_WC_REM_OP_ERR);
static_assert((int)SORO_ST_RETRY_EXC == (int)IB_WC_RETRY_EXC_ERR);
static_assert((int)SORO_ST_RNR_RETRY_EXC == (int)IB_WC_RNR_RETRY_EXC_ERR);

/* Work request opcode to completion opcode. */
static u32 send_opcode(u32 wr_opcode)
{
	switch (wr_opcode) {
	case IB_UVERBS_WR_RDMA_WRITE:
	case IB_UVERBS_WR_RDMA_WRITE_WITH_IMM:
		return IB_UVERBS_WC_RDMA_WRITE;
	case IB_UVERBS_WR_RDMA_READ:
		return IB_UVERBS_WC_RDMA_READ;
	case IB_UVERBS_WR_ATOMIC_CMP_AND_SWP:
		return IB_UVERBS_WC_COMP_SWAP;
	case IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD:
		return IB_UVERBS_WC_FETCH_ADD;
	case SORO_ABI_OP_ATOMIC_WRITE:
		return SORO_ABI_WC_ATOMIC_WRITE;
	case SORO_ABI_OP_FLUSH:
		return SORO_ABI_WC_FLUSH;
	case IB_UVERBS_WR_LOCAL_INV:
		return IB_UVERBS_WC_LOCAL_INV;
	case IB_UVERBS_WR_BIND_MW:
		return IB_UVERBS_WC_BIND_MW;
	case SORO_OP_REG_MR:
		return IB_WC_REG_MR;
	default:
		return IB_UVERBS_WC_SEND;
	}
}

/* An entry that does not fit: the CQ reported CQ_ERR, the QP goes with it (IBA 11.6.3.2). */
static void add(struct soro_qp *qp, struct ib_cq *cq, const struct ib_wc *wc, bool solicited)
{
	if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		soro_qp_count(qp, SORO_CTR_CQE_ERRORS, 1);
	if (!soro_cq_add(soro_cq_from_ib(cq), wc, solicited))
		soro_qp_fatal(qp, "CQ overflow");
}

/**
 * soro_complete_send() - a send WQE is over: add its completion
 * @qp: the QP
 * @wr_id: of the WQE
 * @wr_opcode: its opcode as posted
 * @bytes: its length
 * @status: enum soro_status
 *
 * Context: owner of the requester half.
 */
void soro_complete_send(struct soro_qp *qp, u64 wr_id, u32 wr_opcode, u32 bytes, u8 status)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = send_opcode(wr_opcode),
		.byte_len = bytes,
		.qp = &qp->ib,
		.port_num = 1,
	};

	soro_qp_count(qp, SORO_CTR_SEND_COMPLETIONS, 1);
	trace_soro_completion(qp->ib.qp_num, true, wr_id, status, wc.opcode, bytes);
	add(qp, qp->ib.send_cq, &wc, false);
}

/**
 * soro_complete_recv() - a receive WQE is over: add its completion
 * @qp: the QP
 * @wr_id: of the WQE
 * @status: enum soro_status
 * @what: the message; NULL in error
 *
 * Context: owner of the responder half.
 */
void soro_complete_recv(struct soro_qp *qp, u64 wr_id, u8 status,
			const struct soro_received *what)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.qp = &qp->ib,
		.src_qp = qp->attr.dest_qp_num,
		.port_num = 1,
	};

	if (what) {
		wc.byte_len = what->bytes;
		wc.src_qp = what->src_qpn;
		if (what->is_write)
			wc.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		if (what->has_imm) {
			wc.wc_flags |= IB_WC_WITH_IMM;
			wc.ex.imm_data = what->imm;
		}
		if (what->has_inv) {
			wc.wc_flags |= IB_WC_WITH_INVALIDATE;
			wc.ex.invalidate_rkey = what->inv_rkey;
		}
		if (what->has_grh) {
			wc.wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
			wc.network_hdr_type = what->v6 ? RDMA_NETWORK_IPV6 : RDMA_NETWORK_IPV4;
		}
		if (what->has_vlan) {
			wc.wc_flags |= IB_WC_WITH_VLAN;
			wc.vlan_id = what->vlan_id;
		}
	}
	soro_qp_count(qp, SORO_CTR_RECV_COMPLETIONS, 1);
	trace_soro_completion(qp->ib.qp_num, false, wr_id, status, wc.opcode, wc.byte_len);
	add(qp, qp->ib.recv_cq, &wc, what && what->solicited);
}

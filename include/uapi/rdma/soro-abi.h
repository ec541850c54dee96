/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The memory that soro shares with the librxe provider of rdma-core.
 *
 * Owns: the layout of rings, work requests and driver responses, in our own
 * words. The layout is that of uverbs ABI 2 of RDMA_DRIVER_RXE and is pinned
 * against the kernel's description of it where the rings are implemented.
 * Everything here except the responses is writable by the user at any time.
 */
#ifndef SORO_ABI_H
#define SORO_ABI_H

#include <linux/types.h>

#define SORO_ABI_VERSION	2

/* Operations as the provider writes them; the gaps are not valid in a ring. */
enum soro_abi_op {
	SORO_ABI_OP_WRITE		= 0,
	SORO_ABI_OP_WRITE_IMM		= 1,
	SORO_ABI_OP_SEND		= 2,
	SORO_ABI_OP_SEND_IMM		= 3,
	SORO_ABI_OP_READ		= 4,
	SORO_ABI_OP_CMP_SWP		= 5,
	SORO_ABI_OP_FETCH_ADD		= 6,
	SORO_ABI_OP_LOCAL_INV		= 7,
	SORO_ABI_OP_BIND_MW		= 8,
	SORO_ABI_OP_SEND_INV		= 9,
	SORO_ABI_OP_FLUSH		= 14,
	SORO_ABI_OP_ATOMIC_WRITE	= 15,
};

/* Bits of soro_abi_send_wr.flags. */
enum soro_abi_flag {
	SORO_ABI_FENCE		= 1 << 0,
	SORO_ABI_SIGNALED	= 1 << 1,
	SORO_ABI_SOLICITED	= 1 << 2,
	SORO_ABI_INLINE		= 1 << 3,
	SORO_ABI_IP_CSUM	= 1 << 4,
};

/* Values of soro_abi_av.network_type. */
enum soro_abi_network {
	SORO_ABI_IPV4	= 1,
	SORO_ABI_IPV6	= 2,
};

/* Bits of ib_uverbs_wc.wc_flags, which the provider hands on as they are. */
enum soro_abi_wc_flag {
	SORO_ABI_WC_GRH		= 1 << 0,
	SORO_ABI_WC_IMM		= 1 << 1,
	SORO_ABI_WC_IP_CSUM_OK	= 1 << 2,
	SORO_ABI_WC_INV		= 1 << 3,
};

/* Completion opcodes of FLUSH and ATOMIC WRITE, and a capability bit; newer than 6.1. */
#define SORO_ABI_WC_FLUSH		8
#define SORO_ABI_WC_ATOMIC_WRITE	9
#define SORO_ABI_CAP_ATOMIC_WRITE	0x10000000000ULL

/* Where a ring is to be mapped: mmap() of size bytes at offset. */
struct soro_abi_mmap_info {
	__aligned_u64	offset;
	__u32		size;
	__u32		pad;
};

struct soro_abi_create_ah_resp {
	__u32	ah_num;
	__u32	reserved;
};

struct soro_abi_create_cq_resp {
	struct soro_abi_mmap_info	cq;
};

struct soro_abi_create_qp_resp {
	struct soro_abi_mmap_info	rq;
	struct soro_abi_mmap_info	sq;
};

struct soro_abi_create_srq_resp {
	struct soro_abi_mmap_info	rq;
	__u32				srq_num;
	__u32				reserved;
};

/* Driver's part of MODIFY_SRQ: where the struct soro_abi_mmap_info of a new ring goes. */
struct soro_abi_modify_srq_cmd {
	__aligned_u64	mmap_info;
};

/*
 * Head of a ring; slot i is at data + (i << log2_elem_bytes). The producer of
 * a send or receive ring is the user, that of a completion ring the kernel.
 * Both indices are stored masked; a ring of n slots holds n - 1 entries.
 */
struct soro_abi_ring {
	__u32	log2_elem_bytes;
	__u32	mask;
	__u32	pad_1[30];
	__u32	producer;
	__u32	pad_2[31];
	__u32	consumer;
	__u32	pad_3[31];
	__u8	data[];
};

struct soro_abi_sge {
	__aligned_u64	addr;
	__u32		length;
	__u32		lkey;
};

/* Address vector that providers without ah_num write into each UD request. */
struct soro_abi_av {
	__u8		port_num;
	__u8		network_type;
	__u8		dmac[6];
	union {
		__u8		dgid[16];
		__aligned_u64	align;
	};
	__u32		flow_label;
	__u8		sgid_index;
	__u8		hop_limit;
	__u8		traffic_class;
	__u8		pad;
	__u8		sgid_addr[28];
	__u8		dgid_addr[28];
};

struct soro_abi_send_wr {
	__aligned_u64	wr_id;
	__u32		reserved;
	__u32		opcode;
	__u32		flags;
	union {
		__be32	imm_data;
		__u32	inv_rkey;
	};
	union {
		struct {
			__aligned_u64	remote_addr;
			__u32		rkey;
			__u32		reserved;
		} rdma;
		struct {
			__aligned_u64	remote_addr;
			__u32		length;
			__u32		rkey;
			__u8		type;
			__u8		level;
		} flush;
		struct {
			__aligned_u64	remote_addr;
			__aligned_u64	compare_add;
			__aligned_u64	swap;
			__u32		rkey;
			__u32		reserved;
		} atomic;
		struct {
			__u32			remote_qpn;
			__u32			remote_qkey;
			__u16			pkey_index;
			__u16			reserved;
			__u32			ah_num;
			__u32			pad[4];
			struct soro_abi_av	av;
		} ud;
		struct {
			__aligned_u64	addr;
			__aligned_u64	length;
			__u32		mr_lkey;
			__u32		mw_rkey;
			__u32		rkey;
			__u32		access;
		} mw;
	};
};

/* The payload part of a work request; num_sge SGEs or inline bytes follow. */
struct soro_abi_dma {
	__u32	length;
	__u32	resid;
	__u32	cur_sge;
	__u32	num_sge;
	__u32	sge_offset;
	__u32	reserved;
};

/* The words between wr and dma are scratch of other drivers: never read. */
struct soro_abi_send_wqe {
	struct soro_abi_send_wr	wr;
	__u32			scratch[10];
	struct soro_abi_dma	dma;
	__aligned_u64		data[];
};

struct soro_abi_recv_wqe {
	__aligned_u64		wr_id;
	__u32			reserved;
	__u32			padding;
	struct soro_abi_dma	dma;
	struct soro_abi_sge	sge[];
};

#endif /* SORO_ABI_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the table by which the core calls us, and what we say we can.  Adapters, no
 * logic.  Only what works is claimed.
 */
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/soro-abi.h>
#include <soro_create_cq.h>
#include "../memory/fast.h"
#include "../memory/mr.h"
#include "../memory/mw.h"
#include "../objects/ah.h"
#include "../objects/cq.h"
#include "../objects/ring.h"
#include "../objects/srq.h"
#include "../run/mcast.h"
#include "../run/modify.h"
#include "../run/post.h"
#include "../run/qp.h"
#include "counters.h"
#include "main.h"
#include "pma.h"
#include "verbs.h"

#define GID_TABLE_LEN	256
#define PKEY_TABLE_LEN	1
#define PKEY_DEFAULT	0xffff

struct soro_pd {
	struct ib_pd ib;
};

/* ---- device and port ---- */

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	if (udata->inlen || udata->outlen)
		return -EINVAL;
	*attr = (struct ib_device_attr) {
		.sys_image_guid		= ibdev->node_guid,
		.max_mr_size		= U64_MAX,
		.page_size_cap		= PAGE_MASK,
		.vendor_id		= 0xffffff,	/* none assigned */
		.max_qp			= SORO_MAX_QP,
		.max_qp_wr		= SORO_MAX_QP_WR,
		.device_cap_flags	= IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_RC_RNR_NAK_GEN |
					  IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_PORT_ACTIVE_EVENT |
					  IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
					  IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_WINDOW |
					  IB_DEVICE_MEM_WINDOW_TYPE_2B |
					  IB_DEVICE_MEM_MGT_EXTENSIONS |
					  IB_DEVICE_FLUSH_GLOBAL | SORO_ABI_CAP_ATOMIC_WRITE,
		.kernel_cap_flags	= IBK_ALLOW_USER_UNREG,
		.max_send_sge		= SORO_MAX_SGE,
		.max_recv_sge		= SORO_MAX_SGE,
		.max_sge_rd		= SORO_MAX_SGE,
		.max_srq		= SORO_MAX_SRQ,
		.max_srq_wr		= SORO_MAX_SRQ_WR,
		.max_srq_sge		= SORO_MAX_SGE,
		.max_cq			= SORO_MAX_CQ,
		.max_cqe		= SORO_MAX_CQE,
		.max_mr			= SORO_MAX_MR,
		.max_pd			= SORO_MAX_PD,
		.max_mw			= SORO_MAX_MR,	/* they share the keys */
		.max_fast_reg_page_list_len = SORO_FAST_PAGES_MAX,
		.max_qp_rd_atom		= SORO_READS_MAX,
		.max_qp_init_rd_atom	= SORO_READS_MAX,
		.max_res_rd_atom	= SORO_READS_MAX * SORO_MAX_QP,
		.atomic_cap		= IB_ATOMIC_GLOB,
		.masked_atomic_cap	= IB_ATOMIC_NONE,
		.max_ah			= SORO_MAX_AH,
		.max_pkeys		= PKEY_TABLE_LEN,
		.max_mcast_grp		= SORO_MAX_MCAST_GRP,
		.max_mcast_qp_attach	= SORO_MAX_MCAST_QP_ATTACH,
		.max_total_mcast_qp_attach = SORO_MAX_TOTAL_MCAST_QP_ATTACH,
		.local_ca_ack_delay	= 15,
	};
	return 0;
}

static int query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct soro_dev *dev = soro_dev(ibdev);
	bool up = soro_link_up(&dev->link);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = iboe_get_mtu(soro_link_mtu(&dev->link)) ?: IB_MTU_256;
	attr->gid_tbl_len = GID_TABLE_LEN;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = true;
	attr->max_msg_sz = SORO_MESSAGE_MAX;
	attr->pkey_tbl_len = PKEY_TABLE_LEN;
	attr->max_vl_num = 1;
	attr->bad_pkey_cntr = soro_counters_sum(dev, SORO_CTR_DROP_BASE + SORO_DROP_PKEY - 1);
	attr->qkey_viol_cntr = soro_counters_sum(dev, SORO_CTR_DROP_BASE + SORO_DROP_QKEY - 1);
	/* an unregistered netdev has no speed; the port is down then anyway */
	if (ib_get_eth_speed(ibdev, port, &attr->active_speed, &attr->active_width)) {
		attr->active_speed = IB_SPEED_SDR;
		attr->active_width = IB_WIDTH_1X;
	}
	return 0;
}

static int query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index >= PKEY_TABLE_LEN)
		return -EINVAL;
	*pkey = PKEY_DEFAULT;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int get_port_immutable(struct ib_device *ibdev, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = GID_TABLE_LEN;
	immutable->pkey_tbl_len = PKEY_TABLE_LEN;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	return 0;
}

/* ---- process and protection domain ---- */

static int alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return 0;
}

static void dealloc_ucontext(struct ib_ucontext *uctx)
{
}

/* Rings outlive the device by themselves, see objects/ring.c: nothing to cut off. */
static void disassociate_ucontext(struct ib_ucontext *uctx)
{
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return atomic_add_unless(&soro_dev(pd->device)->pds, 1, SORO_MAX_PD) ? 0 : -ENOMEM;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	atomic_dec(&soro_dev(pd->device)->pds);
	return 0;
}

/* ---- completion queues ---- */

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		     SORO_CREATE_CQ_ARG *arg)
{
	struct soro_dev *dev = soro_dev(cq->device);
	int err;

	if (!atomic_add_unless(&dev->cqs, 1, SORO_MAX_CQ))
		return -ENOMEM;
	err = soro_cq_create(cq, attr, soro_create_cq_udata(arg));
	if (err)
		atomic_dec(&dev->cqs);
	return err;
}

static int destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	atomic_dec(&soro_dev(cq->device)->cqs);
	return soro_cq_destroy(cq, udata);
}

/* ---- memory and address handles ---- */

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				 struct ib_udata *udata)
{
	return soro_mr_reg_user(&soro_dev(pd->device)->keys, pd, start, length, iova, access);
}

static struct ib_mr *rereg_user_mr(struct ib_mr *mr, int flags, u64 start, u64 length, u64 iova,
				   int access, struct ib_pd *pd, struct ib_udata *udata)
{
	return soro_mr_rereg_user(mr, flags, start, length, iova, access, pd);
}

static struct ib_mr *alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 pages)
{
	return soro_fast_alloc(&soro_dev(pd->device)->keys, pd, type, pages);
}

static int alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	return soro_mw_alloc(&soro_dev(mw->device)->keys, mw);
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	return soro_mr_get_dma(&soro_dev(pd->device)->keys, pd, access);
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	return soro_mr_dereg(mr);
}

static int create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	return soro_ah_create(&soro_dev(ah->device)->ahs, ah, init, udata);
}

static int destroy_ah(struct ib_ah *ah, u32 flags)
{
	return soro_ah_destroy(&soro_dev(ah->device)->ahs, ah);
}

/* ---- shared receive queues ---- */

static int create_srq(struct ib_srq *srq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct soro_dev *dev = soro_dev(srq->device);
	int err;

	if (!atomic_add_unless(&dev->srqs, 1, SORO_MAX_SRQ))
		return -ENOMEM;
	err = soro_srq_create(srq, init, udata);
	if (err)
		atomic_dec(&dev->srqs);
	return err;
}

static int destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	soro_srq_destroy(soro_srq_from_ib(srq));
	atomic_dec(&soro_dev(srq->device)->srqs);
	return 0;
}

static const struct ib_device_ops ops = {
	.owner			= THIS_MODULE,
	.driver_id		= RDMA_DRIVER_RXE,
	.uverbs_abi_ver		= SORO_ABI_VERSION,

	.alloc_hw_port_stats	= soro_counters_alloc,
	.alloc_mr		= alloc_mr,
	.alloc_mw		= alloc_mw,
	.alloc_pd		= alloc_pd,
	.alloc_ucontext		= alloc_ucontext,
	.attach_mcast		= soro_mcast_attach,
	.counter_alloc_stats	= soro_counters_qp_alloc,
	.counter_bind_qp	= soro_counters_qp_bind,
	.counter_dealloc	= soro_counters_qp_dealloc,
	.counter_unbind_qp	= soro_counters_qp_unbind,
	.counter_update_stats	= soro_counters_qp_update,
	.create_ah		= create_ah,
	.create_user_ah		= create_ah,
	.create_cq		= create_cq,
	.create_qp		= soro_qp_create,
	.create_srq		= create_srq,
	.dealloc_driver		= soro_main_dealloc,
	.dealloc_mw		= soro_mw_dealloc,
	.dealloc_pd		= dealloc_pd,
	.dealloc_ucontext	= dealloc_ucontext,
	.dereg_mr		= dereg_mr,
	.destroy_ah		= destroy_ah,
	.destroy_cq		= destroy_cq,
	.destroy_qp		= soro_qp_destroy,
	.destroy_srq		= destroy_srq,
	.detach_mcast		= soro_mcast_detach,
	.disassociate_ucontext	= disassociate_ucontext,
	.enable_driver		= soro_main_enable,
	.get_dma_mr		= get_dma_mr,
	.get_hw_stats		= soro_counters_get,
	.get_link_layer		= get_link_layer,
	.get_port_immutable	= get_port_immutable,
	.map_mr_sg		= soro_fast_map,
	.mmap			= soro_ring_mmap,
	.mmap_free		= soro_ring_mmap_free,
	.modify_qp		= soro_modify_qp,
	.modify_srq		= soro_srq_modify,
	.poll_cq		= soro_cq_poll,
	.post_recv		= soro_post_recv,
	.post_send		= soro_post_send,
	.post_srq_recv		= soro_post_srq_recv,
	.process_mad		= soro_pma_process,
	.query_ah		= soro_ah_query,
	.query_device		= query_device,
	.query_pkey		= query_pkey,
	.query_port		= query_port,
	.query_qp		= soro_modify_query_qp,
	.query_srq		= soro_srq_query,
	.reg_user_mr		= reg_user_mr,
	.req_notify_cq		= soro_cq_arm,
	.resize_cq		= soro_cq_resize,
	.rereg_user_mr		= rereg_user_mr,

	INIT_RDMA_OBJ_SIZE(ib_ah, soro_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, soro_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, soro_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, soro_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, soro_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, soro_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, soro_ucontext, ib),
};

/**
 * soro_verbs_setup() - fill in the core's part of a device before it is registered
 * @dev: allocated
 * @ndev: its netdev, whose address becomes the GUID
 */
void soro_verbs_setup(struct soro_dev *dev, const struct net_device *ndev)
{
	struct ib_device *ibdev = &dev->ib;

	strscpy(ibdev->node_desc, "soro", sizeof(ibdev->node_desc));
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	addrconf_addr_eui48((u8 *)&ibdev->node_guid, ndev->dev_addr);
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ib_set_device_ops(ibdev, &ops);
}

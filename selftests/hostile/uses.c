// SPDX-License-Identifier: GPL-2.0
/* Commands that do something with objects. */
#include <infiniband/verbs.h>
#include <string.h>

#include <rdma/soro-abi.h>

#include "draw.h"
#include "template.h"

#define PARTS(name, driver) ((struct parts) {				\
	.core_in = sizeof(struct ib_uverbs_##name),			\
	.core_out = sizeof(struct ib_uverbs_##name##_resp),		\
	.driver_out = driver,						\
})
#define NO_RESPONSE(name) ((struct parts) { .core_in = sizeof(struct ib_uverbs_##name) })

/* ---- query ---- */

static void query_device(struct command *c, uint64_t *state)
{
	(void)state;
	command_begin(c, IB_USER_VERBS_CMD_QUERY_DEVICE, PARTS(query_device, 0));
}

static void query_port(struct command *c, uint64_t *state)
{
	struct ib_uverbs_query_port *cmd = command_begin(c, IB_USER_VERBS_CMD_QUERY_PORT,
							 PARTS(query_port, 0));

	cmd->port_num = one_in(state, 4) ? nasty(state) : 1;
}

static void query_qp(struct command *c, uint64_t *state)
{
	struct ib_uverbs_query_qp *cmd = command_begin(c, IB_USER_VERBS_CMD_QUERY_QP,
						       PARTS(query_qp, 0));

	cmd->qp_handle = world_pick(QP, state);
	cmd->attr_mask = nasty(state);
}

static void query_srq(struct command *c, uint64_t *state)
{
	struct ib_uverbs_query_srq *cmd = command_begin(c, IB_USER_VERBS_CMD_QUERY_SRQ,
							PARTS(query_srq, 0));

	cmd->srq_handle = world_pick(SRQ, state);
}

/* ---- modify ---- */

static void resize_cq(struct command *c, uint64_t *state)
{
	struct ib_uverbs_resize_cq *cmd = command_begin(c, IB_USER_VERBS_CMD_RESIZE_CQ,
			PARTS(resize_cq, sizeof(struct soro_abi_create_cq_resp)));

	cmd->cq_handle = world_pick(CQ, state);
	cmd->cqe = few(state, 300);
}

static void resize_cq_done(struct command *c)
{
	world_map(RING_CQ, c->out + c->core_out);
}

static void req_notify_cq(struct command *c, uint64_t *state)
{
	struct ib_uverbs_req_notify_cq *cmd = command_begin(c, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
							    NO_RESPONSE(req_notify_cq));

	cmd->cq_handle = world_pick(CQ, state);
	cmd->solicited_only = draw(state, 2);
}

static void modify_srq(struct command *c, uint64_t *state)
{
	struct ib_uverbs_modify_srq *cmd = command_begin(c, IB_USER_VERBS_CMD_MODIFY_SRQ,
			(struct parts) { .core_in = sizeof(*cmd), .driver_in = sizeof(uint64_t) });
	uint64_t where = (uintptr_t)c->out;

	cmd->srq_handle = world_pick(SRQ, state);
	cmd->attr_mask = draw(state, 4);
	cmd->max_wr = few(state, 60);
	cmd->srq_limit = few(state, 40);
	if (one_in(state, 16))
		where = world_address(state);
	memcpy(c->wire + c->driver, &where, sizeof(where));
}

static void modify_srq_done(struct command *c)
{
	const struct ib_uverbs_modify_srq *cmd = (void *)(c->wire + c->core);

	if (cmd->attr_mask & IBV_SRQ_MAX_WR)
		world_map(RING_RECV, c->out);
}

static uint32_t mask_to(unsigned int qp_state, unsigned int type)
{
	uint32_t connected = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	uint32_t reliable = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			    IBV_QP_MAX_QP_RD_ATOMIC;

	switch (qp_state) {
	case IBV_QPS_INIT:
		return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	case IBV_QPS_RTR:
		if (type == IBV_QPT_RC)
			connected |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		return IBV_QP_STATE | (type == IBV_QPT_UD ? 0 : connected);
	case IBV_QPS_RTS:
		return IBV_QP_STATE | IBV_QP_SQ_PSN | (type == IBV_QPT_RC ? reliable : 0);
	default:
		return IBV_QP_STATE;
	}
}

static void fill_dest(struct ib_uverbs_qp_dest *dest, uint64_t *state)
{
	memcpy(dest->dgid, world.gid, sizeof(world.gid));
	dest->sgid_index = world.gid_index;
	dest->hop_limit = 64;
	dest->is_global = 1;
	dest->port_num = 1;
	if (one_in(state, 32))
		((uint8_t *)dest)[draw(state, sizeof(*dest))] = nasty(state);
}

/* A change of state with attributes as they should be. */
static struct ib_uverbs_modify_qp *fill_modify(struct ib_uverbs_modify_qp *cmd,
					       struct object *qp, unsigned int qp_state,
					       uint32_t peer, uint64_t *state)
{
	fill_dest(&cmd->dest, state);
	cmd->qp_handle = qp->handle;
	cmd->attr_mask = mask_to(qp_state, qp->type);
	cmd->qkey = QKEY;
	cmd->dest_qp_num = peer;
	cmd->qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
			       (qp->type == IBV_QPT_RC ? IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_ATOMIC : 0);
	cmd->qp_state = qp_state;
	cmd->path_mtu = 1 + draw(state, 5);
	cmd->max_rd_atomic = 1 + draw(state, 4);
	cmd->max_dest_rd_atomic = 4;
	cmd->min_rnr_timer = 1;
	cmd->port_num = 1;
	cmd->timeout = 8 + draw(state, 4);
	cmd->retry_cnt = draw(state, 4);
	cmd->rnr_retry = draw(state, 8);
	return cmd;
}

static struct object *some_qp(uint64_t *state, uint32_t *peer)
{
	unsigned int slot = draw(state, SLOTS), i;

	for (i = 0; i < SLOTS && world.objects[QP][slot].handle == NONE; i++)
		slot = (slot + 1) % SLOTS;
	*peer = one_in(state, 16) ? world_number(QP, state) : world.objects[QP][slot ^ 1].number;
	return &world.objects[QP][slot];
}

static unsigned int some_state(uint64_t *state)
{
	return one_in(state, 16) ? nasty(state) : draw(state, IBV_QPS_ERR + 1);
}

static void modify_qp(struct command *c, uint64_t *state)
{
	struct ib_uverbs_modify_qp *cmd = command_begin(c, IB_USER_VERBS_CMD_MODIFY_QP,
							NO_RESPONSE(modify_qp));
	uint32_t peer;
	struct object *qp = some_qp(state, &peer);

	fill_modify(cmd, qp, some_state(state), peer, state);
	if (one_in(state, 4))
		cmd->attr_mask ^= 1U << draw(state, 26);
	if (one_in(state, 8))
		((uint8_t *)cmd)[draw(state, sizeof(*cmd))] = nasty(state);
}

static void modify_qp_ex(struct command *c, uint64_t *state)
{
	struct ib_uverbs_ex_modify_qp *cmd = command_begin_ex(c, IB_USER_VERBS_EX_CMD_MODIFY_QP,
							      PARTS(ex_modify_qp, 0));
	uint32_t peer;
	struct object *qp = some_qp(state, &peer);

	fill_modify(&cmd->base, qp, some_state(state), peer, state);
	if (one_in(state, 8))
		cmd->rate_limit = nasty(state);
}

/**
 * template_connect() - bring a QP to RTS, with its neighbour as its peer
 * @slot: of the QP
 * @state: of the generator
 */
void template_connect(unsigned int slot, uint64_t *state)
{
	static const unsigned int way[] = {
		IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
	};
	uint32_t peer = world.objects[QP][slot ^ 1].number;
	struct command c;
	unsigned int i;

	for (i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		fill_modify(command_begin(&c, IB_USER_VERBS_CMD_MODIFY_QP,
					  NO_RESPONSE(modify_qp)),
			    &world.objects[QP][slot], way[i], peer, state);
		command_send(world.fd, &c);
	}
}

/* ---- post ---- */

static void doorbell(struct command *c, uint64_t *state)
{
	struct ib_uverbs_post_send *cmd = command_begin(c, IB_USER_VERBS_CMD_POST_SEND,
							PARTS(post_send, 0));

	cmd->qp_handle = world_pick(QP, state);
	cmd->wqe_size = sizeof(struct ibv_send_wr);
}

/* Requests in the command itself, which librxe never has. */
static void post_send(struct command *c, uint64_t *state)
{
	struct parts parts = PARTS(post_send, 0);
	struct ib_uverbs_post_send *cmd;
	struct ib_uverbs_send_wr *wr;

	parts.core_in += sizeof(*wr) + sizeof(struct ib_uverbs_sge);
	cmd = command_begin(c, IB_USER_VERBS_CMD_POST_SEND, parts);
	cmd->qp_handle = world_pick(QP, state);
	cmd->wr_count = 1;
	cmd->sge_count = 1;
	cmd->wqe_size = sizeof(*wr);
	wr = cmd->send_wr;
	wr->opcode = draw(state, 14);
	wr->num_sge = 1;
}

static void post_recv(struct command *c, uint64_t *state)
{
	struct parts parts = PARTS(post_recv, 0);
	struct ib_uverbs_post_recv *cmd;

	parts.core_in += sizeof(struct ib_uverbs_recv_wr);
	cmd = command_begin(c, IB_USER_VERBS_CMD_POST_RECV, parts);
	cmd->qp_handle = world_pick(QP, state);
	cmd->wr_count = draw(state, 2);
	cmd->wqe_size = sizeof(struct ib_uverbs_recv_wr);
}

static void post_srq_recv(struct command *c, uint64_t *state)
{
	struct parts parts = PARTS(post_srq_recv, 0);
	struct ib_uverbs_post_srq_recv *cmd;

	parts.core_in += sizeof(struct ib_uverbs_recv_wr);
	cmd = command_begin(c, IB_USER_VERBS_CMD_POST_SRQ_RECV, parts);
	cmd->srq_handle = world_pick(SRQ, state);
	cmd->wr_count = draw(state, 2);
	cmd->wqe_size = sizeof(struct ib_uverbs_recv_wr);
}

static void poll_cq(struct command *c, uint64_t *state)
{
	struct parts parts = PARTS(poll_cq, 0);
	struct ib_uverbs_poll_cq *cmd;

	parts.core_out += 4 * sizeof(struct ib_uverbs_wc);
	cmd = command_begin(c, IB_USER_VERBS_CMD_POLL_CQ, parts);
	cmd->cq_handle = world_pick(CQ, state);
	cmd->ne = few(state, 5);
}

static void mcast(struct command *c, uint32_t number, uint64_t *state)
{
	struct ib_uverbs_attach_mcast *cmd = command_begin(c, number, NO_RESPONSE(attach_mcast));
	static const uint8_t group[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2 };

	memcpy(cmd->gid, group, sizeof(group));
	cmd->gid[15] = draw(state, 4);
	if (one_in(state, 8))
		cmd->gid[draw(state, 16)] = nasty(state);
	cmd->qp_handle = world_pick(QP, state);
}

static void attach_mcast(struct command *c, uint64_t *state)
{
	mcast(c, IB_USER_VERBS_CMD_ATTACH_MCAST, state);
}

static void detach_mcast(struct command *c, uint64_t *state)
{
	mcast(c, IB_USER_VERBS_CMD_DETACH_MCAST, state);
}

const struct template use_templates[] = {
	{ "QUERY_DEVICE", query_device, KINDS },
	{ "QUERY_PORT", query_port, KINDS },
	{ "QUERY_QP", query_qp, KINDS },
	{ "QUERY_SRQ", query_srq, KINDS },
	{ "RESIZE_CQ", resize_cq, KINDS, resize_cq_done },
	{ "REQ_NOTIFY_CQ", req_notify_cq, KINDS },
	{ "MODIFY_SRQ", modify_srq, KINDS, modify_srq_done },
	{ "MODIFY_QP", modify_qp, KINDS },
	{ "EX_MODIFY_QP", modify_qp_ex, KINDS },
	{ "POST_SEND, a doorbell", doorbell, KINDS },
	{ "POST_SEND", post_send, KINDS },
	{ "POST_RECV", post_recv, KINDS },
	{ "POST_SRQ_RECV", post_srq_recv, KINDS },
	{ "POLL_CQ", poll_cq, KINDS },
	{ "ATTACH_MCAST", attach_mcast, KINDS },
	{ "DETACH_MCAST", detach_mcast, KINDS },
	{ }
};

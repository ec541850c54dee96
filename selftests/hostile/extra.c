// SPDX-License-Identifier: GPL-2.0
/* Extended commands, and those that the device or the core does not have. */
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

/* ---- extended ones that the device has ---- */

static void query_device_ex(struct command *c, uint64_t *state)
{
	struct ib_uverbs_ex_query_device *cmd;

	cmd = command_begin_ex(c, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, PARTS(ex_query_device, 0));
	cmd->comp_mask = one_in(state, 4) ? nasty(state) : 0;
}

static void create_cq_ex(struct command *c, uint64_t *state)
{
	struct ib_uverbs_ex_create_cq *cmd = command_begin_ex(c, IB_USER_VERBS_EX_CMD_CREATE_CQ,
			PARTS(ex_create_cq, sizeof(struct soro_abi_create_cq_resp)));

	cmd->user_handle = draw64(state);
	cmd->cqe = few(state, 300);
	cmd->comp_channel = one_in(state, 3) ? -1 : (int)world_pick(CHANNEL, state);
	cmd->flags = one_in(state, 4) ? nasty(state) : 0;
}

static void create_qp_ex(struct command *c, uint64_t *state)
{
	static const uint8_t types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET };
	struct ib_uverbs_ex_create_qp *cmd = command_begin_ex(c, IB_USER_VERBS_EX_CMD_CREATE_QP,
			PARTS(ex_create_qp, sizeof(struct soro_abi_create_qp_resp)));

	cmd->user_handle = draw64(state);
	cmd->pd_handle = world_pick(PD, state);
	cmd->send_cq_handle = world_pick(CQ, state);
	cmd->recv_cq_handle = world_pick(CQ, state);
	cmd->max_send_wr = few(state, 40);
	cmd->max_recv_wr = few(state, 40);
	cmd->max_send_sge = few(state, 5);
	cmd->max_recv_sge = few(state, 5);
	cmd->max_inline_data = few(state, 200);
	cmd->qp_type = types[draw(state, 4)];
	cmd->create_flags = one_in(state, 4) ? nasty(state) : 0;
	cmd->comp_mask = one_in(state, 16) ? nasty(state) : 0;
	cmd->source_qpn = one_in(state, 16) ? nasty(state) : 0;
}

static void modify_cq_ex(struct command *c, uint64_t *state)
{
	struct parts parts = { .core_in = sizeof(struct ib_uverbs_ex_modify_cq) };
	struct ib_uverbs_ex_modify_cq *cmd;

	cmd = command_begin_ex(c, IB_USER_VERBS_EX_CMD_MODIFY_CQ, parts);
	cmd->cq_handle = world_pick(CQ, state);
	cmd->attr_mask = 1;
	cmd->attr.cq_count = nasty(state);
}

/* ---- those that nobody has: handles of some kind, and numbers ---- */

static uint32_t any_word(uint64_t *state)
{
	return one_in(state, 3) ? nasty(state) : world_pick(draw(state, KINDS), state);
}

static void legacy(struct command *c, uint32_t number, uint64_t *state)
{
	struct parts parts = {
		.core_in = 8 * (1 + draw(state, 12)),
		.core_out = 8 * draw(state, 8),
	};
	uint8_t *core = command_begin(c, number, parts);
	uint32_t word;
	size_t i;

	for (i = 8; i < parts.core_in; i += 4) {
		word = any_word(state);
		memcpy(core + i, &word, sizeof(word));
	}
}

static void extended(struct command *c, uint32_t number, uint64_t *state)
{
	struct parts parts = {
		.core_in = 8 * draw(state, 12),
		.core_out = 8 * draw(state, 8),
		.driver_in = one_in(state, 4) ? 8 * draw(state, 4) : 0,
	};
	uint32_t *words = command_begin_ex(c, number, parts);
	size_t i;

	/* The first word is a mask that has to be empty, as a rule. */
	for (i = 1; i < parts.core_in / 4; i++)
		words[i] = any_word(state);
}

static void absent(struct command *c, uint64_t *state)
{
	static const uint32_t numbers[] = {
		IB_USER_VERBS_CMD_MODIFY_AH, IB_USER_VERBS_CMD_QUERY_AH,
		IB_USER_VERBS_CMD_REG_SMR, IB_USER_VERBS_CMD_QUERY_MR,
		IB_USER_VERBS_CMD_BIND_MW, IB_USER_VERBS_CMD_PEEK_CQ,
		IB_USER_VERBS_CMD_OPEN_XRCD, IB_USER_VERBS_CMD_CLOSE_XRCD,
		IB_USER_VERBS_CMD_CREATE_XSRQ, IB_USER_VERBS_CMD_OPEN_QP,
		IB_USER_VERBS_CMD_GET_CONTEXT,
	};

	legacy(c, numbers[draw(state, sizeof(numbers) / sizeof(numbers[0]))], state);
}

static void absent_ex(struct command *c, uint64_t *state)
{
	extended(c, IB_USER_VERBS_EX_CMD_CREATE_FLOW + draw(state, 8), state);
}

static void any_number(struct command *c, uint64_t *state)
{
	if (one_in(state, 2))
		legacy(c, draw(state, 64), state);
	else
		extended(c, draw(state, 64), state);
}

const struct template extra_templates[] = {
	{ "EX_QUERY_DEVICE", query_device_ex, KINDS },
	{ "EX_CREATE_CQ", create_cq_ex, CQ },
	{ "EX_CREATE_QP", create_qp_ex, QP },
	{ "EX_MODIFY_CQ", modify_cq_ex, KINDS },
	{ "those that are absent", absent, KINDS },
	{ "extended ones that are absent", absent_ex, KINDS },
	{ "any number", any_number, KINDS },
	{ }
};

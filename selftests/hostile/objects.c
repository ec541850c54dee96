// SPDX-License-Identifier: GPL-2.0
/* Commands that make and destroy objects, and the book that is kept of these. */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <string.h>
#include <unistd.h>

#include <rdma/soro-abi.h>

#include "draw.h"
#include "template.h"

#define PARTS(name, driver) ((struct parts) {				\
	.core_in = sizeof(struct ib_uverbs_##name),			\
	.core_out = sizeof(struct ib_uverbs_##name##_resp),		\
	.driver_out = driver,						\
})
#define NO_RESPONSE(name) ((struct parts) { .core_in = sizeof(struct ib_uverbs_##name) })

/* ---- make ---- */

static void alloc_pd(struct command *c, uint64_t *state)
{
	(void)state;
	command_begin(c, IB_USER_VERBS_CMD_ALLOC_PD, PARTS(alloc_pd, 0));
}

static void create_channel(struct command *c, uint64_t *state)
{
	(void)state;
	command_begin(c, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, PARTS(create_comp_channel, 0));
}

static void create_cq(struct command *c, uint64_t *state)
{
	struct ib_uverbs_create_cq *cmd = command_begin(c, IB_USER_VERBS_CMD_CREATE_CQ,
			PARTS(create_cq, sizeof(struct soro_abi_create_cq_resp)));

	cmd->user_handle = draw64(state);
	cmd->cqe = few(state, 300);
	cmd->comp_vector = one_in(state, 32) ? nasty(state) : 0;
	cmd->comp_channel = one_in(state, 3) ? -1 : (int)world_pick(CHANNEL, state);
}

static void create_srq(struct command *c, uint64_t *state)
{
	struct ib_uverbs_create_srq *cmd = command_begin(c, IB_USER_VERBS_CMD_CREATE_SRQ,
			PARTS(create_srq, sizeof(struct soro_abi_create_srq_resp)));

	cmd->user_handle = draw64(state);
	cmd->pd_handle = world_pick(PD, state);
	cmd->max_wr = few(state, 40);
	cmd->max_sge = few(state, 5);
	cmd->srq_limit = few(state, 40);
}

static uint8_t qp_type(uint64_t *state)
{
	static const uint8_t types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

	return one_in(state, 40) ? nasty(state) : types[draw(state, 3)];
}

static void create_qp(struct command *c, uint64_t *state)
{
	struct ib_uverbs_create_qp *cmd = command_begin(c, IB_USER_VERBS_CMD_CREATE_QP,
			PARTS(create_qp, sizeof(struct soro_abi_create_qp_resp)));

	cmd->user_handle = draw64(state);
	cmd->pd_handle = world_pick(PD, state);
	cmd->send_cq_handle = world_pick(CQ, state);
	cmd->recv_cq_handle = world_pick(CQ, state);
	cmd->max_send_wr = few(state, 40);
	cmd->max_recv_wr = few(state, 40);
	cmd->max_send_sge = few(state, 5);
	cmd->max_recv_sge = few(state, 5);
	cmd->max_inline_data = few(state, 200);
	cmd->sq_sig_all = draw(state, 2);
	cmd->qp_type = qp_type(state);
	cmd->is_srq = one_in(state, 3);
	if (cmd->is_srq)
		cmd->srq_handle = world_pick(SRQ, state);
}

static void fill_region(uint64_t *state, __u64 *start, __u64 *length,
			__u64 *hca_va, uint32_t *access)
{
	uint64_t offset = one_in(state, 4) ? draw(state, BUFFER_BYTES) : 0;

	*start = (uintptr_t)world.buffer + offset;
	*length = BUFFER_BYTES - offset;
	if (one_in(state, 4))
		*length = few(state, BUFFER_BYTES);
	if (one_in(state, 8)) {
		*start = world_address(state);
		*length = few(state, 8192);
	}
	*hca_va = one_in(state, 16) ? nasty(state) : *start;
	*access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		  IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;
	if (one_in(state, 4))
		*access = one_in(state, 8) ? nasty(state) : draw(state, 64);
}

static void reg_mr(struct command *c, uint64_t *state)
{
	struct ib_uverbs_reg_mr *cmd = command_begin(c, IB_USER_VERBS_CMD_REG_MR,
						     PARTS(reg_mr, 0));

	fill_region(state, &cmd->start, &cmd->length, &cmd->hca_va, &cmd->access_flags);
	cmd->pd_handle = world_pick(PD, state);
}

static void rereg_mr(struct command *c, uint64_t *state)
{
	struct ib_uverbs_rereg_mr *cmd = command_begin(c, IB_USER_VERBS_CMD_REREG_MR,
						       PARTS(rereg_mr, 0));

	cmd->mr_handle = world_pick(MR, state);
	cmd->flags = one_in(state, 16) ? nasty(state) : draw(state, 8);
	fill_region(state, &cmd->start, &cmd->length, &cmd->hca_va, &cmd->access_flags);
	cmd->pd_handle = world_pick(PD, state);
}

static void alloc_mw(struct command *c, uint64_t *state)
{
	struct ib_uverbs_alloc_mw *cmd = command_begin(c, IB_USER_VERBS_CMD_ALLOC_MW,
						       PARTS(alloc_mw, 0));

	cmd->pd_handle = world_pick(PD, state);
	cmd->mw_type = one_in(state, 32) ? nasty(state) : 1 + draw(state, 2);
}

void fill_address(struct ib_uverbs_ah_attr *attr, uint64_t *state)
{
	memcpy(attr->grh.dgid, world.gid, sizeof(world.gid));
	attr->grh.sgid_index = world.gid_index;
	attr->grh.hop_limit = 64;
	attr->is_global = !one_in(state, 32);
	attr->port_num = 1;
	if (one_in(state, 16))
		((uint8_t *)attr)[draw(state, sizeof(*attr))] = nasty(state);
}

static void create_ah(struct command *c, uint64_t *state)
{
	struct ib_uverbs_create_ah *cmd = command_begin(c, IB_USER_VERBS_CMD_CREATE_AH,
			PARTS(create_ah, sizeof(struct soro_abi_create_ah_resp)));

	cmd->user_handle = draw64(state);
	cmd->pd_handle = world_pick(PD, state);
	fill_address(&cmd->attr, state);
}

/* ---- destroy: the handle stands where the table says ---- */

static const struct doom {
	uint32_t number;
	struct parts parts;
	size_t handle;
} dooms[KINDS] = {
	[PD] = { IB_USER_VERBS_CMD_DEALLOC_PD, { .core_in = sizeof(struct ib_uverbs_dealloc_pd) },
		 offsetof(struct ib_uverbs_dealloc_pd, pd_handle) },
	[CQ] = { IB_USER_VERBS_CMD_DESTROY_CQ,
		 { .core_in = sizeof(struct ib_uverbs_destroy_cq),
		   .core_out = sizeof(struct ib_uverbs_destroy_cq_resp) },
		 offsetof(struct ib_uverbs_destroy_cq, cq_handle) },
	[SRQ] = { IB_USER_VERBS_CMD_DESTROY_SRQ,
		  { .core_in = sizeof(struct ib_uverbs_destroy_srq),
		    .core_out = sizeof(struct ib_uverbs_destroy_srq_resp) },
		  offsetof(struct ib_uverbs_destroy_srq, srq_handle) },
	[QP] = { IB_USER_VERBS_CMD_DESTROY_QP,
		 { .core_in = sizeof(struct ib_uverbs_destroy_qp),
		   .core_out = sizeof(struct ib_uverbs_destroy_qp_resp) },
		 offsetof(struct ib_uverbs_destroy_qp, qp_handle) },
	[MR] = { IB_USER_VERBS_CMD_DEREG_MR, { .core_in = sizeof(struct ib_uverbs_dereg_mr) },
		 offsetof(struct ib_uverbs_dereg_mr, mr_handle) },
	[MW] = { IB_USER_VERBS_CMD_DEALLOC_MW, { .core_in = sizeof(struct ib_uverbs_dealloc_mw) },
		 offsetof(struct ib_uverbs_dealloc_mw, mw_handle) },
	[AH] = { IB_USER_VERBS_CMD_DESTROY_AH, { .core_in = sizeof(struct ib_uverbs_destroy_ah) },
		 offsetof(struct ib_uverbs_destroy_ah, ah_handle) },
};

static void doom(struct command *c, enum kind what, uint32_t handle)
{
	uint8_t *core = command_begin(c, dooms[what].number, dooms[what].parts);

	memcpy(core + dooms[what].handle, &handle, sizeof(handle));
}

/* The book forgets a handle that is gone. */
static void gone(struct command *c, enum kind what)
{
	uint32_t handle, expected;
	int i;

	memcpy(&handle, c->wire + c->core + dooms[what].handle, sizeof(handle));
	for (i = 0; i < SLOTS; i++) {
		expected = handle;
		atomic_compare_exchange_strong(&world.objects[what][i].handle, &expected, NONE);
	}
}

#define DESTROY(which, name)						\
	static void name(struct command *c, uint64_t *state)		\
	{								\
		doom(c, which, world_pick(which, state));		\
	}								\
	static void name##_done(struct command *c)			\
	{								\
		gone(c, which);						\
	}

DESTROY(PD, dealloc_pd)
DESTROY(CQ, destroy_cq)
DESTROY(SRQ, destroy_srq)
DESTROY(QP, destroy_qp)
DESTROY(MR, dereg_mr)
DESTROY(MW, dealloc_mw)
DESTROY(AH, destroy_ah)

/* ---- the book ---- */

/* The extended command is the legacy one without its first member, the response. */
static const struct ib_uverbs_create_qp *create_qp_of(const struct command *c)
{
	const struct ib_uverbs_cmd_hdr *hdr = (const void *)c->wire;
	bool extended = hdr->command & IB_USER_VERBS_CMD_FLAG_EXTENDED;

	return (const void *)(c->wire + c->core - (extended ? sizeof(uint64_t) : 0));
}

/* Number and rings of what a command made. */
static uint32_t number_of(enum kind kind, const struct command *c)
{
	const struct ib_uverbs_create_qp *qp = create_qp_of(c);
	const uint32_t *words = (const void *)c->out;
	const uint8_t *driver = c->out + c->core_out;

	switch (kind) {
	case CQ:
		world_map(RING_CQ, driver);
		return 0;
	case SRQ:
		world_map(RING_RECV, driver);
		return words[3];
	case QP:
		if (!qp->is_srq)
			world_map(RING_RECV, driver);
		world_map(RING_SEND, driver + sizeof(struct soro_abi_mmap_info));
		return words[1];
	case MR:	/* handle, lkey, rkey */
	case MW:
	case AH:
		return words[1];
	default:
		return 0;
	}
}

/* A slot for a new object, marked busy; what was in it is destroyed. NULL if that cannot be. */
static struct object *make_room(enum kind kind, uint64_t *state)
{
	struct object *o = &world.objects[kind][draw(state, SLOTS)];
	struct command c;

	if (atomic_exchange(&o->busy, true))
		return NULL;
	if (o->handle == NONE)
		return o;
	if (kind == CHANNEL) {
		close(o->handle);
	} else {
		doom(&c, kind, o->handle);
		if (command_send(world.fd, &c) == EBUSY) {
			o->busy = false;
			return NULL;
		}
	}
	o->handle = NONE;
	return o;
}

static void enter(struct object *o, const struct template *t, const struct command *c)
{
	uint32_t handle;

	memcpy(&handle, c->out, sizeof(handle));
	if (t->makes == QP)
		o->type = create_qp_of(c)->qp_type;
	if (t->makes == CHANNEL)
		fcntl(handle, F_SETFL, O_NONBLOCK);
	o->number = number_of(t->makes, c);
	o->handle = handle;
}

/**
 * template_run() - send one command
 * @t: which
 * @state: of the generator
 * @spoil: changes it first, or NULL
 *
 * Return: 0 or errno; -1 if there is no room for what it makes
 */
int template_run(const struct template *t, uint64_t *state, spoil_fn *spoil)
{
	struct object *o = NULL;
	struct command c;
	bool believe = true;
	int err;

	if (t->makes != KINDS) {
		o = make_room(t->makes, state);
		if (!o)
			return -1;
	}
	t->build(&c, state);
	if (spoil)
		believe = spoil(&c, state);
	err = command_send(world.fd, &c);
	if (!err && believe && o)
		enter(o, t, &c);
	if (!err && believe && t->done)
		t->done(&c);
	if (o)
		o->busy = false;
	return err;
}

const struct template object_templates[] = {
	{ "ALLOC_PD", alloc_pd, PD },
	{ "CREATE_COMP_CHANNEL", create_channel, CHANNEL },
	{ "CREATE_CQ", create_cq, CQ },
	{ "CREATE_SRQ", create_srq, SRQ },
	{ "CREATE_QP", create_qp, QP },
	{ "REG_MR", reg_mr, MR },
	{ "REREG_MR", rereg_mr, KINDS },
	{ "ALLOC_MW", alloc_mw, MW },
	{ "CREATE_AH", create_ah, AH },
	{ "DEALLOC_PD", dealloc_pd, KINDS, dealloc_pd_done },
	{ "DESTROY_CQ", destroy_cq, KINDS, destroy_cq_done },
	{ "DESTROY_SRQ", destroy_srq, KINDS, destroy_srq_done },
	{ "DESTROY_QP", destroy_qp, KINDS, destroy_qp_done },
	{ "DEREG_MR", dereg_mr, KINDS, dereg_mr_done },
	{ "DEALLOC_MW", dealloc_mw, KINDS, dealloc_mw_done },
	{ "DESTROY_AH", destroy_ah, KINDS, destroy_ah_done },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include <sys/ioctl.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "draw.h"
#include "methods.h"

#define MAX_ATTRS	20
#define MAX_BYTES	1024

/* What an attribute is. */
enum what {
	END,
	HANDLE,		/* of an object of the kind that is its argument */
	MADE,		/* handle of the object that the method makes */
	VALUE,		/* in the attribute itself, small as a rule */
	FLAGS,		/* the same, mostly 0 */
	IN,		/* bytes that a pointer names; so many is its argument */
	OUT,		/* a place for bytes */
	FD,		/* a file, mostly none */
};

struct attr {
	enum what what;
	uint16_t id;
	uint16_t arg;
};

struct method {
	uint16_t object, id;
	struct attr attrs[MAX_ATTRS];
};

/* The driver's part of requests and responses. */
#define UHW_IN(bytes)	{ IN, UVERBS_ATTR_UHW_IN, bytes }
#define UHW_OUT(bytes)	{ OUT, UVERBS_ATTR_UHW_OUT, bytes }

/*
 * UVERBS_METHOD_GET_CONTEXT is not among them: on a file that has a context it fails, and the core
 * of 6.1 then leaks a reference to the task. IB_USER_VERBS_CMD_GET_CONTEXT does the same without
 * the leak.
 */
static const struct method methods[] = {
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, {
		{ VALUE, UVERBS_ATTR_INFO_OBJECT_ID }, { OUT, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4 },
		{ OUT, UVERBS_ATTR_INFO_HANDLES_LIST, 256 } } },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, {
		{ VALUE, UVERBS_ATTR_QUERY_PORT_PORT_NUM }, { OUT, UVERBS_ATTR_QUERY_PORT_RESP, 56 } } },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, {
		{ OUT, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4 },
		{ OUT, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8 }, UHW_OUT(8) } },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, {
		{ VALUE, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE },
		{ FLAGS, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS },
		{ OUT, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, 512 },
		{ OUT, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8 } } },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, {
		{ VALUE, UVERBS_ATTR_QUERY_GID_ENTRY_PORT },
		{ VALUE, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX },
		{ FLAGS, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS },
		{ OUT, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, 32 } } },
	{ UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, {
		{ MADE, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE } } },
	{ UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_PD_HANDLE, PD } } },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, {
		{ MADE, UVERBS_ATTR_CREATE_CQ_HANDLE }, { VALUE, UVERBS_ATTR_CREATE_CQ_CQE },
		{ VALUE, UVERBS_ATTR_CREATE_CQ_USER_HANDLE },
		{ FD, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, CHANNEL },
		{ FLAGS, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR }, { FLAGS, UVERBS_ATTR_CREATE_CQ_FLAGS },
		{ OUT, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4 }, UHW_IN(8), UHW_OUT(16) } },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_CQ_HANDLE, CQ },
		{ OUT, UVERBS_ATTR_DESTROY_CQ_RESP, 8 } } },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, {
		{ MADE, UVERBS_ATTR_CREATE_QP_HANDLE },
		{ HANDLE, UVERBS_ATTR_CREATE_QP_PD_HANDLE, PD },
		{ HANDLE, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, SRQ },
		{ HANDLE, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, CQ },
		{ HANDLE, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, CQ },
		{ VALUE, UVERBS_ATTR_CREATE_QP_USER_HANDLE }, { IN, UVERBS_ATTR_CREATE_QP_CAP, 20 },
		{ VALUE, UVERBS_ATTR_CREATE_QP_TYPE }, { FLAGS, UVERBS_ATTR_CREATE_QP_FLAGS },
		{ OUT, UVERBS_ATTR_CREATE_QP_RESP_CAP, 20 },
		{ OUT, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4 }, UHW_IN(8), UHW_OUT(32) } },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_QP_HANDLE, QP },
		{ OUT, UVERBS_ATTR_DESTROY_QP_RESP, 4 } } },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, {
		{ MADE, UVERBS_ATTR_CREATE_SRQ_HANDLE },
		{ HANDLE, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, PD },
		{ VALUE, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE }, { VALUE, UVERBS_ATTR_CREATE_SRQ_MAX_WR },
		{ VALUE, UVERBS_ATTR_CREATE_SRQ_MAX_SGE }, { VALUE, UVERBS_ATTR_CREATE_SRQ_LIMIT },
		{ FLAGS, UVERBS_ATTR_CREATE_SRQ_TYPE }, { OUT, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4 },
		{ OUT, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4 },
		{ OUT, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, 4 }, UHW_IN(8), UHW_OUT(24) } },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_SRQ_HANDLE, SRQ },
		{ OUT, UVERBS_ATTR_DESTROY_SRQ_RESP, 4 } } },
	{ UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, {
		{ MADE, UVERBS_ATTR_CREATE_WQ_HANDLE }, { HANDLE, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, PD },
		{ HANDLE, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, CQ },
		{ VALUE, UVERBS_ATTR_CREATE_WQ_USER_HANDLE }, { FLAGS, UVERBS_ATTR_CREATE_WQ_TYPE },
		{ VALUE, UVERBS_ATTR_CREATE_WQ_MAX_WR }, { VALUE, UVERBS_ATTR_CREATE_WQ_MAX_SGE },
		{ OUT, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 4 },
		{ OUT, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4 },
		{ OUT, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 4 }, UHW_IN(16), UHW_OUT(16) } },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, {
		{ MADE, UVERBS_ATTR_REG_DM_MR_HANDLE }, { VALUE, UVERBS_ATTR_REG_DM_MR_OFFSET },
		{ VALUE, UVERBS_ATTR_REG_DM_MR_LENGTH },
		{ HANDLE, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, PD },
		{ FLAGS, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS },
		{ HANDLE, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, MR },
		{ OUT, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4 },
		{ OUT, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4 } } },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_MR_HANDLE, MR } } },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, {
		{ HANDLE, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, PD }, { FLAGS, UVERBS_ATTR_ADVISE_MR_ADVICE },
		{ FLAGS, UVERBS_ATTR_ADVISE_MR_FLAGS }, { IN, UVERBS_ATTR_ADVISE_MR_SGE_LIST, 48 } } },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, {
		{ HANDLE, UVERBS_ATTR_QUERY_MR_HANDLE, MR }, { OUT, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4 },
		{ OUT, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4 }, { OUT, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8 },
		{ OUT, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8 } } },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, {
		{ MADE, UVERBS_ATTR_REG_DMABUF_MR_HANDLE },
		{ HANDLE, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, PD },
		{ VALUE, UVERBS_ATTR_REG_DMABUF_MR_OFFSET }, { VALUE, UVERBS_ATTR_REG_DMABUF_MR_LENGTH },
		{ VALUE, UVERBS_ATTR_REG_DMABUF_MR_IOVA }, { FD, UVERBS_ATTR_REG_DMABUF_MR_FD },
		{ FLAGS, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS },
		{ OUT, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4 },
		{ OUT, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4 } } },
	{ UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_MW_HANDLE, MW } } },
	{ UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, {
		{ HANDLE, UVERBS_ATTR_DESTROY_AH_HANDLE, AH } } },
	{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, {
		{ MADE, UVERBS_ATTR_ALLOC_DM_HANDLE }, { VALUE, UVERBS_ATTR_ALLOC_DM_LENGTH },
		{ VALUE, UVERBS_ATTR_ALLOC_DM_ALIGNMENT } } },
	{ UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, {
		{ MADE, UVERBS_ATTR_CREATE_COUNTERS_HANDLE } } },
	{ UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_ESP_CREATE, {
		{ MADE, UVERBS_ATTR_CREATE_FLOW_ACTION_ESP_HANDLE },
		{ IN, UVERBS_ATTR_FLOW_ACTION_ESP_ATTRS, 24 },
		{ IN, UVERBS_ATTR_FLOW_ACTION_ESP_KEYMAT, 64 } } },
};

/* A call: its attributes follow its head, and what they point to comes after. */
struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	uint8_t bytes[MAX_ATTRS][MAX_BYTES] __attribute__((aligned(8)));
};

static void begin(struct call *call, uint16_t object, uint16_t method)
{
	memset(call, 0, sizeof(*call));
	call->hdr.object_id = object;
	call->hdr.method_id = method;
	call->hdr.driver_id = RDMA_DRIVER_RXE;
}

static struct ib_uverbs_attr *add(struct call *call, uint16_t id, uint16_t len, uint64_t data)
{
	struct ib_uverbs_attr *attr = &call->attrs[call->hdr.num_attrs++];

	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->data = data;
	return attr;
}

static void fill(struct call *call, const struct attr *a, uint64_t *state)
{
	uint8_t *bytes = call->bytes[call->hdr.num_attrs];
	uint32_t i, word;

	switch (a->what) {
	case HANDLE:
		add(call, a->id, 0, world_pick(a->arg, state));
		break;
	case MADE:
		add(call, a->id, 0, 0);
		break;
	case VALUE:
		add(call, a->id, one_in(state, 2) ? 4 : 8, few(state, 64));
		break;
	case FLAGS:
		add(call, a->id, 4, one_in(state, 6) ? nasty(state) : 0);
		break;
	case IN:
		for (i = 0; i + 4 <= a->arg; i += 4) {
			word = few(state, 20);
			memcpy(bytes + i, &word, sizeof(word));
		}
		add(call, a->id, a->arg, (uintptr_t)bytes);
		break;
	case OUT:
		add(call, a->id, a->arg, (uintptr_t)bytes);
		break;
	case FD:
		add(call, a->id, 0, a->arg ? world_pick(a->arg, state) : 0);
		break;
	default:
		break;
	}
}

/* One attribute that is not as it should be; none of those that say where to write to. */
static void spoil_attr(struct call *call, uint64_t *state)
{
	struct ib_uverbs_attr *attr;

	if (!call->hdr.num_attrs)
		return;
	attr = &call->attrs[draw(state, call->hdr.num_attrs)];
	switch (draw(state, 7)) {
	case 0:	/* the next takes its place */
		*attr = call->attrs[--call->hdr.num_attrs];
		break;
	case 1:
		attr->len = one_in(state, 2) ? nasty(state) : draw(state, 80);
		if (attr->len > MAX_BYTES)
			attr->data = one_in(state, 2) ? 0 : UINT64_MAX - 4095;
		break;
	case 2:
		attr->data = one_in(state, 2) ? 0 : UINT64_MAX - draw(state, 1 << 20);
		break;
	case 3:
		attr->flags = nasty(state);
		break;
	case 4:
		attr->attr_id = one_in(state, 2) ? nasty(state) : draw(state, 20);
		break;
	case 5:
		attr->attr_data.reserved = nasty(state);
		break;
	default:
		if (call->hdr.num_attrs < MAX_ATTRS)
			call->attrs[call->hdr.num_attrs++] = *attr;
	}
}

static void spoil_head(struct call *call, uint64_t *state)
{
	struct ib_uverbs_ioctl_hdr *hdr = &call->hdr;

	switch (draw(state, 5)) {
	case 0:
		hdr->object_id = one_in(state, 2) ? nasty(state) : draw(state, 20);
		break;
	case 1:
		hdr->method_id = one_in(state, 2) ? nasty(state) : draw(state, 16);
		break;
	case 2:
		hdr->length = nasty(state);
		break;
	case 3:
		hdr->driver_id = draw(state, 24);
		break;
	default:
		hdr->reserved1 = nasty(state);
	}
}

static int send(struct call *call, uint64_t *state)
{
	while (one_in(state, 2))
		spoil_attr(call, state);
	call->hdr.length = sizeof(call->hdr) + call->hdr.num_attrs * sizeof(call->attrs[0]);
	if (one_in(state, 10))
		spoil_head(call, state);
	return ioctl(world.fd, RDMA_VERBS_IOCTL, &call->hdr) < 0 ? errno : 0;
}

/**
 * method_call() - call a method with attributes that are almost right
 * @state: of the generator
 *
 * Return: 0 or errno
 */
int method_call(uint64_t *state)
{
	const struct method *m = &methods[draw(state, sizeof(methods) / sizeof(methods[0]))];
	const struct attr *a;
	struct call call;

	begin(&call, m->object, m->id);
	for (a = m->attrs; a->what != END; a++)
		if (!one_in(state, 12))
			fill(&call, a, state);
	return send(&call, state);
}

/**
 * method_invoke() - a command of the write() interface through a method
 * @t: the command
 * @state: of the generator
 *
 * Return: 0 or errno
 */
int method_invoke(const struct template *t, uint64_t *state)
{
	struct command c;
	struct call call;
	uint32_t number;

	t->build(&c, state);
	number = ((struct ib_uverbs_cmd_hdr *)c.wire)->command;
	begin(&call, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add(&call, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t), number);
	if (c.driver > c.core)
		add(&call, UVERBS_ATTR_CORE_IN, c.driver - c.core, (uintptr_t)c.wire + c.core);
	if (c.core_out)
		add(&call, UVERBS_ATTR_CORE_OUT, c.core_out, (uintptr_t)c.out);
	if (c.bytes > c.driver || one_in(state, 8))
		add(&call, UVERBS_ATTR_UHW_IN, c.bytes - c.driver, (uintptr_t)c.wire + c.driver);
	if (c.driver_out || one_in(state, 8))
		add(&call, UVERBS_ATTR_UHW_OUT, c.driver_out,
		    (uintptr_t)c.out + c.core_out);
	return send(&call, state);
}

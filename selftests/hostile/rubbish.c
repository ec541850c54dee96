// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that are right but for a field or two reach farther than noise does; both are
 * written, and both change while the kernel reads them.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include <rdma/soro-abi.h>

#include "draw.h"
#include "rubbish.h"
#include "world.h"

#define MAX_SGE		4

static uint32_t key(uint64_t *state)
{
	return world_number(one_in(state, 6) ? MW : MR, state);
}

static void fill_sges(struct soro_abi_sge *sge, uint32_t n, uint64_t *state)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		sge[i].addr = world_address(state);
		sge[i].length = one_in(state, 16) ? nasty(state) : draw(state, 6000);
		sge[i].lkey = key(state);
	}
}

/* Opcodes: those that there are, and each byte. */
static uint32_t opcode(uint64_t *state)
{
	static const uint8_t known[] = {
		SORO_ABI_OP_WRITE, SORO_ABI_OP_WRITE_IMM, SORO_ABI_OP_SEND, SORO_ABI_OP_SEND_IMM,
		SORO_ABI_OP_READ, SORO_ABI_OP_CMP_SWP, SORO_ABI_OP_FETCH_ADD,
		SORO_ABI_OP_LOCAL_INV, SORO_ABI_OP_BIND_MW, SORO_ABI_OP_SEND_INV,
		SORO_ABI_OP_FLUSH, SORO_ABI_OP_ATOMIC_WRITE,
	};

	if (one_in(state, 64))
		return nasty(state);
	return one_in(state, 8) ? draw(state, 256) : known[draw(state, sizeof(known))];
}

static void fill_av(struct soro_abi_av *av, uint64_t *state)
{
	av->port_num = 1;
	av->network_type = world.gid[0] || world.gid[1] ? SORO_ABI_IPV6 : SORO_ABI_IPV4;
	memcpy(av->dgid, world.gid, sizeof(world.gid));
	av->sgid_index = world.gid_index;
	av->hop_limit = 64;
	if (one_in(state, 8))
		((uint8_t *)av)[draw(state, sizeof(*av))] = nasty(state);
}

/* What belongs to an opcode; where it does not, the words are rubbish of another kind. */
static void fill_wr(struct soro_abi_send_wr *wr, uint64_t *state)
{
	wr->wr_id = draw64(state);
	wr->opcode = opcode(state);
	wr->flags = one_in(state, 16) ? nasty(state) : draw(state, 8);
	wr->inv_rkey = key(state);
	switch (wr->opcode) {
	case SORO_ABI_OP_CMP_SWP:
	case SORO_ABI_OP_FETCH_ADD:
		wr->atomic.remote_addr = world_address(state);
		wr->atomic.compare_add = draw(state, 4);
		wr->atomic.swap = draw64(state);
		wr->atomic.rkey = key(state);
		break;
	case SORO_ABI_OP_BIND_MW:
		wr->mw.addr = world_address(state);
		wr->mw.length = few(state, 9000);
		wr->mw.mr_lkey = world_number(MR, state);
		wr->mw.mw_rkey = world_number(MW, state);
		wr->mw.rkey = wr->mw.mw_rkey + draw(state, 3);
		wr->mw.access = one_in(state, 4) ? nasty(state) : draw(state, 64);
		break;
	case SORO_ABI_OP_FLUSH:
		wr->flush.remote_addr = world_address(state);
		wr->flush.length = few(state, 9000);
		wr->flush.rkey = key(state);
		wr->flush.type = draw(state, 4);
		wr->flush.level = draw(state, 4);
		break;
	default:
		wr->rdma.remote_addr = world_address(state);
		wr->rdma.rkey = key(state);
	}
	/* Of UD alone, and of no other: half the QPs find it where another thing should be. */
	if (one_in(state, 3)) {
		wr->ud.remote_qpn = world_number(QP, state);
		wr->ud.remote_qkey = one_in(state, 8) ? nasty(state) : QKEY;
		wr->ud.ah_num = one_in(state, 4) ? 0 : world_number(AH, state);
		fill_av(&wr->ud.av, state);
	}
}

/* Each word of a slot may be spoiled, most are not. */
static void spoil(uint32_t *words, size_t n, uint64_t *state)
{
	unsigned int times = one_in(state, 2) ? draw(state, 4) : 0;

	while (times--)
		words[draw(state, n)] = nasty(state);
}

static uint32_t sge_count(uint64_t *state)
{
	return one_in(state, 24) ? nasty(state) : draw(state, MAX_SGE + 1);
}

/* A slot's worth of a send request; returns its bytes. */
static size_t make_send(uint8_t *slot, size_t bytes, uint64_t *state)
{
	struct soro_abi_send_wqe *wqe = (void *)slot;
	size_t i;

	memset(slot, 0, bytes);
	fill_wr(&wqe->wr, state);
	wqe->dma.num_sge = sge_count(state);
	wqe->dma.length = few(state, 9000);
	if (wqe->wr.flags & SORO_ABI_INLINE) {
		for (i = 0; i < (bytes - sizeof(*wqe)) / 8; i++)
			wqe->data[i] = draw64(state);
	} else {
		fill_sges((void *)wqe->data, (bytes - sizeof(*wqe)) / sizeof(struct soro_abi_sge),
			  state);
	}
	spoil((uint32_t *)slot, bytes / 4, state);
	return bytes;
}

static size_t make_recv(uint8_t *slot, size_t bytes, uint64_t *state)
{
	struct soro_abi_recv_wqe *wqe = (void *)slot;

	memset(slot, 0, bytes);
	wqe->wr_id = draw64(state);
	wqe->dma.num_sge = sge_count(state);
	wqe->dma.length = few(state, 9000);
	fill_sges(wqe->sge, (bytes - sizeof(*wqe)) / sizeof(struct soro_abi_sge), state);
	spoil((uint32_t *)slot, bytes / 4, state);
	return bytes;
}

/* Put a request where the producer stands, and move it on. */
static void post(struct ring *r, uint64_t *state)
{
	struct soro_abi_ring *head = (void *)r->words;
	uint8_t slot[512] __attribute__((aligned(8)));
	uint32_t at = head->producer & r->mask;
	size_t bytes = 1UL << r->log2_bytes, offset = (size_t)at << r->log2_bytes;

	if (bytes > sizeof(slot))
		bytes = sizeof(slot);
	if (bytes < sizeof(struct soro_abi_recv_wqe) ||
	    (r->kind == RING_SEND && bytes < sizeof(struct soro_abi_send_wqe)) ||
	    sizeof(*head) + offset + bytes > r->bytes)
		return;
	if (r->kind == RING_SEND)
		make_send(slot, bytes, state);
	else
		make_recv(slot, bytes, state);
	memcpy(head->data + offset, slot, bytes);
	__atomic_store_n(&head->producer, (at + 1) & r->mask, __ATOMIC_RELEASE);
}

/* What a program does that polls. */
static void poll(struct ring *r)
{
	struct soro_abi_ring *head = (void *)r->words;

	__atomic_store_n(&head->consumer, __atomic_load_n(&head->producer, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
}

static void write_head(struct ring *r, uint64_t *state)
{
	struct soro_abi_ring *head = (void *)r->words;

	switch (draw(state, 5)) {
	case 0:
		head->log2_elem_bytes = nasty(state);
		break;
	case 1:
		head->mask = nasty(state);
		break;
	case 2:
		head->producer = one_in(state, 2) ? nasty(state) : draw(state, 64);
		break;
	case 3:
		head->consumer = one_in(state, 2) ? nasty(state) : draw(state, 64);
		break;
	default:
		r->words[draw(state, sizeof(*head) / 4)] = nasty(state);
	}
}

/**
 * rubbish_write() - spend some time on one ring
 * @state: of the generator
 *
 * Return: how often it was written to
 */
unsigned int rubbish_write(uint64_t *state)
{
	unsigned int i, n = 1 + draw(state, 32);
	struct ring *r;

	pthread_rwlock_rdlock(&world.lock);
	r = &world.rings[draw(state, RINGS)];
	if (!r->words)
		n = 0;
	for (i = 0; i < n; i++) {
		switch (draw(state, 16)) {
		case 0:
			write_head(r, state);
			break;
		case 1:
		case 2:
			r->words[draw(state, r->bytes / 4)] = nasty(state);
			break;
		default:
			if (r->kind == RING_CQ)
				poll(r);
			else
				post(r, state);
		}
	}
	pthread_rwlock_unlock(&world.lock);
	return n;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: rings and work requests in memory that a hostile user fills with
 * anything at any time, also between two loads of one call.
 *
 * The first byte chooses the ring: send, receive, completion, or just its
 * creation. Then follow operations of the driver and of the user.
 */
#include <sanitizer/asan_interface.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <rdma/soro-abi.h>

#include "input.h"
#include "objects/ring.h"
#include "objects/wqe.h"

#define STEPS_MAX	300
#define CQE_BYTES	48

enum role { SEND_RING, RECV_RING, CQ_RING, ROLES };

struct model {
	struct input in;
	struct soro_ring ring;
	struct soro_ring fixed;	/* as it was created */
	enum role role;
	size_t bytes;		/* of the shared memory that a ring needs */
	u32 max_sge;
	u32 max_inline;
	u32 copy_bytes;
	bool liar;		/* the user broke the rules */
	u32 pushed, polled;	/* completions, while the user is honest */
};

void (*soro_user_after_load)(void);

/* ---- the core's side of a mapping ---- */

static struct rdma_user_mmap_entry *inserted;
static bool no_token;
static unsigned long pages_inserted;

int rdma_user_mmap_entry_insert(struct ib_ucontext *uctx, struct rdma_user_mmap_entry *entry,
				size_t bytes)
{
	if (no_token)
		return -ENOMEM;
	must(!inserted, "two rings");
	entry->refs = 1;
	entry->bytes = bytes;
	inserted = entry;
	return 0;
}

void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry)
{
	must(entry->refs, "a put too many");
	if (!--entry->refs)
		soro_ring_mmap_free(entry);
}

void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry)
{
	must(entry == inserted, "removed twice");
	inserted = NULL;
	rdma_user_mmap_entry_put(entry);
}

struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *uctx,
						      struct vm_area_struct *vma)
{
	if (!inserted || vma->vm_pgoff != 7 || vma->vm_end - vma->vm_start != inserted->bytes)
		return NULL;
	inserted->refs++;
	return inserted;
}

u64 rdma_user_mmap_get_offset(const struct rdma_user_mmap_entry *entry)
{
	return 7 * PAGE_SIZE;
}

int vm_insert_page(struct vm_area_struct *vma, unsigned long addr, struct page *page)
{
	must(addr >= vma->vm_start && addr < vma->vm_end, "page beyond the mapping");
	if (pages_inserted == 5)
		return -ENOMEM;
	pages_inserted++;
	return 0;
}

/* ---- the user ---- */

static struct model *under_attack;

static void write_index(struct model *m, u32 *index)
{
	u8 how = input_u8(&m->in);

	if (how < 0x80)
		*index = (*index + (how & 7)) & m->ring.mask;
	else if (how < 0xc0)
		*index = (m->ring.next + how - 0xa0) & m->ring.mask;
	else if (how < 0xe0)
		*index += how;
	else
		*index = input_u32(&m->in);
}

static void scribble(struct model *m)
{
	struct soro_abi_ring *shared = m->ring.shared;
	u32 at = input_u16(&m->in) % m->bytes;
	u32 n = min_t(size_t, input_u8(&m->in), m->bytes - at);

	input_fill(&m->in, (u8 *)shared + at, n);
	m->liar = true;
}

static void attack(struct model *m)
{
	struct soro_abi_ring *shared = m->ring.shared;
	u8 how = input_u8(&m->in);

	m->liar = true;
	switch (how % 4) {
	case 0:
		write_index(m, &shared->producer);
		break;
	case 1:
		write_index(m, &shared->consumer);
		break;
	case 2:
		shared->mask = input_u32(&m->in);
		shared->log2_elem_bytes = input_u8(&m->in);
		break;
	default:
		scribble(m);
	}
}

/* Between a load and what follows it. */
static void attack_now(void)
{
	struct model *m = under_attack;

	if (m->liar && input_rarely(&m->in, 8))
		attack(m);
}

/* A work request as providers write them, more or less. */
static void write_wqe(struct model *m)
{
	struct soro_abi_ring *shared = m->ring.shared;
	u32 at = shared->producer & m->ring.mask;
	void *slot = shared->data + ((size_t)at << m->ring.log2_elem_bytes);
	u8 how = input_u8(&m->in);
	struct soro_abi_dma *dma;

	if (m->role == SEND_RING) {
		struct soro_abi_send_wqe *wqe = slot;

		wqe->wr.wr_id = how;
		wqe->wr.opcode = how & 0x80 ? input_u32(&m->in) : how % 18;
		wqe->wr.flags = input_u8(&m->in);
		wqe->wr.imm_data = input_u32(&m->in);
		dma = &wqe->dma;
	} else {
		struct soro_abi_recv_wqe *wqe = slot;

		wqe->wr_id = how;
		dma = &wqe->dma;
	}
	how = input_u8(&m->in);
	dma->num_sge = how & 0x80 ? input_u32(&m->in) : how % (m->max_sge + 2);
	dma->length = how & 0x40 ? input_u32(&m->in) : how % (m->max_inline + 2);
	shared->producer = (at + 1) & m->ring.mask;
}

/* ---- what must hold at any time ---- */

static void check_ring(const struct model *m)
{
	const struct soro_ring *ring = &m->ring;

	must(ring->shared == m->fixed.shared && ring->map == m->fixed.map &&
	     ring->mask == m->fixed.mask && ring->log2_elem_bytes == m->fixed.log2_elem_bytes,
	     "size and place of a ring");
	if (m->role == CQ_RING)
		must(ring->next - ring->seen <= ring->mask, "bounded");
	else
		must(ring->taken <= ring->mask, "bounded");
}

/* ---- the driver: send and receive rings ---- */

static void check_sges(const struct model *m, const u8 *copy, const struct ib_sge *sge, u32 n,
		       u64 length)
{
	u64 sum = 0;
	u32 i;

	must(n <= m->max_sge, "more SGEs than granted");
	if (!n)
		return;
	must((const u8 *)sge > copy && (const u8 *)(sge + n) <= copy + m->copy_bytes,
	     "SGEs in the copy");
	for (i = 0; i < n; i++)
		sum += sge[i].length;
	must(sum == length, "length is the sum of the SGEs");
}

static void check_send(const struct model *m, const u8 *copy)
{
	struct soro_send_desc desc;
	u64 sum = 0, i;
	int err;

	memset(&desc, 0x5a, sizeof(desc));
	err = soro_wqe_decode_send(copy, m->copy_bytes, m->max_sge, m->max_inline, &desc);
	must(!memcmp(&desc.wr_id, copy, sizeof(desc.wr_id)), "wr_id");
	must(!(desc.flags & ~0x1fU), "unknown flags");
	if (err) {
		must(err == -EINVAL && !desc.sge && !desc.data && !desc.num_sge, "what was refused");
		return;
	}
	/* The last one is refused by run/, which knows who posts. */
	must(desc.opcode <= SORO_ABI_OP_ATOMIC_WRITE || desc.opcode == SORO_OP_REG_MR, "opcode");
	if (desc.opcode == SORO_ABI_OP_FLUSH)	/* a length of the peer's memory */
		must(!desc.sge && !desc.data && !desc.inline_data, "memory of a FLUSH");
	if (!desc.inline_data) {
		if (desc.sge)
			check_sges(m, copy, desc.sge, desc.num_sge, desc.length);
		else
			must(!desc.num_sge, "SGEs from nowhere");
		return;
	}
	/* the value of an ATOMIC WRITE is no inline data in the sense of the limit */
	must(!desc.num_sge && desc.length <= (desc.opcode == SORO_ABI_OP_ATOMIC_WRITE ?
					      sizeof(u64) : m->max_inline),
	     "more inline data than granted");
	must(desc.data > copy && desc.data + desc.length <= copy + m->copy_bytes,
	     "inline data in the copy");
	for (i = 0; i < desc.length; i++)
		sum += desc.data[i];
	must(sum <= 255 * desc.length, "inline data");
}

static void check_recv(const struct model *m, const u8 *copy)
{
	struct soro_recv_desc desc;
	int err;

	memset(&desc, 0x5a, sizeof(desc));
	err = soro_wqe_decode_recv(copy, m->copy_bytes, m->max_sge, &desc);
	must(!memcmp(&desc.wr_id, copy, sizeof(desc.wr_id)), "wr_id");
	if (err)
		must(err == -EINVAL && !desc.sge && !desc.num_sge, "what was refused");
	else
		check_sges(m, copy, desc.sge, desc.num_sge, desc.length);
}

static const u8 *place(const struct soro_ring *ring, u32 number)
{
	return ring->shared->data + ((size_t)(number & ring->mask) << ring->log2_elem_bytes);
}

static void copy_one(struct model *m)
{
	struct soro_ring *ring = &m->ring;
	u32 next = ring->next, taken = ring->taken;
	u8 *copy = malloc(m->copy_bytes);	/* of this size, for ASan */
	bool copied;

	if (!copy)
		abort();
	must(soro_ring_pending(ring) <= ring->mask - taken, "more pending than there is room for");
	copied = soro_ring_copy(ring, copy, m->copy_bytes);
	must(ring->next == next + copied && ring->taken == taken + copied, "an entry is taken");
	if (copied) {
		must(!memcmp(copy, place(ring, next),
			     min(m->copy_bytes, soro_ring_elem_bytes(ring))), "the copy");
		if (m->role == SEND_RING)
			check_send(m, copy);
		else
			check_recv(m, copy);
	}
	free(copy);
}

/* A successor gets what waits, while entries are posted and taken. */
static void move_all(struct model *m)
{
	struct soro_ring *ring = &m->ring, to = { 0 };
	u8 how = input_u8(&m->in);
	u32 left, room, i;
	int err;

	if (soro_ring_create(&to, 1 + how, soro_ring_elem_bytes(ring), NULL, NULL))
		must(false, "create");
	soro_ring_succeed(&to, ring);
	room = soro_ring_capacity(&to) - (how & 1);
	for (;;) {
		how = input_u8(&m->in);
		err = soro_ring_move(ring, &to, room, 1 + (how & 3));
		if (err != -EAGAIN)
			break;
		if (how & 0x10)
			write_wqe(m);
		if (how & 0x20) {
			copy_one(m);
			soro_ring_release(ring, ring->taken);
		}
		if (how >= 0xe0)
			attack(m);
	}
	must(m->liar || (err == -EINVAL) == (soro_ring_pending(ring) > room), "the room");
	if (err) {
		soro_ring_destroy(&to);
		return;
	}
	left = soro_ring_pending(&to);
	must(left <= room && to.next == ring->next, "more than there is room for");
	must(m->liar || left == soro_ring_pending(ring), "all of it");
	must(m->liar || !soro_ring_broken(ring), "an honest user broke the ring");
	for (i = 0; i < left && !m->liar; i++)
		must(!memcmp(place(&to, to.next + i), place(ring, ring->next + i),
			     soro_ring_elem_bytes(&to)), "what was moved");
	soro_ring_destroy(&to);
}

static void consume(struct model *m, u8 op)
{
	struct soro_ring *ring = &m->ring;
	u32 n = ring->taken;

	switch (op % 8) {
	case 0:
	case 1:
		write_wqe(m);
		break;
	case 2:
	case 3:
	case 4:
		copy_one(m);
		break;
	case 5:
		n = min_t(u32, n, op >> 4);
		soro_ring_release(ring, n);
		must(ring->shared->consumer == ((ring->next - ring->taken) & ring->mask),
		     "consumer index");
		break;
	case 6:
		if (op < 0x40) {
			soro_ring_discard(ring);
			must(!ring->taken, "discarded and still taken");
			must(ring->shared->consumer == (ring->next & ring->mask), "consumer index");
		} else if (!ring->taken) {
			move_all(m);
		}
		break;
	default:
		attack(m);
	}
}

/* ---- the driver: completion rings ---- */

static u32 unread(const struct soro_ring *ring)
{
	return ring->next - ring->seen;
}

static void push_one(struct model *m)
{
	struct soro_ring *ring = &m->ring;
	u32 before = unread(ring), next = ring->next;
	u8 elem[CQE_BYTES];
	bool full = soro_ring_full(ring);

	must(unread(ring) <= before, "an impossible index took slots away");
	if (!m->liar)
		must(full == (m->pushed - m->polled == ring->mask), "full or not");
	if (full)
		return;
	memset(elem, m->pushed, sizeof(elem));
	soro_ring_push(ring, elem, sizeof(elem));
	must(ring->next == next + 1, "an entry is added");
	must(ring->shared->producer == (ring->next & ring->mask), "producer index");
	must(!memcmp(place(ring, next), elem,
		     min_t(u32, sizeof(elem), soro_ring_elem_bytes(ring))), "the entry");
	m->pushed++;
}

/* An honest user reads every entry once, in order. */
static void poll_one(struct model *m)
{
	struct soro_abi_ring *shared = m->ring.shared;
	u32 at = shared->consumer;

	if (m->liar || m->pushed == m->polled)
		return;
	must(at <= m->ring.mask, "index of an honest user");
	must(shared->data[(size_t)at << m->ring.log2_elem_bytes] == (u8)m->polled,
	     "an entry was overwritten");
	shared->consumer = (at + 1) & m->ring.mask;
	m->polled++;
}

/* Nobody may touch what lies behind the last slot. */
static void guard(const struct soro_ring *ring, size_t bytes)
{
	size_t used = sizeof(*ring->shared) + ((ring->mask + 1ULL) << ring->log2_elem_bytes);

	ASAN_POISON_MEMORY_REGION((u8 *)ring->shared + used, bytes - used);
}

/* Copy to @to while both ends go on; false: it is too small. */
static bool move(struct model *m, struct soro_ring *to)
{
	soro_ring_succeed(to, &m->ring);
	for (;;) {
		u8 how = input_u8(&m->in);

		if (soro_ring_unread(&m->ring) > soro_ring_capacity(to))
			return false;
		if (soro_ring_move_unread(&m->ring, to, 2 + (how & 3)))
			return true;
		if (how & 0x10)
			push_one(m);
		if (how & 0x20)
			poll_one(m);
		if (how >= 0xe0)
			attack(m);
	}
}

/* Another ring takes the place of the ring, or is too small and goes. */
static void resize(struct model *m)
{
	struct rdma_user_mmap_entry *old = inserted, *new;
	struct soro_abi_mmap_info info;
	struct soro_ring to = {};

	inserted = NULL;
	if (soro_ring_create(&to, 1 + input_below(&m->in, 30), CQE_BYTES, NULL, &info))
		must(false, "create");
	guard(&to, info.size);
	new = inserted;
	if (move(m, &to)) {
		swap(m->ring, to);
		swap(old, new);
		m->fixed = m->ring;
		m->bytes = sizeof(*m->ring.shared) +
			   ((m->ring.mask + 1ULL) << m->ring.log2_elem_bytes);
	}
	inserted = new;
	ASAN_UNPOISON_MEMORY_REGION(to.shared, new->bytes);
	soro_ring_destroy(&to);
	inserted = old;
}

static void produce(struct model *m, u8 op)
{
	u32 before = unread(&m->ring);
	bool empty;

	switch (op % 8) {
	case 0:
	case 1:
	case 2:
		push_one(m);
		break;
	case 3:
	case 4:
		poll_one(m);
		break;
	case 5:
		if (op >= 0xc0) {
			resize(m);
			break;
		}
		empty = soro_ring_empty(&m->ring);
		must(unread(&m->ring) <= before, "an impossible index took slots away");
		if (!m->liar)
			must(empty == (m->pushed == m->polled), "empty or not");
		break;
	default:
		/* lies come late, so that honest users are seen too */
		if (op >= 0x80)
			attack(m);
	}
}

/* ---- creation ---- */

static void check_mmap(struct model *m)
{
	struct vm_area_struct vma = { .vm_start = 0x10000, .vm_pgoff = 7 };
	u8 how = input_u8(&m->in);
	int err;

	pages_inserted = 0;
	vma.vm_end = vma.vm_start + inserted->bytes;
	if (how & 1)
		vma.vm_flags = VM_EXEC;
	if (how & 2)
		vma.vm_end += PAGE_SIZE;
	err = soro_ring_mmap(NULL, &vma);
	if (how & 3)
		must(err && !pages_inserted, "what may not be mapped");
	else if (!err)
		must(pages_inserted == inserted->bytes / PAGE_SIZE, "all pages");
}

static void fuzz_sizes(struct model *m)
{
	u32 entries = input_u32(&m->in) >> input_below(&m->in, 32);
	u32 elem = input_u32(&m->in) >> input_below(&m->in, 32);
	struct soro_abi_mmap_info info = { 0 };
	int err;

	if ((u64)entries * elem > 1 << 16 && (u64)entries * elem < 1U << 31)
		return;		/* valid perhaps, but too much memory for so little */
	no_token = input_u8(&m->in) & 1;
	err = soro_ring_create(&m->ring, entries, elem, NULL, &info);
	must(!!err == !soro_ring_exists(&m->ring), "a ring or an error");
	if (err) {
		must(err == -EINVAL || no_token, "why");
		return;
	}
	must(soro_ring_capacity(&m->ring) >= entries && soro_ring_elem_bytes(&m->ring) >= elem,
	     "capacity");
	must(info.size >= sizeof(struct soro_abi_ring) +
	     ((m->ring.mask + 1ULL) << m->ring.log2_elem_bytes) && !(info.size % PAGE_SIZE), "size");
	check_mmap(m);
	soro_ring_destroy(&m->ring);
}

static void create(struct model *m)
{
	struct soro_abi_mmap_info info;
	u8 how = input_u8(&m->in);
	u32 least = CQE_BYTES;

	m->max_sge = how & 7;
	m->max_inline = (how >> 3 & 3) * 24;
	if (m->role == SEND_RING)
		least = SORO_WQE_SEND_BYTES(m->max_sge, m->max_inline);
	else if (m->role == RECV_RING)
		least = SORO_WQE_RECV_BYTES(m->max_sge);
	no_token = false;
	if (soro_ring_create(&m->ring, 1 + (how >> 5) * 3, least, NULL, &info))
		must(false, "create");
	m->fixed = m->ring;
	m->bytes = sizeof(*m->ring.shared) +
		   ((m->ring.mask + 1ULL) << m->ring.log2_elem_bytes);
	guard(&m->ring, info.size);
	m->copy_bytes = soro_ring_elem_bytes(&m->ring);
	how = input_u8(&m->in);
	if (how & 1)
		m->copy_bytes = least;
	/* the copy bounds everything, whatever was granted */
	m->max_sge += how >> 1 & 3;
	m->max_inline += how >> 3 & 0x1f;
}

static void destroy(struct model *m)
{
	ASAN_UNPOISON_MEMORY_REGION(m->ring.shared, inserted->bytes);
	soro_ring_destroy(&m->ring);
	must(!soro_ring_exists(&m->ring) && !inserted, "destroyed");
	soro_ring_destroy(&m->ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model m = { .in = { .at = data, .left = size } };
	u8 role = input_below(&m.in, ROLES + 1);
	u32 steps;

	if (role == ROLES) {
		fuzz_sizes(&m);
		return 0;
	}
	m.role = role;
	create(&m);
	under_attack = &m;
	soro_user_after_load = attack_now;
	for (steps = 0; steps < STEPS_MAX && !input_empty(&m.in); steps++) {
		u8 op = input_u8(&m.in);

		if (m.role == CQ_RING)
			produce(&m, op);
		else
			consume(&m, op);
		check_ring(&m);
	}
	soro_user_after_load = NULL;
	destroy(&m);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Rings that are shared with user space: the only file that touches them. Rings of consumers
 * in the kernel have the same form, so that nobody needs to know who is at the other end.
 *
 * The user may write anything anywhere in a ring at any time. Size and position
 * are therefore known from private fields only, an index of the user is loaded
 * once, masked and bounded, and an entry is copied once. A mapping holds the
 * pages themselves: it may outlive the object, the device and the module.
 */
#include <asm/barrier.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/soro-abi.h>
#include "ring.h"

/* More than any ring needs, and far from where 32 bits would end. */
#define RING_ENTRIES_MAX	BIT(24)
#define RING_ELEM_BYTES_MAX	BIT(16)
#define RING_BYTES_MAX		BIT(30)

#define SAME_SIZE(ours, theirs)							\
	static_assert(sizeof(struct ours) == sizeof(struct theirs))
#define SAME_PLACE(ours, our_field, theirs, their_field)			\
	static_assert(offsetof(struct ours, our_field) ==			\
		      offsetof(struct theirs, their_field) &&			\
		      sizeof_field(struct ours, our_field) ==			\
		      sizeof_field(struct theirs, their_field))
#define STARTS_AT(ours, our_field, theirs, their_field)				\
	static_assert(offsetof(struct ours, our_field) ==			\
		      offsetof(struct theirs, their_field))

SAME_SIZE(soro_abi_mmap_info, mminfo);
SAME_PLACE(soro_abi_mmap_info, offset, mminfo, offset);
SAME_PLACE(soro_abi_mmap_info, size, mminfo, size);

SAME_SIZE(soro_abi_create_ah_resp, rxe_create_ah_resp);
SAME_PLACE(soro_abi_create_ah_resp, ah_num, rxe_create_ah_resp, ah_num);
SAME_SIZE(soro_abi_create_cq_resp, rxe_create_cq_resp);
SAME_SIZE(soro_abi_create_qp_resp, rxe_create_qp_resp);
SAME_PLACE(soro_abi_create_qp_resp, rq, rxe_create_qp_resp, rq_mi);
SAME_PLACE(soro_abi_create_qp_resp, sq, rxe_create_qp_resp, sq_mi);
SAME_SIZE(soro_abi_create_srq_resp, rxe_create_srq_resp);
SAME_PLACE(soro_abi_create_srq_resp, rq, rxe_create_srq_resp, mi);
SAME_PLACE(soro_abi_create_srq_resp, srq_num, rxe_create_srq_resp, srq_num);

SAME_SIZE(soro_abi_modify_srq_cmd, rxe_modify_srq_cmd);
SAME_PLACE(soro_abi_modify_srq_cmd, mmap_info, rxe_modify_srq_cmd, mmap_info_addr);

SAME_SIZE(soro_abi_ring, rxe_queue_buf);
SAME_PLACE(soro_abi_ring, log2_elem_bytes, rxe_queue_buf, log2_elem_size);
SAME_PLACE(soro_abi_ring, mask, rxe_queue_buf, index_mask);
SAME_PLACE(soro_abi_ring, producer, rxe_queue_buf, producer_index);
SAME_PLACE(soro_abi_ring, consumer, rxe_queue_buf, consumer_index);
STARTS_AT(soro_abi_ring, data, rxe_queue_buf, data);

SAME_SIZE(soro_abi_sge, rxe_sge);
SAME_PLACE(soro_abi_sge, addr, rxe_sge, addr);
SAME_PLACE(soro_abi_sge, length, rxe_sge, length);
SAME_PLACE(soro_abi_sge, lkey, rxe_sge, lkey);

SAME_SIZE(soro_abi_av, rxe_av);
SAME_PLACE(soro_abi_av, port_num, rxe_av, port_num);
SAME_PLACE(soro_abi_av, network_type, rxe_av, network_type);
SAME_PLACE(soro_abi_av, dmac, rxe_av, dmac);
SAME_PLACE(soro_abi_av, dgid, rxe_av, grh.dgid);
SAME_PLACE(soro_abi_av, flow_label, rxe_av, grh.flow_label);
SAME_PLACE(soro_abi_av, sgid_index, rxe_av, grh.sgid_index);
SAME_PLACE(soro_abi_av, hop_limit, rxe_av, grh.hop_limit);
SAME_PLACE(soro_abi_av, traffic_class, rxe_av, grh.traffic_class);
SAME_PLACE(soro_abi_av, sgid_addr, rxe_av, sgid_addr);
SAME_PLACE(soro_abi_av, dgid_addr, rxe_av, dgid_addr);

SAME_SIZE(soro_abi_send_wr, rxe_send_wr);
SAME_PLACE(soro_abi_send_wr, wr_id, rxe_send_wr, wr_id);
SAME_PLACE(soro_abi_send_wr, opcode, rxe_send_wr, opcode);
SAME_PLACE(soro_abi_send_wr, flags, rxe_send_wr, send_flags);
SAME_PLACE(soro_abi_send_wr, imm_data, rxe_send_wr, ex.imm_data);
SAME_PLACE(soro_abi_send_wr, inv_rkey, rxe_send_wr, ex.invalidate_rkey);
SAME_PLACE(soro_abi_send_wr, rdma.remote_addr, rxe_send_wr, wr.rdma.remote_addr);
SAME_PLACE(soro_abi_send_wr, rdma.rkey, rxe_send_wr, wr.rdma.rkey);
SAME_PLACE(soro_abi_send_wr, atomic.remote_addr, rxe_send_wr, wr.atomic.remote_addr);
SAME_PLACE(soro_abi_send_wr, atomic.compare_add, rxe_send_wr, wr.atomic.compare_add);
SAME_PLACE(soro_abi_send_wr, atomic.swap, rxe_send_wr, wr.atomic.swap);
SAME_PLACE(soro_abi_send_wr, atomic.rkey, rxe_send_wr, wr.atomic.rkey);
SAME_PLACE(soro_abi_send_wr, ud.remote_qpn, rxe_send_wr, wr.ud.remote_qpn);
SAME_PLACE(soro_abi_send_wr, ud.remote_qkey, rxe_send_wr, wr.ud.remote_qkey);
SAME_PLACE(soro_abi_send_wr, ud.pkey_index, rxe_send_wr, wr.ud.pkey_index);
SAME_PLACE(soro_abi_send_wr, ud.ah_num, rxe_send_wr, wr.ud.ah_num);
SAME_PLACE(soro_abi_send_wr, ud.av, rxe_send_wr, wr.ud.av);
SAME_PLACE(soro_abi_send_wr, mw.addr, rxe_send_wr, wr.mw.addr);
SAME_PLACE(soro_abi_send_wr, mw.length, rxe_send_wr, wr.mw.length);
SAME_PLACE(soro_abi_send_wr, mw.mr_lkey, rxe_send_wr, wr.mw.mr_lkey);
SAME_PLACE(soro_abi_send_wr, mw.mw_rkey, rxe_send_wr, wr.mw.mw_rkey);
SAME_PLACE(soro_abi_send_wr, mw.rkey, rxe_send_wr, wr.mw.rkey);
SAME_PLACE(soro_abi_send_wr, mw.access, rxe_send_wr, wr.mw.access);

SAME_SIZE(soro_abi_send_wqe, rxe_send_wqe);
SAME_PLACE(soro_abi_send_wqe, dma, rxe_send_wqe, dma);
STARTS_AT(soro_abi_send_wqe, data, rxe_send_wqe, dma.sge);
SAME_SIZE(soro_abi_recv_wqe, rxe_recv_wqe);
SAME_PLACE(soro_abi_recv_wqe, wr_id, rxe_recv_wqe, wr_id);
SAME_PLACE(soro_abi_recv_wqe, dma, rxe_recv_wqe, dma);
STARTS_AT(soro_abi_recv_wqe, sge, rxe_recv_wqe, dma.sge);

SAME_SIZE(soro_abi_dma, rxe_dma_info);
SAME_PLACE(soro_abi_dma, length, rxe_dma_info, length);
SAME_PLACE(soro_abi_dma, num_sge, rxe_dma_info, num_sge);

static_assert((int)SORO_ABI_IPV4 == RXE_NETWORK_TYPE_IPV4);
static_assert((int)SORO_ABI_IPV6 == RXE_NETWORK_TYPE_IPV6);

/**
 * struct soro_ring_map - the memory of a ring and the token by which it is mapped
 * @entry: the token; its reference count is that of this structure
 * @has_token: whether there is @entry; without it nobody maps the ring and nobody counts
 * @shared: the memory
 */
struct soro_ring_map {
	struct rdma_user_mmap_entry entry;
	bool has_token;
	void *shared;
};

static struct soro_ring_map *map_alloc(struct ib_ucontext *uctx, u32 bytes, bool has_token)
{
	struct soro_ring_map *map;
	int err;

	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		return ERR_PTR(-ENOMEM);
	/* Who asks for more than there is hears it by the error, not by the kernel log. */
	map->shared = __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!map->shared) {
		err = -ENOMEM;
		goto err_shared;
	}
	map->has_token = has_token;
	if (!has_token)
		return map;
	err = rdma_user_mmap_entry_insert(uctx, &map->entry, bytes);
	if (err)
		goto err_insert;
	return map;

err_insert:
	vfree(map->shared);
err_shared:
	kfree(map);
	return ERR_PTR(err);
}

/**
 * soro_ring_create - make a ring, and the token by which the user maps it
 * @ring: the ring, all zero
 * @entries: how many entries it must hold, at least 1
 * @elem_bytes: least size of a slot
 * @uctx: the user's context
 * @info: what the user has to be told; NULL if the other end is in the kernel
 *
 * The ring may hold more than asked for: soro_ring_capacity(). Context: process, may sleep.
 * Return: 0, -EINVAL for sizes out of bounds, -ENOMEM. On failure @ring is as before.
 */
int soro_ring_create(struct soro_ring *ring, u32 entries, u32 elem_bytes,
		     struct ib_ucontext *uctx, struct soro_abi_mmap_info *info)
{
	struct soro_ring_map *map;
	u32 log2_elem_bytes;
	u32 slots;
	u64 bytes;

	if (!entries || entries >= RING_ENTRIES_MAX)
		return -EINVAL;
	if (!elem_bytes || elem_bytes > RING_ELEM_BYTES_MAX)
		return -EINVAL;
	slots = roundup_pow_of_two(entries + 1);
	log2_elem_bytes = order_base_2(elem_bytes);
	bytes = PAGE_ALIGN(sizeof(*ring->shared) + ((u64)slots << log2_elem_bytes));
	if (bytes > RING_BYTES_MAX)
		return -EINVAL;

	map = map_alloc(uctx, bytes, info);
	if (IS_ERR(map))
		return PTR_ERR(map);

	ring->shared = map->shared;
	ring->map = map;
	ring->mask = slots - 1;
	ring->log2_elem_bytes = log2_elem_bytes;
	ring->next = 0;
	ring->taken = 0;
	ring->shared->log2_elem_bytes = log2_elem_bytes;
	ring->shared->mask = slots - 1;

	if (!info)
		return 0;
	info->offset = rdma_user_mmap_get_offset(&map->entry);
	info->size = bytes;
	info->pad = 0;
	return 0;
}

/**
 * soro_ring_destroy - end a ring
 * @ring: the ring; one that does not exist is left alone
 *
 * Mappings stay usable: their pages are freed with the last of them. Context: process.
 */
void soro_ring_destroy(struct soro_ring *ring)
{
	struct soro_ring_map *map = ring->map;

	ring->map = NULL;
	ring->shared = NULL;
	if (!map)
		return;
	if (map->has_token)
		rdma_user_mmap_entry_remove(&map->entry);
	else
		soro_ring_mmap_free(&map->entry);
}

/* Page by page, with a reference on each, so that the mapping depends on nothing else. */
static int insert_pages(struct vm_area_struct *vma, void *shared)
{
	unsigned long offset;
	int err = 0;

	for (offset = 0; !err && offset < vma->vm_end - vma->vm_start; offset += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + offset, vmalloc_to_page(shared + offset));
	return err;
}

/**
 * soro_ring_mmap - the mmap operation of the device
 * @uctx: the user's context
 * @vma: the mapping: shared, of exactly the size of a ring, not executable
 *
 * Pages are inserted one by one and nothing of the mapping refers to this module.
 * Return: 0 or -errno.
 */
int soro_ring_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct soro_ring_map *map;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	entry = rdma_user_mmap_entry_get(uctx, vma);
	if (!entry)
		return -EINVAL;
	map = container_of(entry, struct soro_ring_map, entry);
	err = insert_pages(vma, map->shared);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * soro_ring_mmap_free - the mmap_free operation of the device
 * @entry: token of a ring that was destroyed and that nobody is mapping any more
 */
void soro_ring_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct soro_ring_map *map = container_of(entry, struct soro_ring_map, entry);

	vfree(map->shared);
	kfree(map);
}

static void *slot(const struct soro_ring *ring, u32 number)
{
	return ring->shared->data + ((size_t)(number & ring->mask) << ring->log2_elem_bytes);
}

/**
 * soro_ring_pending - entries that wait to be copied
 * @ring: a ring whose consumer is the kernel
 *
 * Never more than the ring has room for beside those already taken, whatever the user wrote.
 */
u32 soro_ring_pending(const struct soro_ring *ring)
{
	/* Pairs with the release of the user's producer index: entries before the index. */
	u32 producer = smp_load_acquire(&ring->shared->producer);

	return min((producer - ring->next) & ring->mask, ring->mask - ring->taken);
}

/**
 * soro_ring_copy - copy the next entry and take it
 * @ring: a ring whose consumer is the kernel
 * @dst: private memory
 * @bytes: its size; no more than a slot is copied
 *
 * Return: false if there is no entry.
 */
bool soro_ring_copy(struct soro_ring *ring, void *dst, u32 bytes)
{
	if (!soro_ring_pending(ring))
		return false;

	memcpy(dst, slot(ring, ring->next), min(bytes, soro_ring_elem_bytes(ring)));
	/* What is checked must be what is used: no second load from the ring in place of dst. */
	barrier();
	ring->next++;
	ring->taken++;
	return true;
}

/**
 * soro_ring_put_back - undo the last soro_ring_copy()
 * @ring: a ring whose consumer is the kernel, with an entry taken
 *
 * The entry is copied, and has to be checked, again.
 */
void soro_ring_put_back(struct soro_ring *ring)
{
	if (WARN_ON_ONCE(!ring->taken))
		return;
	ring->next--;
	ring->taken--;
}

/**
 * soro_ring_release - give the slots of completed entries back to the user
 * @ring: a ring whose consumer is the kernel
 * @n: how many of the oldest taken entries are completed
 */
void soro_ring_release(struct soro_ring *ring, u32 n)
{
	if (WARN_ON_ONCE(n > ring->taken))
		n = ring->taken;
	ring->taken -= n;

	/* Pairs with the acquire of the user's look for room: our reads before its next write. */
	smp_store_release(&ring->shared->consumer, (ring->next - ring->taken) & ring->mask);
}

/**
 * soro_ring_discard - consume everything without looking at it
 * @ring: a ring whose consumer is the kernel
 */
void soro_ring_discard(struct soro_ring *ring)
{
	u32 pending = soro_ring_pending(ring);

	ring->next += pending;
	ring->taken += pending;
	soro_ring_release(ring, ring->taken);
}

/**
 * soro_ring_broken - whether the producer index is one that no provider writes
 * @ring: a ring whose consumer is the kernel
 *
 * Nothing relies on the answer: all other functions bound whatever stands there.
 */
bool soro_ring_broken(const struct soro_ring *ring)
{
	return READ_ONCE(ring->shared->producer) > ring->mask;
}

/**
 * soro_ring_unread - entries that the consumer has not read, as far as it can be believed
 * @ring: a ring whose producer is the kernel
 *
 * An impossible index leaves the last possible one in force, so that it frees no slot.
 */
u32 soro_ring_unread(struct soro_ring *ring)
{
	/* Pairs with the release of the user's consumer index: its reads before our writes. */
	u32 consumer = smp_load_acquire(&ring->shared->consumer);
	u32 advance = (consumer - ring->seen) & ring->mask;
	u32 used = ring->next - ring->seen;

	if (advance <= used) {
		ring->seen += advance;
	} else if (advance == used + 1) {
		/*
		 * librxe before v55 ends a poll that found the ring empty by
		 * one step too many. It has read everything; put it right.
		 */
		ring->seen = ring->next;
		WRITE_ONCE(ring->shared->consumer, ring->next & ring->mask);
	}
	return ring->next - ring->seen;
}

/**
 * soro_ring_full - whether there is no slot for another entry
 * @ring: a ring whose producer is the kernel
 */
bool soro_ring_full(struct soro_ring *ring)
{
	return soro_ring_unread(ring) == ring->mask;
}

/**
 * soro_ring_empty - whether the user has consumed everything
 * @ring: a ring whose producer is the kernel
 */
bool soro_ring_empty(struct soro_ring *ring)
{
	return !soro_ring_unread(ring);
}

/**
 * soro_ring_push - add an entry
 * @ring: a ring whose producer is the kernel, not full
 * @elem: the entry
 * @bytes: its size; no more than a slot is written
 */
void soro_ring_push(struct soro_ring *ring, const void *elem, u32 bytes)
{
	memcpy(slot(ring, ring->next), elem, min(bytes, soro_ring_elem_bytes(ring)));
	ring->next++;

	/* Pairs with the acquire of the user's look for entries: the entry before the index. */
	smp_store_release(&ring->shared->producer, ring->next & ring->mask);
}

/**
 * soro_ring_succeed - say which ring will take the place of another
 * @to: a ring that nobody uses yet, with slots of the same size
 * @from: a ring of any kind
 *
 * soro_ring_move() or soro_ring_move_unread() then copies what there is, in as many steps as the
 * caller likes; @from may be used, and may have got another successor, between two of them.
 * Entries keep their numbers. When all are copied @to takes the place of @from before the caller
 * lets anybody touch that again.
 */
void soro_ring_succeed(struct soro_ring *to, const struct soro_ring *from)
{
	/* Before the oldest entry that there can be. */
	to->next = READ_ONCE(from->next) - RING_ENTRIES_MAX;
}

/* Copy entries up to @end, without those before @first, at most @max; true: there are no more. */
static bool move(const struct soro_ring *from, struct soro_ring *to, u32 first, u32 end, u32 max)
{
	if ((s32)(first - to->next) > 0)	/* new, or the consumer has overtaken us */
		to->next = first;
	for (; max && (s32)(end - to->next) > 0; max--, to->next++)
		memcpy(slot(to, to->next), slot(from, to->next), soro_ring_elem_bytes(to));
	return (s32)(end - to->next) <= 0;
}

/**
 * soro_ring_move - copy entries that wait to be copied to the successor of a ring
 * @from: a ring whose consumer is the kernel, with no entry taken
 * @to: its successor
 * @room: entries that may wait in it, at most its capacity
 * @max: entries to copy at most
 *
 * Whatever the user writes meanwhile, it comes to an end. Return: 0 when all are copied, -EAGAIN:
 * go on, -EINVAL: there are more than @room.
 */
int soro_ring_move(const struct soro_ring *from, struct soro_ring *to, u32 room, u32 max)
{
	u32 pending = soro_ring_pending(from);	/* once: the user may write another */
	u32 end = from->next + pending;

	if (pending > room)
		return -EINVAL;
	if (!move(from, to, from->next, end, max))
		return -EAGAIN;
	to->next = from->next;
	WRITE_ONCE(to->shared->consumer, to->next & to->mask);
	WRITE_ONCE(to->shared->producer, end & to->mask);
	return 0;
}

/**
 * soro_ring_move_unread - copy entries that the consumer has not read to the successor of a ring
 * @from: a ring whose producer is the kernel
 * @to: its successor, with room for soro_ring_unread() entries
 * @max: entries to copy at most
 *
 * Return: whether all are copied.
 */
bool soro_ring_move_unread(struct soro_ring *from, struct soro_ring *to, u32 max)
{
	u32 first = from->next - soro_ring_unread(from);

	if (!move(from, to, first, from->next, max))
		return false;
	to->seen = first;
	WRITE_ONCE(to->shared->consumer, first & to->mask);
	/* As in soro_ring_push(). */
	smp_store_release(&to->shared->producer, to->next & to->mask);
	return true;
}

/**
 * soro_ring_reserve - the slot for the next entry
 * @ring: a ring whose producer is a consumer in the kernel; the caller serialises producers
 *
 * Nothing is added before soro_ring_commit(). Context: any.
 * Return: the slot, of soro_ring_elem_bytes(), or NULL when the ring is full.
 */
void *soro_ring_reserve(struct soro_ring *ring)
{
	/* Pairs with soro_ring_release(): its reads of the slot before our writes. */
	u32 consumer = smp_load_acquire(&ring->shared->consumer);
	u32 producer = ring->shared->producer;

	return ((producer + 1) & ring->mask) == consumer ? NULL : slot(ring, producer);
}

/**
 * soro_ring_commit - add the entry that was written to the reserved slot
 * @ring: the ring of the soro_ring_reserve() before
 */
void soro_ring_commit(struct soro_ring *ring)
{
	u32 producer = ring->shared->producer;

	/* Pairs with soro_ring_pending(): the entry before the index. */
	smp_store_release(&ring->shared->producer, (producer + 1) & ring->mask);
}

/**
 * soro_ring_pull - take the oldest entry out
 * @ring: a ring that soro_ring_push() fills and a consumer in the kernel empties; the caller
 *	serialises both
 * @dst: private memory
 * @bytes: its size; no more than a slot is copied
 *
 * Return: false if there is no entry.
 */
bool soro_ring_pull(struct soro_ring *ring, void *dst, u32 bytes)
{
	u32 consumer = ring->shared->consumer;

	if (consumer == (ring->next & ring->mask))
		return false;
	memcpy(dst, slot(ring, consumer), min(bytes, soro_ring_elem_bytes(ring)));
	ring->shared->consumer = (consumer + 1) & ring->mask;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions.
 *
 * The memory of a region is an array of blocks of equal size, as large as the
 * physical layout allows, so that a region on huge pages has few. Blocks follow
 * the physical layout and not the user's address: only distances from the start
 * of the region are used to find one.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/iter.h>
#include "mr.h"

/*
 * Optional bits may be ignored. IB_ACCESS_HUGETLB only announces what the
 * layout shows anyway, and to relax ordering is a permission.
 */
#define MR_ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | SORO_ACCESS_REMOTE | IB_ACCESS_MW_BIND |	\
			 IB_ZERO_BASED | IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

#define WINDOWS_BARRED	(-1)

/* ---- user memory ---- */

static int map_blocks(struct ib_umem *umem, struct soro_blocks *blocks)
{
	struct ib_block_iter iter;
	unsigned long bytes;
	u64 base;
	size_t num;
	size_t i = 0;

	/*
	 * Without a DMA device, addresses are kernel addresses. Blocks are cut
	 * as if the region lay at its first kernel address, so that the first
	 * run is aligned with itself whatever the user's address is.
	 */
	base = sg_dma_address(umem->sgt_append.sgt.sgl) + ib_umem_offset(umem);
	bytes = ib_umem_find_best_pgsz(umem, GENMASK(BITS_PER_LONG - 1, PAGE_SHIFT), base);
	if (!bytes)
		return -EINVAL;

	num = ib_umem_num_dma_blocks(umem, bytes);
	blocks->block = kvmalloc_array(num, sizeof(*blocks->block),
				       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!blocks->block)
		return -ENOMEM;

	rdma_umem_for_each_dma_block(umem, &iter, bytes) {
		if (WARN_ON_ONCE(i >= num))
			break;
		blocks->block[i++] = (void *)(uintptr_t)rdma_block_iter_dma_address(&iter);
	}
	blocks->shift = __ffs(bytes);
	blocks->first_bytes = base & (bytes - 1);
	return 0;
}

/* Pin memory of the calling process and find its blocks. */
static int pin(struct ib_device *ibdev, u64 start, u64 length, int access,
	       struct ib_umem **umem, struct soro_blocks *blocks)
{
	int err;

	*umem = ib_umem_get(ibdev, start, length, access);
	if (IS_ERR(*umem))
		return PTR_ERR(*umem);
	err = map_blocks(*umem, blocks);
	if (err)
		ib_umem_release(*umem);
	return err;
}

static int check_user(u64 start, u64 length, u64 iova, int access)
{
	u64 last;

	if (access & ~MR_ACCESS_KNOWN)
		return -EOPNOTSUPP;
	if (!length || check_add_overflow(iova, length - 1, &last) ||
	    check_add_overflow(start, length - 1, &last))
		return -EINVAL;
	return 0;
}

/* What the key permits from now on; nobody finds the region, or its grant is held for writing. */
static void permit(struct soro_mr *mr, u64 iova, u64 length, int access)
{
	mr->grant.iova = access & IB_ZERO_BASED ? 0 : iova;
	mr->grant.length = length;
	mr->grant.access = access;
	mr->grant.open = true;
}

/* ---- life ---- */

/**
 * soro_mr_alloc - make a region that nobody can find yet and that permits nothing
 * @keys: key space of the device
 * @pd: protection domain; the core writes it into the ib_mr only after the region is visible
 * @kind: SORO_GRANT_REGION or SORO_GRANT_FAST
 *
 * Return: the region, which kfree() frees until it is published, or NULL.
 */
struct soro_mr *soro_mr_alloc(struct soro_keys *keys, struct ib_pd *pd, enum soro_grant_kind kind)
{
	struct soro_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	mr->keys = keys;
	soro_grant_init(&mr->grant, kind, pd);
	mr->grant.blocks = &mr->blocks;
	return mr;
}

/**
 * soro_mr_publish - let a complete region be found by a key of its own
 * @mr: the region
 *
 * Context: process, may sleep. Return: 0 or the error of soro_key_alloc().
 */
int soro_mr_publish(struct soro_mr *mr)
{
	int err = soro_grant_publish(&mr->grant, mr->keys);

	mr->ib.lkey = mr->grant.key;
	mr->ib.rkey = mr->grant.key;
	return err;
}

/**
 * soro_mr_reg_user - register memory of the calling process
 * @keys: key space of the device
 * @pd: protection domain
 * @start: address of the memory in the process
 * @length: bytes
 * @iova: address by which work requests name the first byte; 0 with IB_ZERO_BASED
 * @access: IB_ACCESS_* bits
 *
 * Context: process, may sleep. Return: the region, or an error pointer.
 */
struct ib_mr *soro_mr_reg_user(struct soro_keys *keys, struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access)
{
	struct soro_mr *mr;
	int err;

	err = check_user(start, length, access & IB_ZERO_BASED ? 0 : iova, access);
	if (err)
		return ERR_PTR(err);

	mr = soro_mr_alloc(keys, pd, SORO_GRANT_REGION);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = pin(pd->device, start, length, access, &mr->umem, &mr->blocks);
	if (err)
		goto err_pin;
	permit(mr, iova, length, access);
	err = soro_mr_publish(mr);
	if (err)
		goto err_key;
	return &mr->ib;

err_key:
	kvfree(mr->blocks.block);
	ib_umem_release(mr->umem);
err_pin:
	kfree(mr);
	return ERR_PTR(err);
}

/* What a consumer in the kernel may ask for its own memory. */
#define DMA_ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | SORO_ACCESS_REMOTE | IB_ACCESS_OPTIONAL)

/**
 * soro_mr_get_dma - the get_dma_mr operation: a region of all of the kernel's memory
 * @keys: key space of the device
 * @pd: protection domain of a consumer in the kernel, which alone can use the key
 * @access: IB_ACCESS_* bits
 *
 * Without a DMA device, what consumers get from ib_dma_map_*() are addresses of the kernel's map of
 * all memory: the region is that address range, in one block, and no process's addresses are
 * in it. Context: process, may sleep. Return: the region, or an error pointer.
 */
struct ib_mr *soro_mr_get_dma(struct soro_keys *keys, struct ib_pd *pd, int access)
{
	struct soro_mr *mr;
	int err = -ENOMEM;

	if (access & ~DMA_ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	mr = soro_mr_alloc(keys, pd, SORO_GRANT_REGION);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->blocks.block = kvmalloc_array(1, sizeof(*mr->blocks.block), GFP_KERNEL_ACCOUNT);
	if (!mr->blocks.block)
		goto err_block;
	mr->blocks.block[0] = (void *)PAGE_OFFSET;
	mr->blocks.shift = BITS_PER_LONG - 1;
	permit(mr, PAGE_OFFSET, U64_MAX - PAGE_OFFSET, access);
	err = soro_mr_publish(mr);
	if (err)
		goto err_key;
	return &mr->ib;

err_key:
	kvfree(mr->blocks.block);
err_block:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * soro_mr_dereg - end a registration
 * @ib_mr: a region of any kind
 *
 * Waits until nobody uses the memory. Context: process, may sleep.
 * Return: 0, or -EBUSY while memory windows are bound to it (IBA 11.2.8).
 */
int soro_mr_dereg(struct ib_mr *ib_mr)
{
	struct soro_mr *mr = soro_mr_from_ib(ib_mr);

	if (atomic_cmpxchg(&mr->windows, 0, WINDOWS_BARRED))
		return -EBUSY;
	soro_grant_end(&mr->grant, mr->keys);

	/* Marks the pages dirty if the registration allowed to write. */
	ib_umem_release(mr->umem);
	kvfree(mr->blocks.block);
	kvfree(mr->mapped);
	kfree_rcu(mr, rcu);
	return 0;
}

/* ---- changes ---- */

/* Memory that was pinned for reading has to be pinned anew if it may be written from now on. */
static bool needs_pin(const struct soro_mr *mr, int flags, int access)
{
	return flags & IB_MR_REREG_TRANS || (ib_access_writable(access) && !mr->umem->writable);
}

/* Pin what is needed, then change everything at once. */
static int change(struct soro_mr *mr, bool pins, u64 start, u64 length, u64 iova, int access,
		  const struct ib_pd *pd)
{
	struct soro_blocks blocks = mr->blocks;
	struct ib_umem *umem = mr->umem;
	int err;

	if (pins) {
		err = pin(mr->ib.device, start, length, access, &umem, &blocks);
		if (err)
			return err;
	}
	write_lock_bh(&mr->grant.lock);
	swap(mr->umem, umem);
	swap(mr->blocks, blocks);
	mr->grant.pd = pd;
	permit(mr, iova, length, access);
	write_unlock_bh(&mr->grant.lock);
	if (pins) {
		kvfree(blocks.block);
		ib_umem_release(umem);
	}
	return 0;
}

/**
 * soro_mr_rereg_user - the rereg_user_mr operation: change a registration
 * @ib_mr: a region of soro_mr_reg_user()
 * @flags: IB_MR_REREG_*: what changes
 * @start: address of the memory in the process, with IB_MR_REREG_TRANS
 * @length: bytes, with IB_MR_REREG_TRANS
 * @iova: address by which work requests name the first byte, with IB_MR_REREG_TRANS
 * @access: IB_ACCESS_* bits, with IB_MR_REREG_ACCESS
 * @pd: protection domain
 *
 * The key stays. A request that is being executed sees the region as it was or as it will
 * be. On failure nothing has changed. Context: process, may sleep.
 *
 * Return: NULL, or an error pointer: -EBUSY while memory windows are bound to it.
 */
struct ib_mr *soro_mr_rereg_user(struct ib_mr *ib_mr, int flags, u64 start, u64 length, u64 iova,
				 int access, struct ib_pd *pd)
{
	struct soro_mr *mr = soro_mr_from_ib(ib_mr);
	bool pins;
	int err;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->grant.access;
	pins = needs_pin(mr, flags, access);
	if (!(flags & IB_MR_REREG_TRANS)) {
		/* The address is one of the process that registered it. */
		if (pins && mr->umem->owning_mm != current->mm)
			return ERR_PTR(-EINVAL);
		start = mr->umem->address;
		length = mr->umem->length;
		iova = ib_mr->iova;
	}
	err = check_user(start, length, access & IB_ZERO_BASED ? 0 : iova, access);
	if (err)
		return ERR_PTR(err);
	if (atomic_cmpxchg(&mr->windows, 0, WINDOWS_BARRED))
		return ERR_PTR(-EBUSY);
	err = change(mr, pins, start, length, iova, access, pd);
	/* Pairs with soro_mr_add_window(): who binds sees the region as it is now. */
	atomic_set_release(&mr->windows, 0);
	return ERR_PTR(err);
}

/**
 * soro_mr_add_window - a memory window is going to be bound to a region
 * @mr: found under RCU
 *
 * From then on the region neither changes nor goes. Context: any.
 * Return: false if that is just happening.
 */
bool soro_mr_add_window(struct soro_mr *mr)
{
	return atomic_inc_unless_negative(&mr->windows);
}

/**
 * soro_mr_del_window - a memory window is not bound any more
 * @mr: of soro_mr_add_window()
 *
 * Context: any.
 */
void soro_mr_del_window(struct soro_mr *mr)
{
	/* Pairs with the cmpxchg of who changes or ends it: what was done with it is over. */
	(void)atomic_dec_return_release(&mr->windows);
}

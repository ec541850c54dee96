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
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/iter.h>
#include "key.h"
#include "mr.h"

/*
 * Optional bits may be ignored. IB_ACCESS_HUGETLB only announces what the
 * layout shows anyway, and to relax ordering is a permission.
 */
#define MR_ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
			 IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_HUGETLB |	\
			 IB_ACCESS_OPTIONAL)

static int map_blocks(struct soro_mr *mr)
{
	struct ib_umem *umem = mr->umem;
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
	mr->block = kvmalloc_array(num, sizeof(*mr->block), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mr->block)
		return -ENOMEM;

	rdma_umem_for_each_dma_block(umem, &iter, bytes) {
		if (WARN_ON_ONCE(i >= num))
			break;
		mr->block[i++] = (void *)(uintptr_t)rdma_block_iter_dma_address(&iter);
	}
	mr->block_shift = __ffs(bytes);
	mr->first_bytes = base & (bytes - 1);
	return 0;
}

static int check_user(u64 start, u64 length, u64 iova, int access)
{
	u64 last;

	if (access & (IB_ACCESS_ON_DEMAND | ~MR_ACCESS_KNOWN))
		return -EOPNOTSUPP;
	if (!length || length > SIZE_MAX)
		return -EINVAL;
	if (check_add_overflow(iova, length - 1, &last))
		return -EINVAL;
	if (check_add_overflow(start, length - 1, &last) || last > ULONG_MAX)
		return -EINVAL;
	return 0;
}

/* A region that nobody can find yet. */
static struct soro_mr *mr_alloc(struct soro_keys *keys, struct ib_pd *pd, u64 iova, u64 length,
				int access)
{
	struct soro_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	mr->keys = keys;
	mr->pd = pd;
	mr->iova = iova;
	mr->length = length;
	mr->access = access;
	refcount_set(&mr->users, 1);
	init_completion(&mr->idle);
	return mr;
}

/* Let a complete region be found by a key of its own. */
static int publish(struct soro_mr *mr)
{
	int err = soro_key_alloc(mr->keys, &mr->key);

	if (err)
		return err;
	mr->ib.lkey = mr->key;
	mr->ib.rkey = mr->key;
	soro_key_publish(mr->keys, mr->key, mr);
	return 0;
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

	if (access & IB_ZERO_BASED)
		iova = 0;
	err = check_user(start, length, iova, access);
	if (err)
		return ERR_PTR(err);

	mr = mr_alloc(keys, pd, iova, length, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		goto err_umem;
	}
	err = map_blocks(mr);
	if (err)
		goto err_map;
	err = publish(mr);
	if (err)
		goto err_key;
	return &mr->ib;

err_key:
	kvfree(mr->block);
err_map:
	ib_umem_release(mr->umem);
err_umem:
	kfree(mr);
	return ERR_PTR(err);
}

/* What a consumer in the kernel may ask for its own memory. */
#define DMA_ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
				 IB_ACCESS_OPTIONAL)

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
	mr = mr_alloc(keys, pd, PAGE_OFFSET, U64_MAX - PAGE_OFFSET, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->block = kvmalloc_array(1, sizeof(*mr->block), GFP_KERNEL_ACCOUNT);
	if (!mr->block)
		goto err_block;
	mr->block[0] = (void *)PAGE_OFFSET;
	mr->block_shift = BITS_PER_LONG - 1;
	err = publish(mr);
	if (err)
		goto err_key;
	return &mr->ib;

err_key:
	kvfree(mr->block);
err_block:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * soro_mr_dereg - end a registration
 * @ib_mr: a region of soro_mr_reg_user() or soro_mr_get_dma()
 *
 * Waits until nobody uses the memory. Context: process, may sleep. Return: 0.
 */
int soro_mr_dereg(struct ib_mr *ib_mr)
{
	struct soro_mr *mr = container_of(ib_mr, struct soro_mr, ib);

	soro_key_free(mr->keys, mr->key);
	soro_mr_put(mr);
	wait_for_completion(&mr->idle);

	/* Marks the pages dirty if the registration allowed to write. */
	ib_umem_release(mr->umem);
	kvfree(mr->block);
	kfree_rcu(mr, rcu);
	return 0;
}

/**
 * soro_mr_covers - whether a range lies inside a region
 * @mr: the region
 * @va: address as the work request or the packet names it
 * @bytes: length, 0 is a range too
 *
 * The one place where an address and a length meet: nothing here can wrap.
 */
bool soro_mr_covers(const struct soro_mr *mr, u64 va, u64 bytes)
{
	u64 offset;

	if (va < mr->iova)
		return false;
	offset = va - mr->iova;
	return offset <= mr->length && bytes <= mr->length - offset;
}

static int check_use(const struct soro_mr *mr, const struct ib_pd *pd, u32 key, u64 va,
		     u64 bytes, int access)
{
	if (mr->key != key)
		return -ENOENT;
	if (mr->pd != pd)
		return -EXDEV;
	if ((mr->access & access) != access)
		return -EACCES;
	if (!soro_mr_covers(mr, va, bytes))
		return -ERANGE;
	return 0;
}

/**
 * soro_mr_get - find the region that a key names and check a use of it
 * @keys: key space of the device
 * @pd: protection domain of the QP
 * @key: L_Key or R_Key
 * @va: start of the range
 * @bytes: length of the range
 * @access: IB_ACCESS_* bits that the region must grant; 0 for a local read
 *
 * Context: any. Return: the region with a reference that soro_mr_put() gives back, or
 * -ENOENT (no such key), -EXDEV (other PD), -EACCES (rights), -ERANGE (bounds).
 */
struct soro_mr *soro_mr_get(struct soro_keys *keys, const struct ib_pd *pd, u32 key, u64 va,
			    u64 bytes, int access)
{
	struct soro_mr *mr;
	int err = -ENOENT;

	rcu_read_lock();
	mr = soro_key_find(keys, key);
	if (mr)
		err = check_use(mr, pd, key, va, bytes, access);
	if (!err && !refcount_inc_not_zero(&mr->users))
		err = -ENOENT;
	rcu_read_unlock();

	return err ? ERR_PTR(err) : mr;
}

/**
 * soro_mr_put - give a reference back
 * @mr: a region of soro_mr_get()
 *
 * Context: any.
 */
void soro_mr_put(struct soro_mr *mr)
{
	if (refcount_dec_and_test(&mr->users))
		complete(&mr->idle);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Fast registration.
 *
 * Such a region is free or valid (IBA 10.6.5): free when it is made and after an
 * invalidation, valid after a registration. The consumer fills in the list of pages while
 * the region may still be valid with another one, since it may post the
 * invalidation and the next registration together: the registration copies the list.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "fast.h"
#include "key.h"
#include "mr.h"

#define FAST_ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | SORO_ACCESS_REMOTE | IB_ACCESS_OPTIONAL)

/**
 * soro_fast_alloc - the alloc_mr operation
 * @keys: key space of the device
 * @pd: protection domain of a consumer in the kernel
 * @type: IB_MR_TYPE_MEM_REG
 * @pages: how many the longest list has
 *
 * Context: process, may sleep. Return: the region, free, or an error pointer.
 */
struct ib_mr *soro_fast_alloc(struct soro_keys *keys, struct ib_pd *pd, enum ib_mr_type type,
			      u32 pages)
{
	struct soro_mr *mr;
	int err = -ENOMEM;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!pages || pages > SORO_FAST_PAGES_MAX)
		return ERR_PTR(-EINVAL);
	mr = soro_mr_alloc(keys, pd, SORO_GRANT_FAST);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->blocks.block = kvcalloc(pages, sizeof(*mr->blocks.block), GFP_KERNEL);
	mr->mapped = kvcalloc(pages, sizeof(*mr->mapped), GFP_KERNEL);
	if (!mr->blocks.block || !mr->mapped)
		goto err_list;
	mr->mapped_max = pages;
	err = soro_mr_publish(mr);
	if (err)
		goto err_list;
	return &mr->ib;

err_list:
	kvfree(mr->mapped);
	kvfree(mr->blocks.block);
	kfree(mr);
	return ERR_PTR(err);
}

static int add_page(struct ib_mr *ib_mr, u64 addr)
{
	struct soro_mr *mr = soro_mr_from_ib(ib_mr);

	if (mr->mapped_num == mr->mapped_max)
		return -ENOMEM;
	mr->mapped[mr->mapped_num++] = (void *)(uintptr_t)addr;
	return 0;
}

/**
 * soro_fast_map - the map_mr_sg operation: set the list of pages that is registered next
 * @ib_mr: a region of soro_fast_alloc(); the core has set its page size
 * @sg: mapped with ib_dma_map_sg(): without a DMA device these are kernel addresses
 * @nents: entries of @sg
 * @offset: bytes of the first one that are left out; set to where the list became full
 *
 * Pages may be of any power of two, also less or more than PAGE_SIZE.
 * Context: any; not while a registration of the region is under way.
 * Return: entries of @sg that were taken, or -errno.
 */
int soro_fast_map(struct ib_mr *ib_mr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct soro_mr *mr = soro_mr_from_ib(ib_mr);

	if (!mr->mapped || !is_power_of_2(ib_mr->page_size))
		return -EINVAL;
	mr->mapped_num = 0;
	return ib_sg_to_pages(ib_mr, sg, nents, offset, add_page);
}

/* The grant is held for writing. */
static int open(struct soro_mr *mr, const struct ib_pd *pd, u32 key, int access)
{
	struct soro_grant *grant = &mr->grant;
	u64 page_bytes = mr->ib.page_size;
	u64 first_bytes = mr->ib.iova & (page_bytes - 1);
	u64 room = mr->mapped_num * page_bytes;

	if (grant->pd != pd || grant->open)
		return -EINVAL;
	if (access & ~FAST_ACCESS_KNOWN)
		return -EINVAL;
	if (!mr->ib.length || first_bytes >= room || mr->ib.length > room - first_bytes ||
	    mr->ib.iova + mr->ib.length - 1 < mr->ib.iova)
		return -EINVAL;
	memcpy(mr->blocks.block, mr->mapped, mr->mapped_num * sizeof(*mr->mapped));
	mr->blocks.shift = ilog2(page_bytes);
	mr->blocks.first_bytes = first_bytes;
	grant->key = key;
	grant->iova = mr->ib.iova;
	grant->length = mr->ib.length;
	grant->access = access;
	grant->open = true;
	return 0;
}

/**
 * soro_fast_register - execute a registration: the region is valid from now on
 * @keys: key space of the device
 * @pd: protection domain of the QP
 * @key: L_Key and R_Key from now on; names the region by its index
 * @access: IB_ACCESS_* bits
 *
 * Address and length are those in the ib_mr, the page list that of soro_fast_map().
 * Context: BH off.
 * Return: 0; -ENOENT; -EINVAL: not a free region of this PD, or nothing that can be registered.
 */
int soro_fast_register(struct soro_keys *keys, const struct ib_pd *pd, u32 key, int access)
{
	struct soro_grant *grant;
	int err = -ENOENT;

	rcu_read_lock();
	grant = soro_key_find(keys, key);
	if (grant && grant->kind == SORO_GRANT_FAST) {
		write_lock_bh(&grant->lock);
		err = open(soro_mr_from_grant(grant), pd, key, access);
		write_unlock_bh(&grant->lock);
	}
	rcu_read_unlock();
	return err;
}

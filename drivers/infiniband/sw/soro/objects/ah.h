/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address handles.
 *
 * Owns: the numbers by which work requests name address handles, and what they
 * hold. Must not know: routes, packets.
 */
#ifndef SORO_OBJECTS_AH_H
#define SORO_OBJECTS_AH_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

struct soro_abi_av;

#define SORO_MAX_AH	((1 << 24) - 1)	/* of a device */

/**
 * struct soro_ahs - address handles of one device
 * @vectors: struct soro_av by number; written under its own irq-safe lock, read under RCU
 * @next: where the search for a free number goes on
 */
struct soro_ahs {
	struct xarray vectors;
	u32 next;
};

/**
 * struct soro_av - what an address handle holds
 * @num: the number by which work requests name it
 * @pd: protection domain of the handle; only for comparison
 * @sgid: source GID
 * @ifindex: netdev of the source GID, 0 if it has none any more
 * @attr: attributes as created; grh.sgid_attr is NULL
 * @rcu: frees the vector after lookups under RCU have ended
 *
 * Constant once it can be found.
 */
struct soro_av {
	u32 num;
	const struct ib_pd *pd;
	union ib_gid sgid;
	int ifindex;
	struct rdma_ah_attr attr;
	struct rcu_head rcu;
};

/**
 * struct soro_ah - an address handle
 * @ib: the core's object
 * @av: its address vector, which readers under RCU may see for longer than the handle
 */
struct soro_ah {
	struct ib_ah ib;
	struct soro_av *av;
};

static inline struct soro_ah *soro_ah_from_ib(struct ib_ah *ib_ah)
{
	return container_of(ib_ah, struct soro_ah, ib);
}

void soro_ahs_init(struct soro_ahs *ahs);
void soro_ahs_fini(struct soro_ahs *ahs);
int soro_ah_create(struct soro_ahs *ahs, struct ib_ah *ib_ah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata);
int soro_ah_destroy(struct soro_ahs *ahs, struct ib_ah *ib_ah);
int soro_ah_query(struct ib_ah *ib_ah, struct rdma_ah_attr *attr);
int soro_ah_read(struct soro_av *av, struct ib_device *ibdev, const struct soro_abi_av *abi);
const struct soro_av *soro_ah_find(struct soro_ahs *ahs, const struct ib_pd *pd, u32 num);

#endif /* SORO_OBJECTS_AH_H */

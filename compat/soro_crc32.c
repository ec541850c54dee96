// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 by carry-less multiplication on kernels older than 6.14.
 *
 * Owns: the crypto transform. Must not know: what is summed.
 */
#include "soro_crc32.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)

#include <linux/err.h>
#include <linux/string.h>
#include <crypto/hash.h>

/*
 * Where a table is faster than saving the FPU state; the drivers of the crypto
 * API fall back to the table by themselves below 79 bytes.
 */
#define SHORT_BYTES	160

/* Set once before the first packet, cleared after the last. NULL: use the table. */
static struct crypto_shash *transform;

/* The context of every "crc32" driver is the CRC in CPU order; init checks its size. */
struct state {
	struct shash_desc desc;
	u32 room_for_ctx;
};

/**
 * soro_crc32() - add bytes to a CRC-32
 * @crc: state; neither it nor the result is inverted
 * @data: bytes to add
 * @len: how many
 *
 * Context: any but hard interrupt.
 * Return: the new state.
 */
u32 soro_crc32(u32 crc, const void *data, size_t len)
{
	struct state state;
	u32 *ctx;

	if (len < SHORT_BYTES || !transform)
		return crc32_le(crc, data, len);

	state.desc.tfm = transform;
	ctx = shash_desc_ctx(&state.desc);
	*ctx = crc;
	if (crypto_shash_update(&state.desc, data, len))
		return crc32_le(crc, data, len);
	return *ctx;
}

/**
 * soro_crc32_init() - look for a CRC-32 faster than the table
 *
 * Cannot fail: without one, soro_crc32() is crc32_le().
 *
 * Context: process, may sleep and load a module. Before any soro_crc32().
 */
void soro_crc32_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("crc32", 0, 0);

	if (IS_ERR(tfm))
		return;
	/* The generic driver is crc32_le() behind an indirect call. */
	if (crypto_shash_descsize(tfm) != sizeof(u32) ||
	    !strcmp(crypto_shash_driver_name(tfm), "crc32-generic")) {
		crypto_free_shash(tfm);
		return;
	}
	transform = tfm;
}

/**
 * soro_crc32_exit() - undo soro_crc32_init()
 *
 * Context: process. After the last soro_crc32().
 */
void soro_crc32_exit(void)
{
	struct crypto_shash *tfm = transform;

	transform = NULL;
	if (tfm)
		crypto_free_shash(tfm);
}

#endif

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of work requests as providers of all ages, and liars, write them. */
#include <kunit/test.h>
#include "wqe.h"

#define MAX_SGE		4
#define MAX_INLINE	64

struct send_copy {
	struct soro_abi_send_wqe wqe;
	struct soro_abi_sge sge[MAX_SGE];
};

struct recv_copy {
	struct soro_abi_recv_wqe wqe;
	struct soro_abi_sge sge[MAX_SGE];
};

static struct send_copy *make_send(struct kunit *test, u32 opcode, u32 flags)
{
	struct send_copy *copy = kunit_kzalloc(test, sizeof(*copy), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	copy->wqe.wr.wr_id = 0x1122334455667788ULL;
	copy->wqe.wr.opcode = opcode;
	copy->wqe.wr.flags = flags;
	return copy;
}

static int decode(const struct send_copy *copy, struct soro_send_desc *out)
{
	return soro_wqe_decode_send(copy, sizeof(*copy), MAX_SGE, MAX_INLINE, out);
}

static void sges_are_summed_here(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_WRITE_IMM, SORO_ABI_SIGNALED);
	struct soro_send_desc out;

	copy->wqe.wr.imm_data = cpu_to_be32(0xa5b6c7d8);
	copy->wqe.wr.rdma.remote_addr = 0xffff00001234ULL;
	copy->wqe.wr.rdma.rkey = 99;
	copy->wqe.dma.num_sge = 3;
	copy->wqe.dma.length = 17;
	copy->sge[0] = (struct soro_abi_sge){ 0x1000, U32_MAX, 7 };
	copy->sge[1] = (struct soro_abi_sge){ 0x2000, 1, 8 };
	copy->sge[2] = (struct soro_abi_sge){ 0x3000, 0, 9 };

	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_EQ(test, out.wr_id, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, out.opcode, (u32)SORO_ABI_OP_WRITE_IMM);
	KUNIT_EXPECT_EQ(test, out.flags, (u32)SORO_ABI_SIGNALED);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(out.imm_data), 0xa5b6c7d8U);
	KUNIT_EXPECT_EQ(test, out.remote_addr, 0xffff00001234ULL);
	KUNIT_EXPECT_EQ(test, out.rkey, 99U);
	KUNIT_EXPECT_FALSE(test, out.inline_data);
	KUNIT_EXPECT_EQ(test, out.num_sge, 3U);
	KUNIT_EXPECT_EQ(test, out.length, 0x100000000ULL);
	KUNIT_EXPECT_EQ(test, out.sge[1].addr, 0x2000ULL);
	KUNIT_EXPECT_EQ(test, out.sge[1].length, 1U);
	KUNIT_EXPECT_EQ(test, out.sge[1].lkey, 8U);
}

static void inline_by_flag(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_SEND, SORO_ABI_INLINE);
	struct soro_send_desc out;

	/* ibv_post_send() leaves the count of the SGEs that it has copied. */
	copy->wqe.dma.num_sge = 1000;
	copy->wqe.dma.length = MAX_INLINE;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_TRUE(test, out.inline_data);
	KUNIT_EXPECT_EQ(test, out.num_sge, 0U);
	KUNIT_EXPECT_EQ(test, out.length, (u64)MAX_INLINE);
	KUNIT_EXPECT_PTR_EQ(test, out.data, (const u8 *)copy->sge);

	copy->wqe.dma.length = MAX_INLINE + 1;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);
	copy->wqe.dma.length = U32_MAX;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);
}

static void inline_by_length(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_WRITE, 0);
	struct soro_send_desc out;

	copy->wqe.dma.length = 5;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_TRUE(test, out.inline_data);
	KUNIT_EXPECT_EQ(test, out.length, 5ULL);
	copy->wqe.dma.length = MAX_INLINE + 1;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);

	copy->wqe.dma.length = 0;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_FALSE(test, out.inline_data);
	KUNIT_EXPECT_EQ(test, out.length, 0ULL);
}

/* The copy may be smaller than what was granted would need. */
static void copy_bounds_everything(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_SEND, 0);
	struct soro_send_desc out;

	copy->wqe.dma.num_sge = 2;
	KUNIT_EXPECT_EQ(test, soro_wqe_decode_send(copy, sizeof(copy->wqe) + 31, MAX_SGE,
						   MAX_INLINE, &out), -EINVAL);
	KUNIT_EXPECT_EQ(test, soro_wqe_decode_send(copy, sizeof(copy->wqe) + 32, MAX_SGE,
						   MAX_INLINE, &out), 0);
	copy->wqe.dma.num_sge = 0;
	copy->wqe.dma.length = 8;
	KUNIT_EXPECT_EQ(test, soro_wqe_decode_send(copy, sizeof(copy->wqe) + 7, MAX_SGE,
						   MAX_INLINE, &out), -EINVAL);
}

static void too_many_sges(struct kunit *test)
{
	static const u32 counts[] = { MAX_SGE + 1, 0x10000001, 0x80000000, U32_MAX };
	struct send_copy *copy = make_send(test, SORO_ABI_OP_SEND, 0);
	struct soro_send_desc out;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		copy->wqe.dma.num_sge = counts[i];
		KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);
		KUNIT_EXPECT_EQ(test, out.wr_id, 0x1122334455667788ULL);
		KUNIT_EXPECT_NULL(test, out.sge);
	}
}

static void unknown_operations(struct kunit *test)
{
	static const u32 opcodes[] = { 10, 11, 12, 13, 16, 0x1f, 0x21, 0xf0, 0x80000002, U32_MAX };
	struct send_copy *copy = make_send(test, 0, SORO_ABI_SIGNALED);
	struct soro_send_desc out;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		copy->wqe.wr.opcode = opcodes[i];
		KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);
		KUNIT_EXPECT_EQ(test, out.wr_id, 0x1122334455667788ULL);
		KUNIT_EXPECT_EQ(test, out.opcode, opcodes[i]);
		KUNIT_EXPECT_EQ(test, out.flags, (u32)SORO_ABI_SIGNALED);
	}
}

static void answers_need_memory(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_READ, SORO_ABI_INLINE);
	struct soro_send_desc out;

	copy->wqe.dma.num_sge = 1;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);
	copy->wqe.wr.flags = 0;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), 0);
	copy->wqe.dma.num_sge = 0;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), 0);
	copy->wqe.dma.length = 1;
	KUNIT_EXPECT_EQ(test, decode(copy, &out), -EINVAL);
}

static void other_operands(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_CMP_SWP, SORO_ABI_FENCE);
	struct soro_send_desc out;

	copy->wqe.wr.atomic.remote_addr = 8;
	copy->wqe.wr.atomic.compare_add = 9;
	copy->wqe.wr.atomic.swap = 10;
	copy->wqe.wr.atomic.rkey = 11;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_EQ(test, out.remote_addr, 8ULL);
	KUNIT_EXPECT_EQ(test, out.compare_add, 9ULL);
	KUNIT_EXPECT_EQ(test, out.swap, 10ULL);
	KUNIT_EXPECT_EQ(test, out.rkey, 11U);

	copy = make_send(test, SORO_ABI_OP_FLUSH, 0);
	copy->wqe.dma.length = U32_MAX;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_FALSE(test, out.inline_data);
	KUNIT_EXPECT_EQ(test, out.length, (u64)U32_MAX);

	copy = make_send(test, SORO_ABI_OP_LOCAL_INV, SORO_ABI_INLINE);
	copy->wqe.wr.inv_rkey = 5;
	copy->wqe.dma.num_sge = U32_MAX;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_EQ(test, out.inv_rkey, 5U);
	KUNIT_EXPECT_EQ(test, out.num_sge, 0U);

	copy = make_send(test, SORO_ABI_OP_BIND_MW, SORO_ABI_INLINE);
	copy->wqe.wr.mw.addr = 1;
	copy->wqe.wr.mw.length = U64_MAX;
	copy->wqe.wr.mw.mr_lkey = 2;
	copy->wqe.wr.mw.mw_rkey = 3;
	copy->wqe.wr.mw.rkey = 4;
	copy->wqe.wr.mw.access = U32_MAX;
	copy->wqe.dma.num_sge = U32_MAX;
	KUNIT_ASSERT_EQ(test, decode(copy, &out), 0);
	KUNIT_EXPECT_EQ(test, out.bind_addr, 1ULL);
	KUNIT_EXPECT_EQ(test, out.bind_length, U64_MAX);
	KUNIT_EXPECT_EQ(test, out.mr_lkey, 2U);
	KUNIT_EXPECT_EQ(test, out.mw_rkey, 3U);
	KUNIT_EXPECT_EQ(test, out.new_key, 4U);
	KUNIT_EXPECT_EQ(test, out.access, -1);
	KUNIT_EXPECT_EQ(test, out.num_sge, 0U);
}

/* Its eight bytes are no inline data in the sense of the QP's limit. */
static void value_of_an_atomic_write(struct kunit *test)
{
	struct send_copy *copy = make_send(test, SORO_ABI_OP_ATOMIC_WRITE, 0);
	struct soro_send_desc out;

	copy->wqe.dma.length = 8;
	KUNIT_ASSERT_EQ(test, soro_wqe_decode_send(copy, sizeof(*copy), MAX_SGE, 0, &out), 0);
	KUNIT_EXPECT_TRUE(test, out.inline_data);
	KUNIT_EXPECT_EQ(test, out.length, 8ULL);
	copy->wqe.dma.length = 9;
	KUNIT_EXPECT_EQ(test, soro_wqe_decode_send(copy, sizeof(*copy), MAX_SGE, 64, &out),
			-EINVAL);
}

static void receives(struct kunit *test)
{
	struct recv_copy *copy = kunit_kzalloc(test, sizeof(*copy), GFP_KERNEL);
	struct soro_recv_desc out;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	copy->wqe.wr_id = 77;
	copy->wqe.reserved = 3;	/* providers before v43 */
	copy->wqe.dma.num_sge = 2;
	copy->sge[0] = (struct soro_abi_sge){ 0x1000, U32_MAX, 7 };
	copy->sge[1] = (struct soro_abi_sge){ 0x2000, U32_MAX, 8 };
	KUNIT_ASSERT_EQ(test, soro_wqe_decode_recv(copy, sizeof(*copy), MAX_SGE, &out), 0);
	KUNIT_EXPECT_EQ(test, out.wr_id, 77ULL);
	KUNIT_EXPECT_EQ(test, out.num_sge, 2U);
	KUNIT_EXPECT_EQ(test, out.length, 2ULL * U32_MAX);
	KUNIT_EXPECT_EQ(test, out.sge[1].lkey, 8U);

	copy->wqe.dma.num_sge = MAX_SGE + 1;
	KUNIT_EXPECT_EQ(test, soro_wqe_decode_recv(copy, sizeof(*copy), MAX_SGE, &out), -EINVAL);
	KUNIT_EXPECT_EQ(test, out.wr_id, 77ULL);
	copy->wqe.dma.num_sge = 2;
	KUNIT_EXPECT_EQ(test, soro_wqe_decode_recv(copy, sizeof(copy->wqe) + 31, MAX_SGE, &out),
			-EINVAL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sges_are_summed_here),
	KUNIT_CASE(inline_by_flag),
	KUNIT_CASE(inline_by_length),
	KUNIT_CASE(copy_bounds_everything),
	KUNIT_CASE(too_many_sges),
	KUNIT_CASE(unknown_operations),
	KUNIT_CASE(answers_need_memory),
	KUNIT_CASE(other_operands),
	KUNIT_CASE(value_of_an_atomic_write),
	KUNIT_CASE(receives),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_wqe",
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the opcode table against an independent transcription of
 * IBA table 38 and annexes A17 and A19: opcode, bytes of headers, headers in
 * the words of the specification.
 */
#include <kunit/test.h>
#include "opcode.h"

struct spec {
	u8 opcode;
	u8 hdr_bytes;		/* BTH included */
	bool payload;
	const char *operation;
};

static const struct spec spec[] = {
	{ 0x00, 12, 1, "RC SEND_FIRST" },
	{ 0x01, 12, 1, "RC SEND_MIDDLE" },
	{ 0x02, 12, 1, "RC SEND_LAST" },
	{ 0x03, 16, 1, "RC SEND_LAST_IMM" },
	{ 0x04, 12, 1, "RC SEND_ONLY" },
	{ 0x05, 16, 1, "RC SEND_ONLY_IMM" },
	{ 0x06, 28, 1, "RC WRITE_FIRST" },
	{ 0x07, 12, 1, "RC WRITE_MIDDLE" },
	{ 0x08, 12, 1, "RC WRITE_LAST" },
	{ 0x09, 16, 1, "RC WRITE_LAST_IMM" },
	{ 0x0a, 28, 1, "RC WRITE_ONLY" },
	{ 0x0b, 32, 1, "RC WRITE_ONLY_IMM" },
	{ 0x0c, 28, 0, "RC READ_REQUEST" },
	{ 0x0d, 16, 1, "RC READ_RESP_FIRST" },
	{ 0x0e, 12, 1, "RC READ_RESP_MIDDLE" },
	{ 0x0f, 16, 1, "RC READ_RESP_LAST" },
	{ 0x10, 16, 1, "RC READ_RESP_ONLY" },
	{ 0x11, 16, 0, "RC ACK" },
	{ 0x12, 24, 0, "RC ATOMIC_ACK" },
	{ 0x13, 40, 0, "RC CMP_SWP" },
	{ 0x14, 40, 0, "RC FETCH_ADD" },
	{ 0x16, 16, 1, "RC SEND_LAST_INV" },
	{ 0x17, 16, 1, "RC SEND_ONLY_INV" },
	{ 0x1c, 32, 0, "RC FLUSH" },
	{ 0x1d, 28, 1, "RC ATOMIC_WRITE" },
	{ 0x20, 12, 1, "UC SEND_FIRST" },
	{ 0x21, 12, 1, "UC SEND_MIDDLE" },
	{ 0x22, 12, 1, "UC SEND_LAST" },
	{ 0x23, 16, 1, "UC SEND_LAST_IMM" },
	{ 0x24, 12, 1, "UC SEND_ONLY" },
	{ 0x25, 16, 1, "UC SEND_ONLY_IMM" },
	{ 0x26, 28, 1, "UC WRITE_FIRST" },
	{ 0x27, 12, 1, "UC WRITE_MIDDLE" },
	{ 0x28, 12, 1, "UC WRITE_LAST" },
	{ 0x29, 16, 1, "UC WRITE_LAST_IMM" },
	{ 0x2a, 28, 1, "UC WRITE_ONLY" },
	{ 0x2b, 32, 1, "UC WRITE_ONLY_IMM" },
	{ 0x64, 20, 1, "UD SEND_ONLY" },
	{ 0x65, 24, 1, "UD SEND_ONLY_IMM" },
	{ 0x81, 28, 0, "CNP" },
};

static const struct spec *find(u8 opcode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spec); i++)
		if (spec[i].opcode == opcode)
			return &spec[i];
	return NULL;
}

static void table_is_complete(struct kunit *test)
{
	unsigned int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct soro_opcode_row *row = soro_opcode_row(opcode);
		const struct spec *want = find(opcode);

		KUNIT_ASSERT_EQ_MSG(test, !row, !want, "opcode 0x%02x", opcode);
		if (!row)
			continue;
		KUNIT_EXPECT_STREQ(test, row->name, want->operation);
		KUNIT_EXPECT_EQ_MSG(test, soro_opcode_hdr_bytes(row), want->hdr_bytes,
				    "opcode 0x%02x", opcode);
		KUNIT_EXPECT_EQ_MSG(test, !!(row->headers & SORO_HDR_PAYLOAD), want->payload,
				    "opcode 0x%02x", opcode);
	}
}

/* The words of the specification's names, which are not how the table is made. */
static void rows_agree_with_names(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spec); i++) {
		const char *name = spec[i].operation;
		const struct soro_opcode_row *row = soro_opcode_row(spec[i].opcode);
		unsigned int pos = strstr(name, "_FIRST") ? SORO_FIRST :
				   strstr(name, "_MIDDLE") ? SORO_MIDDLE :
				   strstr(name, "_LAST") ? SORO_LAST : SORO_ONLY;

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_EQ_MSG(test, row->pos, pos, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, row->transport, spec[i].opcode >> 5, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, !!(row->headers & SORO_HDR_IMM),
				    !!strstr(name, "_IMM"), "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, !!(row->headers & SORO_HDR_IETH),
				    !!strstr(name, "_INV"), "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, !!(row->headers & SORO_HDR_DETH),
				    row->transport == SORO_UD, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, row->response,
				    strstr(name, "RESP") || strstr(name, "ACK"), "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, !!(row->headers & SORO_HDR_AETH),
				    row->response && pos != SORO_MIDDLE, "%s", name);
	}
}

static void make_inverts_the_table(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spec); i++) {
		const struct soro_opcode_row *row = soro_opcode_row(spec[i].opcode);

		KUNIT_EXPECT_EQ_MSG(test, spec[i].opcode,
				    soro_opcode_make(row->transport, row->kind, row->pos,
						     row->headers),
				    "%s", spec[i].operation);
	}
}

static void make_refuses_the_rest(struct kunit *test)
{
	unsigned int transport, kind, pos, variant, made = 0;
	static const u16 variants[] = { 0, SORO_HDR_IMM, SORO_HDR_IETH };

	for (transport = 0; transport < 8; transport++)
		for (kind = 0; kind <= SORO_KIND_COUNT; kind++)
			for (pos = 0; pos <= SORO_ONLY + 1; pos++)
				for (variant = 0; variant < ARRAY_SIZE(variants); variant++)
					made += soro_opcode_make(transport, kind, pos,
								 variants[variant]) !=
						SORO_OPCODE_NONE;
	KUNIT_EXPECT_EQ(test, made, ARRAY_SIZE(spec));
	KUNIT_EXPECT_EQ(test, SORO_OPCODE_NONE,
			soro_opcode_make(SORO_RC, SORO_SEND, SORO_ONLY,
					 SORO_HDR_IMM | SORO_HDR_IETH));
	KUNIT_EXPECT_EQ(test, SORO_OPCODE_NONE,
			soro_opcode_make(SORO_UC, SORO_SEND, SORO_ONLY, SORO_HDR_IETH));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(table_is_complete),
	KUNIT_CASE(rows_agree_with_names),
	KUNIT_CASE(make_inverts_the_table),
	KUNIT_CASE(make_refuses_the_rest),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_opcode",
	.test_cases = cases,
};

kunit_test_suites(&suite);

// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the fault table (IBA 9.9.3, 11.6.2). */
#include <kunit/test.h>
#include "fault.h"
#include "../wire/packet.h"

/* What a NAK says must be what the requester is told. */
static void rows_agree(struct kunit *test)
{
	int fault;

	for (fault = SORO_FAULT_NONE + 1; fault < SORO_FAULTS; fault++) {
		const struct soro_fault_row *row = soro_fault_row(fault);

		KUNIT_EXPECT_EQ(test, row->syndrome & SORO_SYNDROME_KIND, SORO_SYNDROME_NAK);
		KUNIT_EXPECT_NE(test, row->syndrome & SORO_SYNDROME_VALUE, SORO_NAK_SEQUENCE);
		KUNIT_EXPECT_EQ(test, soro_fault_status(row->syndrome), row->requester);
		KUNIT_EXPECT_TRUE(test, row->clause && *row->clause);
		/* somebody at the responder hears of it: receive WQE or event */
		KUNIT_EXPECT_TRUE(test, row->responder || row->event);
	}
}

static void statuses_are_those_of_the_specification(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_ACCESS)->requester, SORO_ST_REM_ACCESS);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_ACCESS)->event, SORO_EV_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_RECV_SHORT)->requester,
			SORO_ST_REM_INV_REQ);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_RECV_SHORT)->responder, SORO_ST_LOC_LEN);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_RECV_PROT)->requester, SORO_ST_REM_OP);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_RECV_PROT)->responder, SORO_ST_LOC_PROT);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_RECV_BAD)->responder, SORO_ST_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, soro_fault_row(SORO_FAULT_READS)->requester, SORO_ST_REM_INV_REQ);
}

static void what_is_not_in_the_table(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, soro_fault_row(SORO_FAULTS), soro_fault_row(SORO_FAULT_OPCODE));
	KUNIT_EXPECT_EQ(test, soro_fault_status(SORO_SYNDROME_NAK | 4), SORO_ST_BAD_RESP);
	KUNIT_EXPECT_EQ(test, soro_fault_status(SORO_SYNDROME_NAK | 31), SORO_ST_BAD_RESP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rows_agree),
	KUNIT_CASE(statuses_are_those_of_the_specification),
	KUNIT_CASE(what_is_not_in_the_table),
	{}
};

static struct kunit_suite suite = {
	.name = "soro_fault",
	.test_cases = cases,
};

kunit_test_suites(&suite);

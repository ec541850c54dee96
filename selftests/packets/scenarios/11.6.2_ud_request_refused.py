# SPDX-License-Identifier: GPL-2.0
"""IBA 11.6.2: operations that UD has not complete in error; SQE, and no packet."""
from scenario import SOURCE

CASES = {name: name for name in ("WRITE", "WRITE_IMM", "READ", "FETCH_ADD", "CMP_SWP", "SEND_INV")}


def run(t, opcode):
    t.connect(transport="UD")
    wr = t.post(opcode, length=8, offset=SOURCE)
    t.expect_sent("LOC_QP_OP_ERR", wr_id=wr)
    t.expect_state("SQE")

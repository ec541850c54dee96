# SPDX-License-Identifier: GPL-2.0
"""IBA 11.6.2, 10.3.1: READs and atomics on UC complete in error; SQE, and RTS again."""
from scenario import SOURCE, data

CASES = {"READ": "READ", "FETCH_ADD": "FETCH_ADD", "CMP_SWP": "CMP_SWP"}


def run(t, opcode):
    t.connect(transport="UC")
    wr = t.post(opcode, length=8, offset=SOURCE, remote=(0, 1))
    t.expect_sent("LOC_QP_OP_ERR", wr_id=wr)
    t.expect_state("SQE")
    t.expect_next(0)
    t.resume()
    wr = t.post("SEND", data(8))
    t.expect_message("SEND", 0, data(8))
    t.expect_sent(wr_id=wr)

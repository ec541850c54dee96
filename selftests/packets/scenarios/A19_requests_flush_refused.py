# SPDX-License-Identifier: GPL-2.0
"""IBA A19: FLUSHes that soro does not send, and answers that are none."""
import qp
from scenario import data

CASES = {
    "no type": (0, 0, None, "LOC_QP_OP_ERR"),
    "reserved type": (5, 0, None, "LOC_QP_OP_ERR"),
    "reserved level": (1, 2, None, "LOC_QP_OP_ERR"),
    "data": (1, 0, lambda t: t.respond(0, data(8)), "BAD_RESP_ERR"),
    "the answer of an atomic": (1, 0, lambda t: t.answer_atomic(0, 5), "BAD_RESP_ERR"),
}


def run(t, case):
    kind, level, answer, status = case
    t.flushable()
    t.connect(access=qp.ALL_ACCESS)
    wr = t.post_flush((0x7000, 0x99), 8, kind, level)
    if answer:
        t.expect_request("FLUSH", 0)
        answer(t)
    t.expect_sent(status, wr_id=wr)
    t.expect_state("ERR")

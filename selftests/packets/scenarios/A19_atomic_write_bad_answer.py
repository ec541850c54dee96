# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2, A19: an ATOMIC WRITE answered with data, or with the answer of another atomic."""
from scenario import data

CASES = {
    "data": lambda t: t.respond(0, data(8)),
    "ATOMIC_ACK": lambda t: t.answer_atomic(0, 5),
}


def run(t, answer):
    t.connect()
    wr = t.post_atomic_write(data(8), (0x7000, 0x99))
    t.expect_request("ATOMIC_WRITE", 0)
    answer(t)
    t.expect_sent("BAD_RESP_ERR", wr_id=wr)
    t.expect_state("ERR")

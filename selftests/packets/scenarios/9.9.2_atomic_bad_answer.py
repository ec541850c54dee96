# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: an atomic answered with READ data, and a READ answered as an atomic: BAD_RESP_ERR."""
from scenario import data

CASES = {
    "atomic": ("FETCH_ADD", lambda t: t.respond(0, data(8))),
    "atomic, no bytes": ("FETCH_ADD", lambda t: t.respond(0, b"")),
    "READ": ("READ", lambda t: t.answer_atomic(0, 5)),
}


def run(t, case):
    kind, answer = case
    t.connect()
    wr = t.post(kind, length=8, remote=(0x7000, 0x99))
    t.expect_request("READ_REQUEST" if kind == "READ" else kind, 0)
    answer(t)
    t.expect_sent("BAD_RESP_ERR", wr_id=wr)
    t.expect_state("ERR")

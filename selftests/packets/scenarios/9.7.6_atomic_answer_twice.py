# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the answer comes twice, the second with another value: the first counts."""
from scenario import SOURCE


def run(t):
    t.connect()
    wr = t.post("FETCH_ADD", length=8, remote=(0x7000, 0x99), compare_add=5)
    t.expect_request("FETCH_ADD", 0)
    t.answer_atomic(0, 77)
    t.answer_atomic(0, 78)
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, (77).to_bytes(8, "little"))
    t.expect_dropped("stale")

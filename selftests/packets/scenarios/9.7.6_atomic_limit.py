# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: READs and atomics together are no more than max_rd_atomic."""
from scenario import SOURCE, data


def run(t):
    t.connect(rd_atomic=1)
    read = t.post("READ", length=8, remote=(0x1000, 0x55))
    atomic = t.post("FETCH_ADD", length=8, offset=SOURCE + 8, remote=(0x7000, 0x99))
    t.expect_request("READ_REQUEST", 0)
    t.expect_silence()
    t.respond(0, data(8))
    t.expect_sent(wr_id=read)
    t.expect_request("FETCH_ADD", 1)
    t.answer_atomic(1, 77)
    t.expect_sent(wr_id=atomic)
    t.expect_memory(SOURCE, data(8) + (77).to_bytes(8, "little"))

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.7.2: WRITEs, READs and atomics take no receive and wait for no credit."""
from scenario import SOURCE, data


def run(t):
    t.connect(credits=None)
    t.post("SEND", data(8), flags=0)
    write = t.post("WRITE", data(8), remote=(0x1000, 0x55))
    read = t.post("READ", length=8, remote=(0x1000, 0x55))
    atomic = t.post("FETCH_ADD", length=8, offset=SOURCE + 8, remote=(0x1000, 0x55))
    last = t.post("SEND", data(8), offset=SOURCE + 100)
    t.expect_request("SEND_ONLY", 0, ackreq=1)
    t.expect_request("WRITE_ONLY", 1)
    t.expect_request("READ_REQUEST", 2)
    t.expect_request("FETCH_ADD", 3)
    t.expect_silence()
    t.ack(1, msn=2, credits=1)
    t.expect_request("SEND_ONLY", 4, ackreq=1)
    t.respond(2, data(8, 2), msn=4)
    t.answer_atomic(3, 5, msn=4)
    t.ack(4, msn=5)
    for wr in (write, read, atomic, last):
        t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8, 2))
    t.expect_memory(SOURCE + 8, (5).to_bytes(8, "little"))

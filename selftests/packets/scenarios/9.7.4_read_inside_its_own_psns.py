# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: PSNs of a READ's response are taken: a request in the middle of them is no new one."""


def run(t):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 768))
    t.expect_read(0, t.read_memory(0, 768), msn=1)
    t.send("SEND_ONLY", 1, payload=b"1234")
    t.expect_ack(2, msn=1)
    t.expect_counters(duplicate_request=1)
    t.expect_alive(3, msn=2)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: two READs come again the other way round: each is answered with its own data."""


def run(t):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 300))
    t.expect_read(0, t.read_memory(0, 300), msn=1)
    t.send("READ_REQUEST", 2, reth=t.reth(4096, 300))
    t.expect_read(2, t.read_memory(4096, 300), msn=2)
    t.send("READ_REQUEST", 2, reth=t.reth(4096, 300))
    t.expect_read(2, t.read_memory(4096, 300), msn=2)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 300))
    t.expect_read(0, t.read_memory(0, 300), msn=2)
    t.expect_counters(duplicate_request=2)
    t.expect_alive(4, msn=3)

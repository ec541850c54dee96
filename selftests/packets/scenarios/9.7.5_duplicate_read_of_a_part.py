# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ may come again for the part whose response was lost."""


def run(t):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 1024))
    t.expect_read(0, t.read_memory(0, 1024), msn=1)
    t.send("READ_REQUEST", 2, reth=t.reth(512, 512))
    t.expect_read(2, t.read_memory(512, 512), msn=1)
    t.send("READ_REQUEST", 1, reth=t.reth(256, 256))
    t.expect_read(1, t.read_memory(256, 256), msn=1)
    t.expect_counters(duplicate_request=2)
    t.expect_alive(4, msn=2)

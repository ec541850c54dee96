# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ that comes again is executed again: it sees memory as it is now."""
from scenario import data


def run(t):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(16, 600))
    t.expect_read(0, t.read_memory(16, 600), msn=1)
    t.write_memory(16, data(600))
    t.send("READ_REQUEST", 0, reth=t.reth(16, 600))
    t.expect_read(0, data(600), msn=1)
    t.expect_counters(duplicate_request=1)
    t.expect_alive(3, msn=2)

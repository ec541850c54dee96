# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a WRITE behind a READ, sent before the READ was answered in full."""
from scenario import data


def run(t):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(8192, 600))
    t.send("WRITE_ONLY", 3, payload=data(8), reth=t.reth(0, 8))
    t.expect_read(0, t.read_memory(8192, 600))
    t.expect_ack(3, msn=2)
    t.expect_memory(0, data(8))

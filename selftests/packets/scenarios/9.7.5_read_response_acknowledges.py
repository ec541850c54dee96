# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ response acknowledges what came before the READ: no ACK of its own."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ackreq=0)
    t.expect_memory(0, data(8))
    t.send("READ_REQUEST", 1, reth=t.reth(0, 8))
    t.expect_read(1, data(8), msn=2)

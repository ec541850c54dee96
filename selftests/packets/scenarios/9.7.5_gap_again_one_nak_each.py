# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: when the expected PSN came after a NAK, the next gap gets a NAK of its own."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, reth=(0, 0, 0))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send("WRITE_ONLY", 0, payload=data(4), reth=t.reth(0, 4))
    t.expect_ack(1, msn=2)
    t.expect_memory(0, data(4))
    t.send("WRITE_ONLY", 4, reth=(0, 0, 0))
    t.expect_nak("SEQUENCE", 2, msn=2)
    t.expect_counters(held_trains=2)

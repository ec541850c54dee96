# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ beyond a gap is not answered before the gap is filled: NAK."""


def run(t):
    t.connect()
    t.send("READ_REQUEST", 2, reth=t.reth(1000, 100))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_silence()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 300))
    t.expect_read(0, t.read_memory(0, 300))
    t.expect_read(2, t.read_memory(1000, 100))
    t.expect_counters(held_trains=1)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5: one NAK for a gap; what else comes ahead of the expected PSN is kept, or
dropped if it is kept already.
"""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, payload=data(8), reth=t.reth(0, 8))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send("WRITE_ONLY", 2, payload=data(8), reth=t.reth(0, 8))
    t.send("WRITE_ONLY", 1, payload=data(8), reth=t.reth(0, 8))
    t.expect_dropped("sequence")
    t.expect_counters(held_trains=2)

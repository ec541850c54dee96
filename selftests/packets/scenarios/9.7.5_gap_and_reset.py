# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: what was kept beyond a gap does not survive RESET."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, payload=data(8), reth=t.reth(0, 8))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    for state in ("RESET", "INIT", "RTR", "RTS"):
        t.modify(state)
    t.expect_alive(0, msn=1)

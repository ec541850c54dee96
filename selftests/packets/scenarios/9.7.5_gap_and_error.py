# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: what was kept beyond a gap is not executed after the QP went to ERR."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, payload=data(8), reth=t.reth(0, 8))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    t.modify("ERR")
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_dropped("qp_state")

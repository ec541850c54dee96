# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5: the gap is filled: what was kept is executed and acknowledged with it; when
the peer sends it again all the same, it is a duplicate.
"""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, payload=data(8, 9), reth=t.reth(8, 8))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ackreq=0)
    t.expect_ack(1, msn=2)
    t.expect_memory(0, data(8) + data(8, 9))
    t.send("WRITE_ONLY", 1, payload=data(8, 2), reth=t.reth(8, 8))
    t.expect_ack(1, msn=2)
    t.expect_counters(duplicate_request=1)

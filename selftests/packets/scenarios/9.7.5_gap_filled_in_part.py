# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: two gaps: the first is filled, and the NAK for the second comes by itself."""
from scenario import data


def run(t):
    t.connect()
    for psn in (1, 3):
        t.send("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send("WRITE_ONLY", 0, payload=data(8, 0), reth=t.reth(0, 8))
    t.expect_nak("SEQUENCE", 2, msn=2)
    t.send("WRITE_ONLY", 2, payload=data(8, 2), reth=t.reth(16, 8))
    t.expect_ack(3, msn=4)
    t.expect_memory(0, b"".join(data(8, psn) for psn in range(4)))
    t.expect_counters(held_trains=2)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: while it waits for the end of a gap, the responder acknowledges duplicates."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8))
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(8))
    t.send("WRITE_ONLY", 2, payload=data(8), reth=t.reth(0, 8))
    t.expect_nak("SEQUENCE", 1, msn=1)
    t.send("WRITE_ONLY", 0, payload=data(8, 2), reth=t.reth(0, 8))
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)
    t.send("WRITE_ONLY", 2, payload=data(8), reth=t.reth(0, 8))
    t.expect_dropped("sequence")
    t.expect_counters(held_trains=1)

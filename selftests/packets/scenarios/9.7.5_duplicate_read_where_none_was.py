# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ at the PSN of a WRITE that was executed is no duplicate of anything."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_ack(0)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8))
    t.expect_dropped("duplicate_bad")
    t.expect_counters(duplicate_request=1)
    t.expect_alive(1, msn=2)

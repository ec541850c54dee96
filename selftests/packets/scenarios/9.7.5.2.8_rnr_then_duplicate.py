# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: after an RNR NAK duplicates are acknowledged."""


def run(t):
    t.connect()
    t.expect_alive(0, msn=1)
    t.send("SEND_ONLY", 1)
    t.expect_rnr(1, msn=1)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

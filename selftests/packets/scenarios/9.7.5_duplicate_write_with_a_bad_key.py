# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a duplicate is not executed, so its key is not looked at."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_ack(0, msn=1)
    t.send("WRITE_ONLY", 0, payload=b"12345678", reth=t.reth(0, 8, key=0xbad))
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

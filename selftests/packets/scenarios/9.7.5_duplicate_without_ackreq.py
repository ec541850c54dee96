# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a duplicate is acknowledged whether it asks or not: its first ACK may be lost."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_ack(0, msn=1)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), ackreq=0)
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a WRITE at a PSN of a READ that was executed is acknowledged, not executed."""
from scenario import data


def run(t):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8))
    t.expect_read(0, t.read_memory(0, 8))
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8))
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a WRITE that comes again does not overwrite what the application has written."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(40), reth=t.reth(8, 40))
    t.expect_ack(0, msn=1)
    t.expect_memory(8, data(40))
    t.write_memory(8, data(40, 3))
    t.send("WRITE_ONLY", 0, payload=data(40), reth=t.reth(8, 40))
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

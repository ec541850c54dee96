# SPDX-License-Identifier: GPL-2.0
"""IBA A19: an ATOMIC WRITE that comes again is answered and not executed."""
from scenario import data


def run(t):
    t.connect()
    t.send("ATOMIC_WRITE", 0, payload=data(8), reth=t.reth(64, 8))
    t.expect_read(0, b"", msn=1)
    t.expect_memory(64, data(8))
    t.write_memory(64, data(8, 2))
    t.send("ATOMIC_WRITE", 0, payload=data(8), reth=t.reth(64, 8))
    t.expect_read(0, b"", msn=1)
    t.expect_counters(duplicate_request=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA A19: ATOMIC WRITE: eight bytes in place; the answer is READ data of no bytes."""
from scenario import data


def run(t):
    t.connect()
    t.send("ATOMIC_WRITE", 0, payload=data(8), reth=t.reth(64, 8))
    t.expect_read(0, b"", msn=1)
    t.expect_memory(64, data(8))
    t.expect_alive(1, msn=2)

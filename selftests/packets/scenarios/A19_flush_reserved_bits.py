# SPDX-License-Identifier: GPL-2.0
"""IBA A19: the reserved bits of a FETH are ignored."""
import qp


def run(t):
    key = t.flushable()
    t.connect(access=qp.ALL_ACCESS | qp.FLUSH_GLOBAL)
    t.send("FLUSH", 0, feth=0xffffffc1, reth=t.reth(64, 8, key=key))
    t.expect_read(0, b"", msn=1)
    t.expect_alive(1, msn=2)

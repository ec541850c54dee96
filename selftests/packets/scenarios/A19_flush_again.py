# SPDX-License-Identifier: GPL-2.0
"""IBA A19, 9.7.5: a FLUSH that comes again is answered; another one in its place is not."""
import qp


def run(t):
    key = t.flushable()
    t.connect(access=qp.ALL_ACCESS | qp.FLUSH_GLOBAL)
    t.send("FLUSH", 0, feth=1, reth=t.reth(64, 8, key=key))
    t.expect_read(0, b"", msn=1)
    t.send("FLUSH", 0, feth=1, reth=t.reth(64, 8, key=key))
    t.expect_read(0, b"", msn=1)
    t.expect_counters(duplicate_request=1)
    t.send("FLUSH", 0, feth=1, reth=t.reth(72, 8, key=key))
    t.expect_counters(duplicate_request=1)
    t.expect_dropped("duplicate_bad")
    t.expect_alive(1, msn=2)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: PSN first: a bad key beyond a gap is a gap, and an access error in its turn."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, payload=b"1234", reth=t.reth(0, 4, key=0xdead))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_fatal("ACCESS", 1, "QP_ACCESS_ERR", msn=1)

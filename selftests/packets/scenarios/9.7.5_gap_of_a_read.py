# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ beyond a gap is not answered; NAK."""


def run(t):
    t.connect()
    t.send("READ_REQUEST", 1, reth=t.reth(0, 100))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 100))
    t.expect_read(0, t.read_memory(0, 100), msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: a gap that begins before the wrap of PSNs and ends behind it, filled bit by bit: one NAK."""


def run(t):
    t.connect(rq_psn=0xfffffe)
    t.send("WRITE_ONLY", 3, reth=(0, 0, 0))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    for psn in (0, 1):
        t.send("WRITE_ONLY", psn, reth=(0, 0, 0))
        t.expect_ack(psn, msn=psn + 1)
    t.send("WRITE_ONLY", 2, reth=(0, 0, 0))
    t.expect_ack(3, msn=4)

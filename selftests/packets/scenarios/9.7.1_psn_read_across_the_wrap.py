# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: a READ takes as many PSNs as its response has packets, over the wrap too."""


def run(t):
    t.connect(rq_psn=0xffffff)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 700))
    t.expect_read(0, t.read_memory(0, 700), msn=1)
    t.expect_alive(3, msn=2)

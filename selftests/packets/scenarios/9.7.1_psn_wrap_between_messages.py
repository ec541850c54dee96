# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: PSN 0 follows PSN 0xffffff."""
from scenario import data


def run(t):
    t.connect(rq_psn=0xffffff)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8))
    t.expect_ack(0, msn=1)
    t.send("WRITE_ONLY", 1, payload=data(8, 2), reth=t.reth(100, 8))
    t.expect_ack(1, msn=2)
    t.expect_memory(0, data(8))
    t.expect_memory(100, data(8, 2))

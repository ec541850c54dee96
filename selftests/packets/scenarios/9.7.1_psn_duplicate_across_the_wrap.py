# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: a duplicate from before the wrap of PSNs is a duplicate."""
from scenario import data


def run(t):
    t.connect(rq_psn=0xffffff)
    for psn in (0, 1):
        t.send("WRITE_ONLY", psn, payload=data(8), reth=t.reth(0, 8))
        t.expect_ack(psn)
    t.expect_memory(0, data(8))
    t.send("WRITE_ONLY", 0, payload=data(8, 2), reth=t.reth(0, 8))
    t.expect_ack(1, msn=2)
    t.expect_counters(duplicate_request=1)

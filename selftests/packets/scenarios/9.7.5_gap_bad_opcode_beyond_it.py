# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: a packet out of sequence beyond a gap is judged when its turn comes."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_MIDDLE", 1, payload=data(256))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_fatal("INVALID", 1, "QP_REQ_ERR", msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: a SEND that was kept finds no receive when its turn comes: RNR NAK."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.send("SEND_ONLY", 1, payload=data(8, 1))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(8, 0))
    t.expect_rnr(1, msn=1)
    t.expect_memory(LANDING, data(8, 0))
    t.expect_recv(byte_len=8)
    t.expect_counters(held_trains=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: a SEND without a receive: RNR NAK; when it comes again, it is executed."""
from scenario import LANDING, data


def run(t):
    t.connect(min_rnr_timer=14)
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_rnr(0, timer=14, msn=0)
    recv = t.post_recv(100)
    t.expect_silence()
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, data(8))
    t.expect_recv(wr_id=recv, byte_len=8)

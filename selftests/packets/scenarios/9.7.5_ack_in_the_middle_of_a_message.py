# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: AckReq may be set in any packet of a message: it is acknowledged up to there."""
from scenario import LANDING, data


def run(t):
    t.connect()
    recv = t.post_recv(1024)
    t.send("SEND_FIRST", 0, payload=data(256, 1), ackreq=1)
    t.expect_ack(0, msn=0)
    t.send("SEND_MIDDLE", 1, payload=data(256, 2), ackreq=1)
    t.expect_ack(1, msn=0)
    t.send("SEND_LAST", 2, payload=data(256, 3))
    t.expect_ack(2, msn=1)
    t.expect_memory(LANDING, data(256, 1) + data(256, 2) + data(256, 3))
    t.expect_recv(wr_id=recv, byte_len=768)

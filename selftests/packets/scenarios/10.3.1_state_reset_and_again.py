# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: from RESET a QP starts anew: old PSNs mean nothing, an open message is forgotten."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(1000)
    t.send("SEND_FIRST", 0, payload=data(256), ackreq=1)
    t.expect_ack(0, msn=0)
    t.expect_memory(LANDING, data(256))
    for state in ("RESET", "INIT", "RTR", "RTS"):
        t.modify(state)
    recv = t.post_recv(100, LANDING + 1000)
    t.send("SEND_ONLY", 0, payload=data(8, 2))
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING + 1000, data(8, 2))
    t.expect_recv(wr_id=recv, byte_len=8)

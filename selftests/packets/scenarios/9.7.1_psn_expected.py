# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: the request with the expected PSN is executed and acknowledged."""
from scenario import LANDING, data


def run(t):
    t.connect()
    recv = t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(50))
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, data(50))
    t.expect_recv(wr_id=recv, byte_len=50)

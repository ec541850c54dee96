# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a SEND that comes again is acknowledged, and takes no second receive."""
from scenario import LANDING, data


def run(t):
    t.connect()
    recv = t.post_recv(100)
    t.post_recv(100, LANDING + 200)
    t.send("SEND_ONLY", 0, payload=data(50))
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, data(50))
    t.expect_recv(wr_id=recv, byte_len=50)
    t.send("SEND_ONLY", 0, payload=data(50, 2))
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

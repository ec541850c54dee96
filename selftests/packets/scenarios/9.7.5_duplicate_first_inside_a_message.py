# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: the FIRST comes again while its message is under way: the message goes on."""
from scenario import LANDING, data


def run(t):
    t.connect()
    recv = t.post_recv(1024)
    t.send("SEND_FIRST", 0, payload=data(256, 1))
    t.send("SEND_MIDDLE", 1, payload=data(256, 2))
    t.send("SEND_FIRST", 0, payload=data(256, 9))
    t.expect_ack(1, msn=0)
    t.expect_counters(duplicate_request=1)
    t.send("SEND_LAST", 2, payload=data(100, 3))
    t.expect_ack(2, msn=1)
    t.expect_memory(LANDING, data(256, 1) + data(256, 2) + data(100, 3))
    t.expect_recv(wr_id=recv, byte_len=612)

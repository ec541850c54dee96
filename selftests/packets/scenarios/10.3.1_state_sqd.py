# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: in SQD requests of the peer are executed as ever."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.modify("SQD")
    t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, data(8))
    t.expect_recv(byte_len=8)
    t.resume()
    t.expect_alive(1, msn=2)

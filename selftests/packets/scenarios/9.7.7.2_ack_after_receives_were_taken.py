# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: MSN and credits are of one moment: what a message has taken counts no more once
the message is complete, and until then it does.
"""
from scenario import LANDING, data


def run(t):
    t.connect()
    for _ in range(3):
        t.post_recv(1000)
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_ack(0, msn=1, credits=2)
    t.expect_memory(LANDING, data(8))
    t.send("SEND_FIRST", 1, payload=data(256), ackreq=1)
    t.expect_ack(1, msn=1, credits=2)
    t.send("SEND_LAST", 2, payload=data(8, 2))
    t.expect_ack(2, msn=2, credits=1)
    t.expect_memory(LANDING, data(256) + data(8, 2))
    t.send("WRITE_ONLY_IMM", 3, reth=(0, 0, 0), imm=1)
    t.expect_ack(3, msn=3, credits=0)
    t.expect_recv(byte_len=8)
    t.expect_recv(byte_len=264)
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=1)
    t.send("SEND_ONLY", 3, payload=data(8))         # a duplicate tells what is there now
    t.expect_ack(3, msn=3, credits=0)
    t.post_recv(1000)
    t.send("SEND_ONLY", 3, payload=data(8))
    t.expect_ack(3, msn=3, credits=1)
    t.expect_counters(duplicate_request=2)

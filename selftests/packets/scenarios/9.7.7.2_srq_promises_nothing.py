# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: ACKs and answers of a QP with an SRQ carry the code of no limit, whatever is in the
queue; a SEND that finds it empty is told to wait.
"""
from scenario import LANDING, data


def run(t):
    t.connect(srq=True)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_ack(0, msn=1)
    t.send("SEND_ONLY", 1, payload=data(8))
    t.expect_rnr(1, msn=1)
    for _ in range(3):
        t.post_recv(1000)
    t.send("SEND_ONLY", 1, payload=data(8))
    t.expect_ack(1, msn=2)
    t.expect_memory(LANDING, data(8))
    t.expect_recv(byte_len=8)
    t.send("READ_REQUEST", 2, reth=t.reth(0, 300))
    t.expect_read(2, t.read_memory(0, 300), msn=3)
    t.send("SEND_FIRST", 4, payload=data(256), ackreq=1)
    t.expect_ack(4, msn=3)
    t.send("SEND_LAST", 5, payload=data(8, 2))
    t.expect_ack(5, msn=4)
    t.expect_memory(LANDING, data(256) + data(8, 2))
    t.expect_recv(byte_len=264)
    t.send("WRITE_ONLY_IMM", 6, reth=(0, 0, 0), imm=1)
    t.expect_ack(6, msn=5)
    t.expect_recv(byte_len=0, opcode="RECV_RDMA_WITH_IMM", imm=1)

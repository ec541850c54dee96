# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: a WRITE with immediate data without a receive: RNR NAK, nothing is placed."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY_IMM", 0, payload=data(8), reth=t.reth(0, 8), imm=3)
    t.expect_rnr(0, msn=0)
    t.expect_no_completion()
    t.post_recv(0)
    t.send("WRITE_ONLY_IMM", 0, payload=data(8), reth=t.reth(0, 8), imm=3)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(8))
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=3, byte_len=8)

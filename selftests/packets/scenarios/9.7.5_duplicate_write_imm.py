# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a WRITE with immediate data that comes again takes no second receive."""
from scenario import data


def run(t):
    t.connect()
    t.post_recv(0)
    t.post_recv(0)
    t.send("WRITE_ONLY_IMM", 0, payload=data(12), reth=t.reth(0, 12), imm=77)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(12))
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=77, byte_len=12)
    t.send("WRITE_ONLY_IMM", 0, payload=data(12), reth=t.reth(0, 12), imm=77)
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

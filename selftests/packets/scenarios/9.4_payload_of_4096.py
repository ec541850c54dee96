# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4: the longest packet that there is."""
from scenario import data


def run(t):
    t.connect(pmtu=4096)
    t.post_recv(0)
    t.send("WRITE_ONLY_IMM", 0, payload=data(4096), reth=t.reth(0, 4096), imm=1)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(4096))
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=1, byte_len=4096)

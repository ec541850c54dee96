# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: SE counts in a WRITE with immediate data, whose receive it solicits."""
from scenario import data


def run(t):
    t.connect()
    t.post_recv(0)
    t.qp.arm(True)
    t.send("WRITE_ONLY_IMM", 0, payload=data(4), reth=t.reth(0, 4), imm=5, se=1)
    t.expect_ack(0)
    t.expect_memory(0, data(4))
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=5)
    t.until(t.qp.cq_event, lambda: "no event with SE")

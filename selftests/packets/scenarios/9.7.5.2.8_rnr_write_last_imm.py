# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: only the LAST of a WRITE with immediate data needs the receive."""
from scenario import data


def run(t):
    t.connect()
    t.send_message("WRITE", 0, data(600), offset=0, imm=4)
    t.expect_rnr(2, msn=0)
    t.expect_memory(0, data(600)[:512])
    t.post_recv(0)
    t.send("WRITE_LAST_IMM", 2, payload=data(600)[512:], imm=4)
    t.expect_ack(2, msn=1)
    t.expect_memory(0, data(600))
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=4, byte_len=600)

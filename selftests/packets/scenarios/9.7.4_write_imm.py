# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.7.4: a WRITE with immediate data takes a receive and leaves its buffer alone."""
from scenario import data

CASES = {"ONLY": 100, "LAST": 700}


def run(t, length):
    t.connect()
    recv = t.post_recv(1000)
    n = t.send_message("WRITE", 0, data(length), offset=0, imm=0xa1b2c3d4)
    t.expect_ack(n - 1, msn=1)
    t.expect_memory(0, data(length))
    t.expect_recv(wr_id=recv, opcode="RECV_RDMA_WITH_IMM", imm=0xa1b2c3d4, byte_len=length)

# SPDX-License-Identifier: GPL-2.0
"""IBA C9-88: neither key nor address of a request of zero bytes are looked at."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0xdeadbeefdeadbeef, 0xffffffff, 0))
    t.expect_ack(0, msn=1)
    t.send("READ_REQUEST", 1, reth=((1 << 64) - 1, 0, 0))
    t.expect_read(1, b"", msn=2)
    t.post_recv(0)
    t.send("WRITE_ONLY_IMM", 2, reth=(0xdeadbeefdeadbeef, 0xffffffff, 0), imm=9)
    t.expect_ack(2, msn=3)
    t.expect_recv(opcode="RECV_RDMA_WITH_IMM", imm=9, byte_len=0)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.8.2: immediate data of SENDs and WRITEs, of one packet and of several."""
from scenario import LANDING, REMOTE, data

CASES = {f"{kind} of {length}": (kind, length)
         for kind in ("SEND", "WRITE") for length in (0, 8, 600)}


def run(t, case):
    kind, length = case
    t.connect(transport="UC")
    recv = t.post_recv(1000)
    t.send_message(kind, 0, data(length), offset=REMOTE, imm=0x01020304)
    t.expect_memory(LANDING if kind == "SEND" else REMOTE, data(length))
    t.expect_recv(wr_id=recv, byte_len=length, imm=0x01020304,
                  opcode="RECV" if kind == "SEND" else "RECV_RDMA_WITH_IMM")

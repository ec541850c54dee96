# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.1: what soro sends on UC: packets in order, no AckReq; done when sent."""
import qp
from scenario import data

CASES = {
    "SEND": ("SEND", 8, None, 0), "long SEND": ("SEND", 1000, None, 0),
    "SEND with immediate": ("SEND", 600, 0xcafef00d, 1), "WRITE": ("WRITE", 600, None, 0),
    "WRITE with immediate": ("WRITE", 8, 7, 1), "of nothing": ("SEND", 0, None, 0),
}


def run(t, case):
    kind, length, imm, se = case
    t.connect(transport="UC", sq_psn=0xffffff)
    wr = t.post(kind + ("_IMM" if imm is not None else ""), data(length), remote=(0x4000, 0x77),
                imm=imm or 0, flags=qp.SIGNALED | se * qp.SOLICITED)
    n = t.expect_message(kind, 0, data(length), reth=(0x4000, 0x77, length), imm=imm, se=se)
    t.expect_sent(wr_id=wr, opcode=kind)
    wr = t.post("SEND", data(4, 2))
    t.expect_message("SEND", n, data(4, 2))
    t.expect_sent(wr_id=wr)

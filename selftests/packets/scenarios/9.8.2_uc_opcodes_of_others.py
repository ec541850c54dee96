# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: opcodes of RC and UD, requests and responses, to a UC QP."""
from scenario import data

CASES = {
    "RC SEND_ONLY": ("SEND_ONLY", {"payload": data(8)}),
    "RC READ_REQUEST": ("READ_REQUEST", {"reth": (0, 0, 8)}),
    "RC ACK": ("ACK", {"aeth": (0x1f, 1)}),
    "RC NAK": ("ACK", {"aeth": (0x60, 0)}),
    "UD SEND_ONLY": ("UD_SEND_ONLY", {"payload": data(8)}),
}


def run(t, case):
    opcode, fields = case
    t.connect(transport="UC")
    t.post_recv()
    t.send(opcode, 0, **fields)
    t.expect_dropped("qp_type")
    t.expect_next(0, receive=False)

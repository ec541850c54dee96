# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: opcodes of RC and UC, requests and responses, to a UD QP."""
from scenario import data

CASES = {
    "RC SEND_ONLY": ("SEND_ONLY", {"payload": data(8)}),
    "RC WRITE_ONLY": ("WRITE_ONLY", {"payload": data(8), "reth": (0, 0, 8)}),
    "RC READ_REQUEST": ("READ_REQUEST", {"reth": (0, 0, 8)}),
    "RC ACK": ("ACK", {"aeth": (0x1f, 1)}),
    "RC ATOMIC_ACK": ("ATOMIC_ACK", {}),
    "UC SEND_ONLY": ("UC_SEND_ONLY", {"payload": data(8)}),
    "UC WRITE_ONLY": ("UC_WRITE_ONLY", {"payload": data(8), "reth": (0, 0, 8)}),
}


def run(t, case):
    opcode, fields = case
    t.connect(transport="UD")
    t.post_recv()
    t.send(opcode, 0, **fields)
    t.expect_dropped("qp_type")
    t.expect_next(1, receive=False)

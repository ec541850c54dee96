# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a valid opcode of a service that is not the QP's is dropped."""
from scenario import data

CASES = {
    "UC SEND_ONLY": (0x24, {"payload": data(8)}),
    "UC WRITE_ONLY": (0x2a, {"payload": data(8)}),
    "UD SEND_ONLY": (0x64, {"payload": data(8), "deth": (0x1234, 5)}),
}


def run(t, case):
    opcode, fields = case
    t.connect()
    t.post_recv()
    t.send(opcode, 0, **fields)
    t.expect_dropped("qp_type")
    t.expect_alive(0, msn=1)

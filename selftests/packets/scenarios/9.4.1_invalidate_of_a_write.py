# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: no opcode ends a WRITE with invalidate: out of sequence."""
from scenario import data


def run(t):
    t.connect()
    window = t.window()
    t.send("WRITE_FIRST", 0, payload=data(256), reth=t.reth(0, 264))
    t.expect_memory(0, data(256))
    t.send("SEND_LAST_INV", 1, payload=data(8), ieth=window.key)
    t.expect_fatal("INVALID", 1, "QP_REQ_ERR", msn=0)

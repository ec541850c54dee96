# SPDX-License-Identifier: GPL-2.0
"""IBA table 38: UC has no SEND with invalidate: the opcode is reserved, nothing is invalidated."""
import qp
from scenario import data


def run(t):
    t.connect(transport="UC", access=qp.LOCAL_WRITE | qp.REMOTE_WRITE)
    window = t.window()
    t.post_recv()
    t.send(0x37, 0, payload=data(8), ieth=window.key)
    t.expect_dropped("opcode")
    t.send("UC_WRITE_ONLY", 0, payload=data(64), reth=t.reth(100, 64, key=window.key))
    t.expect_memory(100, data(64))

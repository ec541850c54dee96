# SPDX-License-Identifier: GPL-2.0
"""
IBA 10.3.1, 11.6.3.5: a QP in error flushes the receive that it took from the SRQ, leaves the
others there, and says that it takes no more.
"""
from scenario import LANDING, data

CASES = {"RC": ("RC", "SEND_FIRST"), "UC": ("UC", "UC_SEND_FIRST"), "nothing taken": ("RC", None)}


def run(t, case):
    transport, opcode = case
    t.connect(srq=True, transport=transport)
    taken = t.post_recv(1000)
    t.post_recv(1000)
    if opcode:
        t.send(opcode, 0, payload=data(256))
        t.expect_memory(LANDING, data(256))
        t.expect_silence()
    t.modify("ERR")
    if opcode:
        t.expect_recv("WR_FLUSH_ERR", wr_id=taken)
    t.expect_event("QP_LAST_WQE_REACHED")
    t.expect_no_completion()

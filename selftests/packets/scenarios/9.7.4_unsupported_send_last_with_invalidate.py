# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the same in the LAST of a message whose receive is in hand."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv()
    t.send("SEND_FIRST", 0, payload=data(256))
    t.expect_memory(LANDING, data(256))
    t.send("SEND_LAST_INV", 1, payload=data(8), ieth=t.key)
    t.expect_fatal("INVALID", 1, "QP_REQ_ERR", msn=0, recv="REM_INV_REQ_ERR")

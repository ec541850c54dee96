# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.1: the same in the LAST of a message, whose data is there already."""
from scenario import LANDING, data


def run(t):
    t.connect()
    recv = t.post_recv()
    t.send("SEND_FIRST", 0, payload=data(256), ackreq=0)
    t.expect_memory(LANDING, data(256))
    t.send("SEND_LAST_INV", 1, payload=b"\0" * 8, ieth=t.key)
    t.expect_fatal("ACCESS", 1, "QP_ACCESS_ERR", msn=0)
    t.expect_memory(LANDING + 256, b"\0" * 8)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)

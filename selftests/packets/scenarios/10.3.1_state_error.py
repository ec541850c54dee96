# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: in ERR nothing is received nor answered; receives are flushed."""


def run(t):
    t.connect()
    recv = t.post_recv()
    t.modify("ERR")
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)
    t.send("SEND_ONLY", 0, payload=b"1234")
    t.send("READ_REQUEST", 1, reth=t.reth(0, 8))
    t.ack(0)
    t.expect_dropped("qp_state", 3)

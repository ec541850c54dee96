# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: SEND with invalidate, which soro has not: invalid request; the key stays valid."""
from scenario import data


def run(t):
    t.connect()
    recv = t.post_recv()
    t.send("SEND_ONLY_INV", 0, payload=data(8), ieth=t.key)
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: what only goes on with a message comes where none is under way."""
from scenario import data

CASES = {name: name for name in (
    "SEND_MIDDLE", "SEND_LAST", "SEND_LAST_IMM", "SEND_LAST_INV", "WRITE_MIDDLE", "WRITE_LAST",
    "WRITE_LAST_IMM")}


def run(t, name):
    t.connect()
    recv = t.post_recv()
    t.send(name, 0, payload=data(256))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: a WRITE with immediate data and a bad key: access error; the receive is flushed."""
from scenario import data


def run(t):
    t.connect()
    recv = t.post_recv()
    t.send("WRITE_ONLY_IMM", 0, payload=data(8), reth=t.reth(0, 8, key=0xbad), imm=1)
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3: a fatal NAK of the responder half flushes what the requester half had under way."""


def run(t):
    t.connect()
    recv = t.post_recv()
    wr = t.post("SEND", b"hello")
    t.expect_request("SEND_ONLY", 0)
    t.send("WRITE_ONLY", 0, payload=b"1234", reth=t.reth(0, 4, key=0xbad))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)
    t.expect_sent("WR_FLUSH_ERR", wr_id=wr)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)

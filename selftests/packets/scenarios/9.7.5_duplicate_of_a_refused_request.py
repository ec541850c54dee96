# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3: after a fatal NAK the QP is in error: the request that comes again gets no answer."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=b"1234", reth=t.reth(0, 4, key=0xbad))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)
    t.send("WRITE_ONLY", 0, payload=b"1234", reth=t.reth(0, 4, key=0xbad))
    t.expect_dropped("qp_state")

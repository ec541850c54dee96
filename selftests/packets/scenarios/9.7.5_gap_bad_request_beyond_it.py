# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: PSN first: a request with a bad key beyond a gap is a gap, no access error."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 5, payload=b"1234", reth=t.reth(0, 4, key=0xdead))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_alive(0, msn=1)

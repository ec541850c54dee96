# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3: what came before a refused request stands, and its NAK acknowledges it."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ackreq=0)
    t.send("WRITE_ONLY", 1, payload=data(8), reth=t.reth(0, 8, key=0xbad))
    t.expect_fatal("ACCESS", 1, "QP_ACCESS_ERR", msn=1)
    t.expect_memory(0, data(8))

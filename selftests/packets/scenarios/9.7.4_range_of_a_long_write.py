# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: a WRITE announces more than the region has: refused at its FIRST, nothing placed."""
from scenario import SMALL, SMALL_BYTES, data


def run(t):
    t.connect()
    t.send("WRITE_FIRST", 0, payload=data(256),
           reth=t.reth(SMALL, SMALL_BYTES + 1, key=t.lab.small.key))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)

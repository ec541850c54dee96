# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.4: no receive and a bad key at once. soro says RNR first, so that a peer
that may still be served is not told that it failed.
"""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY_IMM", 0, payload=data(8), reth=t.reth(0, 8, key=0xbad), imm=3)
    t.expect_rnr(0, msn=0)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: what the peer had sent behind the refused SEND is dropped, without a NAK."""
from scenario import data


def run(t):
    t.connect()
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_rnr(0, msn=0)
    t.send("SEND_ONLY", 1, payload=data(8))
    t.send("WRITE_ONLY", 2, payload=data(8), reth=t.reth(0, 8))
    t.send("READ_REQUEST", 3, reth=t.reth(0, 8))
    t.expect_dropped("sequence", 3)

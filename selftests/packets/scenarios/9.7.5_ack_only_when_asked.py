# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: without AckReq nothing has to be said; the next ACK acknowledges all before it."""
from scenario import data


def run(t):
    t.connect()
    for psn in range(3):
        t.send("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8), ackreq=0)
        t.expect_memory(8 * psn, data(8, psn))
    t.expect_silence()
    t.send("WRITE_ONLY", 3, payload=data(8, 3), reth=t.reth(24, 8))
    t.expect_ack(3, msn=4)
    t.expect_memory(24, data(8, 3))

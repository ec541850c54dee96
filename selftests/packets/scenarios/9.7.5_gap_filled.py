# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: after the NAK the peer goes back: everything is executed once, in order."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 1, payload=data(8, 9), reth=t.reth(8, 8))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ackreq=0)
    t.send("WRITE_ONLY", 1, payload=data(8, 2), reth=t.reth(8, 8))
    # The first answers the NAK's PSN, or the two are answered together.
    packet = t.next_packet()
    if packet.psn == t.psn_of(0, False):
        t.expect_ack(1, msn=2)
    t.expect_memory(0, data(8) + data(8, 2))

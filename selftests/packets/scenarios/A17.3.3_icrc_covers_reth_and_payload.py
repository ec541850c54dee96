# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: bits of RETH, payload and pad flipped behind the ICRC's back."""
from scenario import data

START, STOP = 28 + 12, 28 + 12 + 16 + 8


def run(t):
    t.connect(ip=4)
    places = [(at, 1 << at % 8) for at in range(START, STOP)]
    for at, mask in places:
        def flip(datagram, at=at, mask=mask):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", 0, payload=data(7), reth=t.reth(0, 7), alter=flip)
    t.expect_dropped("icrc", len(places))
    t.expect_alive(0, msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: each bit of the ICRC flipped, over IPv6."""
from scenario import data


def run(t):
    t.connect(ip=6)
    for bit in range(32):
        def flip(datagram, at=bit // 8 - 4, mask=1 << bit % 8):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=flip)
    t.expect_dropped("icrc", 32)
    t.expect_alive(0, msn=1)

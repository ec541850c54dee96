# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3, 7.8.1: each bit of the ICRC flipped, one byte of it a case."""
from scenario import data

CASES = {f"byte {byte}": byte for byte in range(4)}


def run(t, byte):
    t.connect()
    for bit in range(8):
        def flip(datagram, at=byte - 4, mask=1 << bit):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=flip)
    t.expect_dropped("icrc", 8)
    t.expect_alive(0, msn=1)

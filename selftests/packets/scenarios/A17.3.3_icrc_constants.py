# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: values that a sender without an ICRC may put there."""
from scenario import data

CASES = {
    "zeros": lambda icrc: bytes(4),
    "ones": lambda icrc: b"\xff" * 4,
    "inverted": lambda icrc: bytes(byte ^ 0xff for byte in icrc),
    "other byte order": lambda icrc: bytes(icrc)[::-1],
}


def run(t, change):
    def alter(datagram):
        datagram[-4:] = change(datagram[-4:])

    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=alter)
    t.expect_dropped("icrc")
    t.expect_alive(0, msn=1)

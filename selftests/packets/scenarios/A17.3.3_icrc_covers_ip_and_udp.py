# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: fields of IPv4 and UDP that are under the ICRC, changed on the way."""
from scenario import data

CASES = {
    "identification": [(4, 0x01), (5, 0x80)],
    "don't fragment": [(6, 0x40)],
    "source port": [(20, 0x10), (21, 0x01)],
}


def run(t, places):
    t.connect(ip=4)
    for at, mask in places:
        def flip(datagram, at=at, mask=mask):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=flip)
    t.expect_dropped("icrc", len(places))
    t.expect_alive(0, msn=1)

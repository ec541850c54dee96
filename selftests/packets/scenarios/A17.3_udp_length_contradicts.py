# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3: UDP says less than IP does: the bytes behind are nobody's. Dropped."""
import struct

from scenario import data


def run(t):
    def shorten(datagram):
        struct.pack_into(">H", datagram, 24, len(datagram) - 20 - 4)

    t.connect(ip=4)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=shorten)
    t.expect_dropped("fragment")
    t.expect_alive(0, msn=1)

# SPDX-License-Identifier: GPL-2.0
"""UDP (RFC 768): a checksum that is there and wrong: the IP stack drops it before soro sees it."""
import struct

import craft
from scenario import data


def run(t):
    def spoil(datagram):
        struct.pack_into(">H", datagram, 26, craft.udp_checksum(datagram) ^ 0x5555)

    t.connect(ip=4)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=spoil)
    t.expect_silence()
    t.expect_alive(0, msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: the UDP checksum is not under the ICRC: none or a right one, both are good."""
import struct

import craft
from scenario import data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    def add_checksum(datagram):
        at = 20 if version == 4 else 40
        struct.pack_into(">H", datagram, at + 6, craft.udp_checksum(datagram))

    t.connect(ip=version)
    for psn, alter in enumerate((None, add_checksum)):
        t.send("WRITE_ONLY", psn, payload=data(7, psn), reth=t.reth(0, 7), alter=alter)
        t.expect_ack(psn, msn=psn + 1)
        t.expect_memory(0, data(7, psn))

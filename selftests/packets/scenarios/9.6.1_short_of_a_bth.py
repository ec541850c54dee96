# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: datagrams of fewer bytes than a BTH and an ICRC, down to none at all."""
import struct

import craft
from scenario import PEER_IP, SORO_IP


def run(t):
    t.connect()
    for size in range(16):
        udp = struct.pack(">HHHH", 0xc123, 4791, 8 + size, 0)
        bth = craft.transport("SEND_ONLY", qpn=t.qpn, psn=t.rq_psn) + bytes(4)
        t.send_raw(craft.ip_packet(17, udp + bth[:size], PEER_IP[4], SORO_IP[4]))
    t.expect_dropped("short", 16)
    t.expect_alive(0, msn=1)

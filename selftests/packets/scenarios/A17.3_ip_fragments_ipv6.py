# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.1: the same over IPv6, with two fragments, and with one that is all (RFC 6946)."""
import struct

import craft
from scenario import PEER_IP, SORO_IP, data

CASES = {"two": 2, "atomic": 1}


def run(t, pieces):
    def send(part, offset, more):
        header = struct.pack(">BBHI", 17, 0, offset | more, 0x12345)
        t.send_raw(craft.ip_packet(44, header + part, PEER_IP[6], SORO_IP[6]))

    t.connect(ip=6)
    body = bytes(t.build("WRITE_ONLY", 0, payload=data(200), reth=t.reth(0, 200)))[40:]
    if pieces == 2:
        send(body[:104], 0, 1)
        send(body[104:], 104, 0)
    else:
        send(body, 0, 0)
    t.expect_dropped("fragment")
    t.expect_alive(0, msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.1: IPv6 extension headers before the UDP header."""
import craft
from scenario import PEER_IP, SORO_IP, data

# Hop-by-hop and destination options of 8 bytes: a pad option of 6.
CASES = {"hop by hop": 0, "destination options": 60}


def run(t, kind):
    t.connect(ip=6)
    body = bytes(t.build("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8)))[40:]
    t.send_raw(craft.ip_packet(kind, b"\x11\0\x01\x04\0\0\0\0" + body, PEER_IP[6], SORO_IP[6]))
    t.expect_dropped("fragment")
    t.expect_alive(0, msn=1)

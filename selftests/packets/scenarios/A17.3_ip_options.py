# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.1: an IPv4 header with options, of four no-operations and of a router alert."""
import craft
from scenario import PEER_IP, SORO_IP, data

CASES = {"no-operation": b"\x01" * 4, "router alert": b"\x94\x04\0\0", "40 bytes": b"\x01" * 40}


def run(t, options):
    t.connect(ip=4)
    body = bytes(t.build("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8)))[20:]
    t.send_raw(craft.ip_packet(17, body, PEER_IP[4], SORO_IP[4], fragment=0x4000,
                               options=options))
    t.expect_dropped("fragment")
    t.expect_alive(0, msn=1)

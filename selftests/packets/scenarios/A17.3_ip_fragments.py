# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.1: RoCEv2 packets are not fragmented: what had to be reassembled is dropped."""
import craft
from scenario import PEER_IP, SORO_IP, data


def run(t):
    t.connect(ip=4)
    datagram = bytes(t.build("WRITE_ONLY", 0, payload=data(200), reth=t.reth(0, 200),
                             ip={"dont_fragment": 0, "ident": 0x4242}))
    body = datagram[20:]
    more = 0x2000
    t.send_raw(craft.ip_packet(17, body[:104], PEER_IP[4], SORO_IP[4], 0x4242, more))
    t.send_raw(craft.ip_packet(17, body[104:], PEER_IP[4], SORO_IP[4], 0x4242, 104 // 8))
    t.expect_dropped("fragment")
    t.expect_alive(0, msn=1)

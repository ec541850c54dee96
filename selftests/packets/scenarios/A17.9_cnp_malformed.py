# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9, 9.6.1: CNPs that are none: too short, with payload, from a stranger, spoilt."""
import craft
from scenario import PEER_IP, SORO_IP, STRANGER_IP


def run(t):
    def spoil(datagram):
        datagram[-1] ^= 1

    t.connect(ip=4)
    whole = craft.transport("CNP", qpn=t.qpn, becn=1)
    t.send_raw(craft.datagram(whole[:-4], PEER_IP[4], SORO_IP[4]))
    t.expect_dropped("short")
    t.send("CNP", 0, becn=1, payload=bytes(4))
    t.expect_dropped("length")
    t.send("CNP", 0, becn=1, ip={"src": STRANGER_IP[4]})
    t.expect_dropped("address")
    t.send("CNP", 0, becn=1, alter=spoil)
    t.expect_dropped("icrc")
    t.expect_alive(0, msn=1)

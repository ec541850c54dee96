# SPDX-License-Identifier: GPL-2.0
"""IBA A17.4, 9.6.1: a packet from an address that is not the connection's peer."""
from scenario import STRANGER_IP, data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    t.connect(ip=version)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ip={"src": STRANGER_IP[version]})
    t.expect_dropped("address")
    t.expect_alive(0, msn=1)

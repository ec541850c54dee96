# SPDX-License-Identifier: GPL-2.0
"""IBA A17.4, 9.6.1: a packet to another address of the same interface than the QP's."""
from scenario import OTHER_IP, data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    t.connect(ip=version)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ip={"dst": OTHER_IP[version]})
    t.expect_dropped("address")
    t.expect_alive(0, msn=1)

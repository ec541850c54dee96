# SPDX-License-Identifier: GPL-2.0
"""Bytes behind the IP datagram, as Ethernet pads short frames, belong to the link."""
from scenario import data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    t.connect(ip=version)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), trailer=b"\xee" * 18)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(8))

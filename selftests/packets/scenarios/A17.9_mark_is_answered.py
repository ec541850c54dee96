# SPDX-License-Identifier: GPL-2.0
"""
IBA A17.9: a packet that a switch marked (ECN: congestion experienced) is answered by a
CNP with BECN, PSN 0 and reserved bytes of 0, if the knob asks for it; its ACK comes too.
"""
from scenario import data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    t.knob("cnp", 1)
    t.connect(ip=version)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ip={"tos": 3})
    names = []
    for _ in range(2):
        packet = t.next_packet()
        if packet is None:
            t.fail(f"only {names} came")
        names.append(packet.name)
        if packet.name == "CNP" and packet.psn:
            t.fail(f"CNP with PSN {packet.psn}")
    if sorted(names) != ["ACK", "CNP"]:
        t.fail(f"{names} came")
    t.expect_memory(0, data(8))
    t.expect_counters(np_ecn_marked_roce_packets=1, np_cnp_sent=1)

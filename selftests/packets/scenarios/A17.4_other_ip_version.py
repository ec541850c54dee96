# SPDX-License-Identifier: GPL-2.0
"""IBA A17.4: a packet over IPv6 to a QP that speaks IPv4, and the other way round."""
from scenario import PEER_IP, SORO_IP, data

CASES = {"IPv6 to IPv4": (4, 6), "IPv4 to IPv6": (6, 4)}


def run(t, case):
    own, other = case
    t.connect(ip=own)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8),
           ip={"src": PEER_IP[other], "dst": SORO_IP[other]})
    t.expect_dropped("address")
    t.expect_alive(0, msn=1)

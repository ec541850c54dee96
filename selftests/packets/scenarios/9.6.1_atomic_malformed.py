# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.5, 9.6.1: an atomic that has payload, or not all of its header."""
import craft
from scenario import PEER_IP, SORO_IP


def run(t):
    t.connect(ip=4)
    t.send("FETCH_ADD", 0, payload=bytes(8), atomic=(t.address(64), t.key, 1, 0))
    t.expect_dropped("length")
    whole = craft.transport("CMP_SWP", qpn=t.qpn, psn=t.rq_psn)
    for size in range(12, len(whole), 4):
        t.send_raw(craft.datagram(whole[:size], PEER_IP[4], SORO_IP[4]))
    t.expect_dropped("short", 7)
    t.expect_alive(0, msn=1)

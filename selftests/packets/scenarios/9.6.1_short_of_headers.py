# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: packets that end within their headers, with an ICRC that is right."""
import craft
from scenario import PEER_IP, SORO_IP

CASES = {name: name for name in (
    "SEND_ONLY_IMM", "WRITE_FIRST", "WRITE_ONLY", "WRITE_ONLY_IMM", "READ_REQUEST", "ACK",
    "READ_RESPONSE_FIRST", "READ_RESPONSE_ONLY")}


def run(t, name):
    t.connect(ip=4)
    whole = craft.transport(name, qpn=t.qpn, psn=t.rq_psn)
    sizes = range(12, len(whole), 4)
    for size in sizes:
        t.send_raw(craft.datagram(whole[:size], PEER_IP[4], SORO_IP[4]))
    t.expect_dropped("short", len(sizes))
    t.expect_alive(0, msn=1)

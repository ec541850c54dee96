# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: datagrams that end within DETH or immediate data, with an ICRC that is right."""
import craft
from scenario import PEER_IP, SORO_IP

CASES = {name: name for name in ("UD_SEND_ONLY", "UD_SEND_ONLY_IMM")}


def run(t, name):
    t.connect(transport="UD")
    t.post_recv()
    whole = craft.transport(name, qpn=t.qpn, deth=(t.qkey, 5))
    sizes = range(12, len(whole), 4)
    for size in sizes:
        t.send_raw(craft.datagram(whole[:size], PEER_IP[4], SORO_IP[4]))
    t.expect_dropped("short", len(sizes))
    t.expect_next(1, receive=False)

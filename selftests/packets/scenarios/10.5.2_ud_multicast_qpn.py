# SPDX-License-Identifier: GPL-2.0
"""IBA 10.5.2: QPN 0xffffff in a packet to a unicast address reaches nobody."""
from scenario import data

CASES = {"IPv4": ("UD", 4), "IPv6": ("UD", 6), "RC": ("RC", 4)}


def run(t, case):
    transport, version = case
    t.connect(transport=transport, ip=version)
    t.post_recv()
    t.send("SEND_ONLY" if transport == "RC" else "UD_SEND_ONLY", 0, payload=data(8),
           qpn=0xffffff)
    t.expect_dropped("multicast")
    if transport == "RC":
        t.expect_alive(0, msn=1)
    else:
        t.expect_next(1, receive=False)

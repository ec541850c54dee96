# SPDX-License-Identifier: GPL-2.0
"""IBA 10.5.2: QPN 0xffffff in a datagram to a unicast address reaches nobody."""
from scenario import data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    t.connect(transport="UD", ip=version)
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(8), qpn=0xffffff)
    t.expect_dropped("no_qp")
    t.expect_next(1, receive=False)

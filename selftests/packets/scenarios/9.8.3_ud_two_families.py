# SPDX-License-Identifier: GPL-2.0
"""A UD QP is reached over IPv4 and IPv6, in turn; the header says which. IBA A17.4.5.1."""
from scenario import LANDING, PEER_IP, SORO_IP, data


def run(t):
    t.connect(transport="UD")
    for i in range(6):
        version = 4 if i % 2 else 6
        t.post_recv(100, LANDING + 100 * i)
        header = t.send("UD_SEND_ONLY", i, payload=data(8, i),
                        ip={"src": PEER_IP[version], "dst": SORO_IP[version]})
        t.expect_datagram(data(8, i), header, LANDING + 100 * i)

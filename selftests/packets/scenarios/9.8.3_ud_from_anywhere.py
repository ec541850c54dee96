# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3: UD has no peer: datagrams from any address, and to any address of the device."""
from scenario import LANDING, OTHER_IP, SORO_IP, STRANGER_IP, PEER_IP, data

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    t.connect(transport="UD", ip=version)
    pairs = [(source, target) for source in (PEER_IP, STRANGER_IP) for target in
             (SORO_IP, OTHER_IP)]
    for i, (source, target) in enumerate(pairs):
        t.post_recv(100, LANDING + 100 * i)
        header = t.send("UD_SEND_ONLY", i, payload=data(8, i),
                        ip={"src": source[version], "dst": target[version]})
        t.expect_datagram(data(8, i), header, LANDING + 100 * i)

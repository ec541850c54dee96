# SPDX-License-Identifier: GPL-2.0
"""IBA A17.4.5.1: the network header that is shown is the one that came, byte by byte."""
from scenario import data

CASES = {
    "IPv4 TOS": (4, {"tos": 0xb8}), "IPv4 TTL 1": (4, {"ttl": 1}),
    "IPv4 ID": (4, {"ident": 0xfffe}), "IPv4 may be fragmented": (4, {"dont_fragment": 0}),
    "IPv6 traffic class": (6, {"tos": 0xb8}), "IPv6 flow label": (6, {"flow_label": 0xabcde}),
    "IPv6 hop limit": (6, {"ttl": 255}),
}


def run(t, case):
    version, ip = case
    t.connect(transport="UD", ip=version)
    for i in range(3):
        t.post_recv(100)
        header = t.send("UD_SEND_ONLY", i, payload=data(8, i), ip=ip)
        t.expect_datagram(data(8, i), header)

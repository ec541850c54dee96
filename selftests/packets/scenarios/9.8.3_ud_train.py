# SPDX-License-Identifier: GPL-2.0
"""Datagrams in one super-packet: each is one, with a header of its own. IBA 9.8.3, A17.4.5.1."""
from scenario import LANDING, QKEY, PEER_QPN, data

CASES = {"all good": None, "a wrong Q_Key among them": 2}
COUNT = 5
LENGTH = 64


def run(t, wrong):
    t.connect(transport="UD", ip=6)
    contents = [data(LENGTH if i < COUNT - 1 else 21, i) for i in range(COUNT)]
    parts = [t.part("UD_SEND_ONLY", i, payload=content,
                    deth=(QKEY + (i == wrong), PEER_QPN)) for i, content in enumerate(contents)]
    good = [i for i in range(COUNT) if i != wrong]
    for n in range(len(good)):
        t.post_recv(200, LANDING + 200 * n)
    t.send_train(parts)
    for n, i in enumerate(good):
        at = LANDING + 200 * n
        t.expect_recv(byte_len=40 + len(contents[i]))
        header = t.read_memory(at, 40)
        wanted = t.build("UD_SEND_ONLY", i, payload=contents[i])[:40]
        # The kernel of the peer chose the flow label, and the UDP port.
        if header[0] >> 4 != 6 or header[4:40] != bytes(wanted[4:40]):
            t.fail(f"datagram {i}: header {header.hex()}")
        t.expect_memory(at, header + contents[i])
    if wrong is not None:
        t.expect_counters(drop_qkey=1)

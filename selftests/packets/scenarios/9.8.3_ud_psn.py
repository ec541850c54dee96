# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3.2: PSNs of datagrams mean nothing: again, back, ahead, each one arrives."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UD")
    for i, psn in enumerate((0, 0, 5, 4, 0x7fffff, -1, 0)):
        at = LANDING + 100 * i
        t.post_recv(100, at)
        header = t.send("UD_SEND_ONLY", psn, payload=data(8, i))
        t.expect_datagram(data(8, i), header, at)

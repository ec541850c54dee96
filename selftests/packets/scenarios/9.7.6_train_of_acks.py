# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: three ACKs in one super-packet."""
from scenario import data


def run(t):
    t.connect(ip=6)
    posted = [t.post("SEND", data(8, i)) for i in range(3)]
    for i in range(3):
        t.expect_request("SEND_ONLY", i)
    t.send_train([t.part("ACK", i, aeth=(0x1f, i + 1)) for i in range(3)])
    for wr in posted:
        t.expect_sent(wr_id=wr)

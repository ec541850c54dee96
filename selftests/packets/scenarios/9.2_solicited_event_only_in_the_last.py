# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: SE in a FIRST or MIDDLE solicits nothing; the last packet decides."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(1024)
    t.qp.arm(True)
    t.send("SEND_FIRST", 0, payload=data(256, 1), se=1)
    t.send("SEND_MIDDLE", 1, payload=data(256, 2), se=1)
    t.send("SEND_LAST", 2, payload=data(4, 3))
    t.expect_ack(2)
    t.expect_memory(LANDING, data(256, 1) + data(256, 2) + data(4, 3))
    t.expect_recv()
    if t.qp.cq_event():
        t.fail("an event, where the last packet has no SE")

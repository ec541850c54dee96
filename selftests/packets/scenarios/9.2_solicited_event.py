# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: SE in the last packet of a SEND wakes who waits for solicited completions only."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(100)
    t.post_recv(100, LANDING + 100)
    t.qp.arm(True)
    t.send("SEND_ONLY", 0, payload=data(4))
    t.expect_ack(0)
    t.expect_memory(LANDING, data(4))
    t.expect_recv()
    if t.qp.cq_event():
        t.fail("an event without SE")
    t.send("SEND_ONLY", 1, payload=data(4), se=1)
    t.expect_ack(1)
    t.expect_memory(LANDING + 100, data(4))
    t.expect_recv()
    t.until(t.qp.cq_event, lambda: "no event with SE")

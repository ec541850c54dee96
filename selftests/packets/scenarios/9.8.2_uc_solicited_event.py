# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: SE of a UC message wakes who waits for solicited completions only."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UC")
    t.post_recv(100)
    t.post_recv(100, LANDING + 100)
    t.qp.arm(True)
    t.send("UC_SEND_ONLY", 0, payload=data(4))
    t.expect_message_taken(data(4), LANDING)
    if t.qp.cq_event():
        t.fail("an event without SE")
    t.send("UC_SEND_ONLY", 1, payload=data(4, 2), se=1)
    t.expect_message_taken(data(4, 2), LANDING + 100)
    t.until(t.qp.cq_event, lambda: "no event with SE")

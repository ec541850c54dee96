# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: SE of a datagram wakes who waits for solicited completions only."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UD")
    t.post_recv(100)
    t.post_recv(100, LANDING + 100)
    t.qp.arm(True)
    header = t.send("UD_SEND_ONLY", 0, payload=data(4))
    t.expect_datagram(data(4), header)
    if t.qp.cq_event():
        t.fail("an event without SE")
    header = t.send("UD_SEND_ONLY_IMM", 1, payload=data(4), se=1, imm=3)
    t.expect_datagram(data(4), header, LANDING + 100, imm=3)
    t.until(t.qp.cq_event, lambda: "no event with SE")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: two ACKs overtake each other: the late one is dropped."""
from scenario import data


def run(t):
    t.connect()
    first, second = t.post("SEND", data(8)), t.post("SEND", data(8, 2))
    t.expect_request("SEND_ONLY", 0)
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=first)
    t.expect_sent(wr_id=second)
    t.expect_dropped("stale")

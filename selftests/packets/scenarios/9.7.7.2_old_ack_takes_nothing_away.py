# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.7.2: the limit does not move back when an ACK says less than the one before it."""
from scenario import data


def run(t):
    t.connect(credits=4)
    t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1, credits=1)
    t.expect_sent()
    for _ in range(4):
        t.post("SEND", data(8))
    for psn in (1, 2, 3):
        t.expect_request("SEND_ONLY", psn)
    t.expect_silence()
    t.ack(3, msn=4, credits=1)
    t.expect_request("SEND_ONLY", 4)
    t.ack(4, msn=5)
    for _ in range(4):
        t.expect_sent()

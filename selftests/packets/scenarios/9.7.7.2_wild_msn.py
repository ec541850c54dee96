# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: an MSN that cannot be is not believed; credits count from what the PSN
acknowledges.
"""
from scenario import data

CASES = {"0": 0, "ahead": 1000, "highest": 0xffffff}


def run(t, msn):
    t.connect(credits=None)
    posted = [t.post("SEND", data(8)) for _ in range(4)]
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=msn, credits=2)
    t.expect_request("SEND_ONLY", 1)
    t.expect_request("SEND_ONLY", 2)
    t.expect_silence()
    t.ack(2, msn=3)
    t.expect_request("SEND_ONLY", 3)
    t.ack(3, msn=4)
    for wr in posted:
        t.expect_sent(wr_id=wr)

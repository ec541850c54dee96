# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: a peer that has posted receives may say so by acknowledging once more what it
acknowledged last.
"""
from scenario import data


def run(t):
    t.connect(credits=1)
    posted = [t.post("SEND", data(8)) for _ in range(4)]
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1, credits=0)
    t.expect_sent(wr_id=posted[0])
    t.expect_request("SEND_ONLY", 1)
    t.expect_silence()
    t.ack(0, msn=1, credits=2)
    t.expect_request("SEND_ONLY", 2)
    t.expect_silence()
    t.ack(-1, msn=0, credits=8)             # older: says nothing
    t.expect_dropped("stale")
    t.ack(2, msn=3, credits=1)
    t.expect_request("SEND_ONLY", 3)
    t.ack(3, msn=4)
    for wr in posted[1:]:
        t.expect_sent(wr_id=wr)

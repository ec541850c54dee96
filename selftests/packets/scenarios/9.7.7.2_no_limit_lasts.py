# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.7.2: 0x1f says that the peer does without credits, as with an SRQ; so it stays."""
from scenario import data


def run(t):
    t.connect(credits=None)
    posted = [t.post("SEND", data(8)) for _ in range(6)]
    t.expect_request("SEND_ONLY", 0)
    t.expect_silence()
    t.ack(0, msn=1)
    for psn in range(1, 6):
        t.expect_request("SEND_ONLY", psn)
    t.ack(5, msn=6, credits=0)
    posted += [t.post("SEND", data(8)) for _ in range(3)]
    for psn in range(6, 9):
        t.expect_request("SEND_ONLY", psn)
    t.ack(8, msn=9, credits=0)
    for wr in posted:
        t.expect_sent(wr_id=wr)

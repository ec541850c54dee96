# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: one ACK for four SENDs completes all four, in order."""
from scenario import data


def run(t):
    t.connect()
    posted = [t.post("SEND", data(8, psn)) for psn in range(4)]
    for psn in range(4):
        t.expect_request("SEND_ONLY", psn)
    t.ack(3, msn=4)
    for wr in posted:
        t.expect_sent(wr_id=wr)

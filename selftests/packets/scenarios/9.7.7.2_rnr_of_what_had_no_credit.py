# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.7.2, 9.7.5.2.8: what goes without a credit may be told to wait, as ever."""
from scenario import data


def run(t):
    t.connect(credits=None)
    posted = [t.post("SEND", data(8)) for _ in range(2)]
    t.expect_request("SEND_ONLY", 0, ackreq=1)
    t.expect_silence()
    t.rnr(0, 1)
    t.expect_request("SEND_ONLY", 0, ackreq=1)
    t.expect_silence()
    t.ack(0, msn=1, credits=0)
    t.expect_request("SEND_ONLY", 1, ackreq=1)
    t.ack(1, msn=2, credits=0)
    for wr in posted:
        t.expect_sent(wr_id=wr)
    t.expect_counters(rnr_nak_rcvd=1, resent_pkts=1)

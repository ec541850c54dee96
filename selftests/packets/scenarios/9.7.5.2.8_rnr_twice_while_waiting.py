# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: a copy of the RNR NAK during the wait costs nothing and does not prolong it."""
from scenario import data


def run(t):
    t.connect(rnr_retry=1)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.rnr(0, 30)       # 328 ms
    t.rnr(0, 30)       # 328 ms
    t.expect_counters(drop_stale=1)
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(rnr_nak_rcvd=1, resent_pkts=1)

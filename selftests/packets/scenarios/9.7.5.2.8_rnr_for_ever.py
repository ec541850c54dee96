# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: rnr_retry 7 is for ever; other retries are not spent by it."""
from scenario import data


def run(t):
    t.connect(rnr_retry=7, retry_cnt=0)
    wr = t.post("SEND", data(8))
    for _ in range(20):
        t.expect_request("SEND_ONLY", 0)
        t.rnr(0, 1)
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(rnr_nak_rcvd=20, resent_pkts=20)

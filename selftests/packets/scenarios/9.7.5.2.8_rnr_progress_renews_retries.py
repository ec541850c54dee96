# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: RNR retries are counted anew for each request."""
from scenario import data


def run(t):
    t.connect(rnr_retry=1)
    for psn in range(3):
        wr = t.post("SEND", data(8, psn))
        t.expect_request("SEND_ONLY", psn)
        t.rnr(psn, 1)
        t.expect_request("SEND_ONLY", psn)
        t.ack(psn, msn=psn + 1)
        t.expect_sent(wr_id=wr)
    t.expect_counters(rnr_nak_rcvd=3, resent_pkts=3)

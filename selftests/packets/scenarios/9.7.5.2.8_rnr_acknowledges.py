# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: an RNR NAK for the second SEND acknowledges the first."""
from scenario import data


def run(t):
    t.connect()
    posted = [t.post("SEND", data(8, psn)) for psn in range(3)]
    for psn in range(3):
        t.expect_request("SEND_ONLY", psn)
    t.rnr(1, 12, msn=1)
    t.expect_sent(wr_id=posted[0])
    t.expect_request("SEND_ONLY", 1)
    t.expect_request("SEND_ONLY", 2)
    t.ack(2, msn=3)
    t.expect_sent(wr_id=posted[1])
    t.expect_sent(wr_id=posted[2])
    t.expect_counters(rnr_nak_rcvd=1, resent_pkts=2)

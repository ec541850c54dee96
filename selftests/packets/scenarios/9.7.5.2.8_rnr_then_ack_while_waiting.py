# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: an ACK during the wait ends it: the request was served after all."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.rnr(0, 0)        # 655 ms
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    later = t.post("SEND", data(8, 2))
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.expect_sent(wr_id=later)
    t.expect_counters(rnr_nak_rcvd=1)

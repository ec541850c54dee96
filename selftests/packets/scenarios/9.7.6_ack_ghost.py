# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: an ACK of what was never sent is dropped: ahead, far ahead, behind, idle or not."""
from scenario import data

CASES = {"1 ahead": 1, "2^23 - 1 ahead": (1 << 23) - 1, "2^23 ahead": 1 << 23, "1 behind": -1,
         "1000 behind": -1000}


def run(t, psn):
    t.connect()
    t.ack(psn - 1 if psn > 0 else psn)
    t.expect_dropped("stale")
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(psn, msn=1)
    t.expect_dropped("stale")
    t.expect_no_completion()
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)

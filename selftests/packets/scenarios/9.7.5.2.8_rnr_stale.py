# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: an RNR NAK for what is not outstanding delays nothing."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.rnr(1, 0)
    t.rnr(-1, 0)
    t.expect_dropped("stale", 2)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)

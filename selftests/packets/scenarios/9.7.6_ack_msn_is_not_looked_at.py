# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: what an ACK acknowledges is said by its PSN; a wild MSN changes nothing."""
from scenario import data

CASES = {"0": 0, "ahead": 1000, "highest": 0xffffff}


def run(t, msn):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=msn)
    t.expect_sent(wr_id=wr)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.expect_sent(wr_id=wr)

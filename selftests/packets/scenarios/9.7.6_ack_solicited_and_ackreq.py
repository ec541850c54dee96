# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: SE and AckReq mean nothing in an ACK."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1, se=1, ackreq=1)
    t.expect_sent(wr_id=wr)

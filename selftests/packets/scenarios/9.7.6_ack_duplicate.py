# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: an ACK comes twice: the second says nothing new, and is dropped."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_dropped("stale")

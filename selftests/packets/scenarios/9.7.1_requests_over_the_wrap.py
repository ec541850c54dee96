# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: soro's own PSNs wrap; an ACK behind the wrap acknowledges what was before it."""
from scenario import data


def run(t):
    t.connect(sq_psn=0xfffffe)
    first = t.post("SEND", data(1000))
    t.expect_message("SEND", 0, data(1000))
    second = t.post("SEND", data(8))
    t.expect_message("SEND", 4, data(8))
    t.ack(4, msn=2)
    t.expect_sent(wr_id=first)
    t.expect_sent(wr_id=second)

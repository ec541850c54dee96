# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: ACKs in the middle of a message complete nothing; that of its last packet does."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(1000))
    t.expect_message("SEND", 0, data(1000))
    for psn in range(3):
        t.ack(psn)
        t.expect_no_completion()
    t.ack(3, msn=1)
    t.expect_sent(wr_id=wr)

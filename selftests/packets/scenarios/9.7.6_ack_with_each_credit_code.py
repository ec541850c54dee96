# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: an ACK is one, whatever credits it grants."""
from scenario import data


def run(t):
    t.connect(credits=None)
    for credits in range(32):
        wr = t.post("SEND", data(8))
        t.expect_request("SEND_ONLY", credits)
        t.ack(credits, msn=credits + 1, credits=credits)
        t.expect_sent(wr_id=wr)

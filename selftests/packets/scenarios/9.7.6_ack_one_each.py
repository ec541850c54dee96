# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: each SEND completes with its ACK."""
from scenario import data


def run(t):
    t.connect()
    for psn in range(4):
        wr = t.post("SEND", data(8, psn))
        t.expect_request("SEND_ONLY", psn, payload=data(8, psn), ackreq=1)
        t.expect_no_completion()
        t.ack(psn, msn=psn + 1)
        t.expect_sent(wr_id=wr)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: CNPs between the ACKs disturb nothing of the requester, nor does their PSN."""
from scenario import data


def run(t):
    t.connect()
    posted = [t.post("SEND", data(8)) for _ in range(2)]
    t.expect_request("SEND_ONLY", 0)
    t.expect_request("SEND_ONLY", 1)
    for psn, wr in enumerate(posted):
        t.send("CNP", 5, becn=1)
        t.send("CNP", psn + 0x1000, becn=1)
        t.expect_no_completion()
        t.ack(psn, msn=psn + 1)
        t.expect_sent(wr_id=wr)
    t.expect_counters(rp_cnp_handled=4)

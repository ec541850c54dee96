# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the ACK of the first SEND is lost; that of the second is enough."""
from scenario import data


def run(t):
    t.connect()
    first, second = t.post("SEND", data(8)), t.post("SEND", data(8, 2))
    t.expect_request("SEND_ONLY", 0)
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.expect_sent(wr_id=first)
    t.expect_sent(wr_id=second)

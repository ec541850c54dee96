# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1, 9.7.6: a sequence NAK for PSN 0, which comes after 0xffffff."""
from scenario import data


def run(t):
    t.connect(sq_psn=0xffffff)
    first, second = t.post("SEND", data(8)), t.post("SEND", data(8, 2))
    t.expect_request("SEND_ONLY", 0)
    t.expect_request("SEND_ONLY", 1)
    t.nak("SEQUENCE", 1, msn=1)
    t.expect_sent(wr_id=first)
    t.expect_request("SEND_ONLY", 1, payload=data(8, 2))
    t.ack(1, msn=2)
    t.expect_sent(wr_id=second)
    t.expect_counters(nak_sequence_rcvd=1, resent_pkts=1)

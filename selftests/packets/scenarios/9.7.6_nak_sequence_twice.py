# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the NAK comes twice: the packet goes again twice, and no harm is done."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    for _ in range(2):
        t.nak("SEQUENCE", 0)
        t.expect_request("SEND_ONLY", 0, payload=data(8))
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(nak_sequence_rcvd=2, resent_pkts=2)

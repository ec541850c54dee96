# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the NAK's PSN is in the middle of a WRITE: it goes on there, without a RETH."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("WRITE", data(1000), remote=(0x8000, 0x99))
    t.expect_message("WRITE", 0, data(1000), reth=(0x8000, 0x99, 1000))
    t.nak("SEQUENCE", 1)
    t.expect_request("WRITE_MIDDLE", 1, payload=data(1000)[256:512])
    t.expect_request("WRITE_MIDDLE", 2, payload=data(1000)[512:768])
    t.expect_request("WRITE_LAST", 3, payload=data(1000)[768:], ackreq=1)
    t.ack(3, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(nak_sequence_rcvd=1, resent_pkts=3)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: a responder may answer a READ with an RNR NAK too."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    wr = t.post("READ", length=8, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.rnr(0, 1)
    t.expect_request("READ_REQUEST", 0)
    t.respond(0, data(8))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8))
    t.expect_counters(rnr_nak_rcvd=1, resent_pkts=1)

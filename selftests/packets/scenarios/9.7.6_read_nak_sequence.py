# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: a sequence NAK for a READ: it is asked for again at once."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    wr = t.post("READ", length=600, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.nak("SEQUENCE", 0)
    t.expect_request("READ_REQUEST", 0, reth=(0x1000, 0x55, 600))
    t.respond(0, data(600))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(600))
    t.expect_counters(nak_sequence_rcvd=1, resent_pkts=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.2: an ACK with the PSN of the READ is no answer to it."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    wr = t.post("READ", length=8, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.ack(0, msn=1)
    t.expect_request("READ_REQUEST", 0)
    t.expect_no_completion()
    t.respond(0, data(8))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=1)

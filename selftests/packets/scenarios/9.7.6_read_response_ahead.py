# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: data of the second READ before that of the first: the first is asked for again."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    first = t.post("READ", length=8, remote=(0x1000, 0x55))
    second = t.post("READ", length=8, offset=SOURCE + 100, remote=(0x2000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.expect_request("READ_REQUEST", 1)
    t.respond(1, data(8, 2))
    t.expect_request("READ_REQUEST", 0, reth=(0x1000, 0x55, 8))
    t.expect_request("READ_REQUEST", 1, reth=(0x2000, 0x55, 8))
    t.respond(0, data(8))
    t.respond(1, data(8, 2))
    t.expect_sent(wr_id=first)
    t.expect_sent(wr_id=second)
    t.expect_memory(SOURCE, data(8))
    t.expect_memory(SOURCE + 100, data(8, 2))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=2)

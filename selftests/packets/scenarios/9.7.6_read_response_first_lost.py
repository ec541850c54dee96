# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.2: the FIRST is missing: the whole READ is asked for again."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    content = data(1024)
    wr = t.post("READ", length=1024, remote=(0x10000, 0x55))
    t.expect_request("READ_REQUEST", 0, reth=(0x10000, 0x55, 1024))
    t.send("READ_RESPONSE_MIDDLE", 1, payload=content[256:512])
    t.expect_request("READ_REQUEST", 0, reth=(0x10000, 0x55, 1024))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=1)
    t.respond(0, content)
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, content)

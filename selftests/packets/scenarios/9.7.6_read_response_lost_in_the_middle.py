# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5.2.2: a MIDDLE is missing: the READ is asked for again from there, and only from
there.
"""
from scenario import SOURCE, data


def run(t):
    t.connect()
    content = data(1024)
    wr = t.post("READ", length=1024, remote=(0x10000, 0x55))
    t.expect_request("READ_REQUEST", 0, reth=(0x10000, 0x55, 1024))
    t.send("READ_RESPONSE_FIRST", 0, payload=content[:256])
    t.send("READ_RESPONSE_MIDDLE", 2, payload=content[512:768])
    t.expect_request("READ_REQUEST", 1, reth=(0x10100, 0x55, 768))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=1)
    t.respond(1, content[256:])
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, content)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the LAST is lost: after the timeout the rest is asked for again."""
from scenario import SOURCE, TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT)
    wr = t.post("READ", length=600, remote=(0x10000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_FIRST", 0, payload=data(600)[:256])
    t.send("READ_RESPONSE_MIDDLE", 1, payload=data(600)[256:512])
    t.expect_request("READ_REQUEST", 2, reth=(0x10200, 0x55, 88))
    t.respond(2, data(600)[512:])
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(600))
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=1)

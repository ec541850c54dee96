# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the LAST is lost: the rest is asked for again, by a probe before the timeout."""
from scenario import SOURCE, data


def run(t):
    t.connect(timeout=22)
    wr = t.post("READ", length=600, remote=(0x10000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_FIRST", 0, payload=data(600)[:256])
    t.send("READ_RESPONSE_MIDDLE", 1, payload=data(600)[256:512])
    t.expect_probes("READ_REQUEST", 2, lambda: t.respond(2, data(600)[512:]),
                    reth=(0x10200, 0x55, 88))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(600))

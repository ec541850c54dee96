# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.6: response packets that begin or go on with a READ and are at their PSN. soro
only minds whether it is the last: a FIRST for a MIDDLE, or the other way round, is taken.
"""
from scenario import SOURCE, data


def run(t):
    t.connect()
    wr = t.post("READ", length=768, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_MIDDLE", 0, payload=data(768)[:256])
    t.send("READ_RESPONSE_FIRST", 1, payload=data(768)[256:512])
    t.send("READ_RESPONSE_LAST", 2, payload=data(768)[512:])
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(768))

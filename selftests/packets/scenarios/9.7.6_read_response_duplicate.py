# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: response packets come twice: the copy changes nothing, even with other bytes."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    content = data(600)
    wr = t.post("READ", length=600, remote=(0x10000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_FIRST", 0, payload=content[:256])
    t.send("READ_RESPONSE_FIRST", 0, payload=data(256, 9))
    t.send("READ_RESPONSE_MIDDLE", 1, payload=content[256:512])
    t.send("READ_RESPONSE_LAST", 2, payload=content[512:])
    t.send("READ_RESPONSE_LAST", 2, payload=data(88, 9))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, content)
    t.expect_dropped("stale", 2)

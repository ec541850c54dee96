# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the MIDDLEs and the LAST of READ data in one super-packet."""
from scenario import SOURCE, data


def run(t):
    content = data(1000)
    t.connect(ip=6)
    wr = t.post("READ", length=1000, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_FIRST", 0, payload=content[:256])
    t.send_train([t.part("READ_RESPONSE_MIDDLE", 1, payload=content[256:512]),
                  t.part("READ_RESPONSE_MIDDLE", 2, payload=content[512:768]),
                  t.part("READ_RESPONSE_LAST", 3, payload=content[768:])])
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, content)

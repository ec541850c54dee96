# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a WRITE in one super-packet, and its FIRST alone: one ACK for the train."""
from scenario import data


def run(t):
    content = data(4 * 256)
    t.connect(ip=6)
    t.send("WRITE_FIRST", 0, payload=content[:256], reth=t.reth(0, 1024))
    t.send_train([t.part("WRITE_MIDDLE", 1, payload=content[256:512]),
                  t.part("WRITE_MIDDLE", 2, payload=content[512:768]),
                  t.part("WRITE_LAST", 3, payload=content[768:])])
    t.expect_ack(3, msn=1)
    t.expect_memory(0, content)

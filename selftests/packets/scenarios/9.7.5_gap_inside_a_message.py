# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a MIDDLE is lost: NAK with its PSN; when it comes, the message is whole."""
from scenario import LANDING, data


def run(t):
    t.connect()
    content = data(4 * 256)
    recv = t.post_recv(2000)
    t.send("SEND_FIRST", 0, payload=content[:256])
    t.send("SEND_MIDDLE", 2, payload=content[512:768])
    t.expect_nak("SEQUENCE", 1, msn=0)
    t.send("SEND_LAST", 3, payload=content[768:])
    t.expect_counters(held_trains=2)
    t.expect_silence()
    t.expect_memory(LANDING, content[:256])
    t.send("SEND_MIDDLE", 1, payload=content[256:512])
    t.expect_ack(3, msn=1)
    t.expect_memory(LANDING, content)
    t.expect_recv(wr_id=recv, byte_len=1024)

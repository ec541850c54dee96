# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: an empty SEND touches no memory: the receive's bad key does no harm."""


def run(t):
    t.connect()
    recv = t.post_recv(100, key=0xbad)
    t.send("SEND_ONLY", 0)
    t.expect_ack(0, msn=1)
    t.expect_recv(wr_id=recv, byte_len=0)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5, 9.4.1: a late copy of a READ, and right behind it the SEND by which the peer, which has
the data, ends the key: the copy is not answered, the SEND is.
"""
from scenario import LANDING, data


def run(t):
    t.connect(ip=6)
    window = t.window()
    t.post_recv()
    read = t.reth(0, 8, key=window.key)
    t.send("READ_REQUEST", 0, reth=read)
    t.expect_read(0, t.read_memory(0, 8), msn=1)
    t.send_train([t.part("READ_REQUEST", 0, reth=read),
                  t.part("SEND_ONLY_INV", 1, payload=data(12), ieth=window.key)])
    t.expect_ack(1, msn=2)
    t.expect_recv(byte_len=12, inv=window.key)
    t.expect_memory(LANDING, data(12))
    t.expect_dropped("duplicate_bad")
    t.expect_counters(duplicate_request=1)
    t.expect_alive(2, msn=3)

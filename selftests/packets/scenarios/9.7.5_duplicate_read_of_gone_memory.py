# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5: a READ comes again after its region went. It was executed: the peer may have the data
and have said so, and this copy may only be late. It is dropped, the QP lives.
"""


def run(t):
    t.connect()
    region = t.register(0, 4096)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8, key=region.key))
    t.expect_read(0, t.read_memory(0, 8))
    t.deregister(region)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8, key=region.key))
    t.expect_dropped("duplicate_bad")
    t.expect_counters(duplicate_request=1)
    t.expect_alive(1, msn=2)

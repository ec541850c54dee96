# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4, 9.7.5: a READ comes again after its region went: access error, at its PSN."""


def run(t):
    t.connect()
    region = t.register(0, 4096)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8, key=region.key))
    t.expect_read(0, t.read_memory(0, 8))
    t.deregister(region)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8, key=region.key))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR")
    t.expect_counters(duplicate_request=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the region goes while a WRITE is under way: access error at the next packet."""
from scenario import data


def run(t):
    t.connect()
    region = t.register(0, 4096)
    t.send("WRITE_FIRST", 0, payload=data(256), reth=t.reth(0, 600, key=region.key), ackreq=1)
    t.expect_ack(0, msn=0)
    t.expect_memory(0, data(256))
    t.deregister(region)
    t.send("WRITE_MIDDLE", 1, payload=data(256))
    t.expect_fatal("ACCESS", 1, "QP_ACCESS_ERR", msn=0)

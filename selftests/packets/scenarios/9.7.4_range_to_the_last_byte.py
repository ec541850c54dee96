# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the whole region, from its first byte to its last."""
from scenario import SMALL, SMALL_BYTES, data


def run(t):
    t.connect(pmtu=1024)
    t.send("WRITE_ONLY", 0, payload=data(SMALL_BYTES),
           reth=t.reth(SMALL, SMALL_BYTES, key=t.lab.small.key))
    t.expect_ack(0, msn=1)
    t.expect_memory(SMALL, data(SMALL_BYTES))
    t.send("WRITE_ONLY", 1, payload=b"!", reth=t.reth(SMALL + SMALL_BYTES - 1, 1,
                                                      key=t.lab.small.key))
    t.expect_ack(1, msn=2)
    t.expect_memory(SMALL + SMALL_BYTES - 1, b"!")
    t.send("READ_REQUEST", 2, reth=t.reth(SMALL, SMALL_BYTES, key=t.lab.small.key))
    t.expect_read(2, t.read_memory(SMALL, SMALL_BYTES), msn=3)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: a WRITE needs no right to READ, nor a READ one to WRITE."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8, key=t.lab.writable.key))
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(8))
    t.send("READ_REQUEST", 1, reth=t.reth(0, 8, key=t.lab.readable.key))
    t.expect_read(1, data(8), msn=2)

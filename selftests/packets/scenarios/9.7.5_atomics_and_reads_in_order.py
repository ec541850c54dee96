# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: WRITE, READ and atomics one behind the other: answered in order, each once."""
from scenario import data


def run(t):
    t.connect()
    t.write_memory(64, bytes(8))
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ackreq=0)
    t.send("READ_REQUEST", 1, reth=t.reth(8192, 600))
    t.send("FETCH_ADD", 4, atomic=(t.address(64), t.key, 1, 0))
    t.send("FETCH_ADD", 5, atomic=(t.address(64), t.key, 1, 0))
    t.send("READ_REQUEST", 6, reth=t.reth(8192, 8))
    t.expect_read(1, t.read_memory(8192, 600))
    t.expect_atomic(4, 0)
    t.expect_atomic(5, 1)
    t.expect_read(6, t.read_memory(8192, 8), msn=5)
    t.expect_memory(0, data(8))
    t.expect_memory(64, (2).to_bytes(8, "little"))

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.7.2: the AETH of READ responses and of the answer to an atomic carries credits too."""
from scenario import data


def run(t):
    t.connect()
    for _ in range(7):
        t.post_recv()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 600))
    t.expect_read(0, t.read_memory(0, 600), msn=1, credits=5)
    t.write_memory(0, data(8))
    t.post_recv()
    t.send("FETCH_ADD", 3, atomic=(t.address(0), t.key, 0, 0))
    t.expect_atomic(3, int.from_bytes(data(8), "little"), msn=2, credits=6)

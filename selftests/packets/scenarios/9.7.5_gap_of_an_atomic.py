# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: an atomic beyond a gap is not executed before the gap is filled, and then once."""


def run(t):
    t.connect()
    t.write_memory(64, (5).to_bytes(8, "little"))
    t.send("FETCH_ADD", 1, atomic=(t.address(64), t.key, 1, 0))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_silence()
    t.expect_memory(64, (5).to_bytes(8, "little"))
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    t.expect_atomic(1, 5, msn=2)
    t.expect_memory(64, (6).to_bytes(8, "little"))
    t.send("FETCH_ADD", 1, atomic=(t.address(64), t.key, 1, 0))
    t.expect_atomic(1, 5, msn=2)
    t.expect_counters(held_trains=1, duplicate_request=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: what claims to be an atomic that was executed, and is not that one, is dropped."""

CASES = {
    "other address": lambda t: ("FETCH_ADD", {"atomic": (t.address(72), t.key, 1, 0)}),
    "other key": lambda t: ("FETCH_ADD", {"atomic": (t.address(64), t.key ^ 1, 1, 0)}),
    "CMP_SWP": lambda t: ("CMP_SWP", {"atomic": (t.address(64), t.key, 1, 0)}),
    "READ": lambda t: ("READ_REQUEST", {"reth": t.reth(64, 8)}),
}


def run(t, case):
    t.connect()
    t.write_memory(64, bytes(8))
    t.send("FETCH_ADD", 0, atomic=(t.address(64), t.key, 1, 0))
    t.expect_atomic(0, 0, msn=1)
    t.expect_memory(64, (1).to_bytes(8, "little"))
    name, fields = case(t)
    t.send(name, 0, **fields)
    t.expect_dropped("duplicate_bad")
    t.expect_counters(duplicate_request=1)
    t.expect_alive(1, msn=2)

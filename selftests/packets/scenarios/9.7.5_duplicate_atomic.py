# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: an atomic that comes again is not executed: the answer is what it was then."""


CASES = {"FETCH_ADD": "FETCH_ADD", "CMP_SWP": "CMP_SWP"}


def run(t, name):
    t.connect()
    t.write_memory(64, (10).to_bytes(8, "little"))
    t.send(name, 0, atomic=(t.address(64), t.key, 3, 10))
    t.expect_atomic(0, 10, msn=1)
    t.expect_memory(64, (13 if name == "FETCH_ADD" else 3).to_bytes(8, "little"))
    t.write_memory(64, (10).to_bytes(8, "little"))
    t.send(name, 0, atomic=(t.address(64), t.key, 3, 10))
    t.expect_atomic(0, 10, msn=1)
    t.expect_counters(duplicate_request=1)
    t.expect_alive(1, msn=2)

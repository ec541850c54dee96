# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: the saved result needs no memory: the region may have gone meanwhile."""


def run(t):
    t.connect()
    region = t.register(0, 4096)
    t.write_memory(64, bytes(8))
    t.send("FETCH_ADD", 0, atomic=(t.address(64), region.key, 1, 0))
    t.expect_atomic(0, 0, msn=1)
    t.expect_memory(64, (1).to_bytes(8, "little"))
    t.deregister(region)
    t.send("FETCH_ADD", 0, atomic=(t.address(64), region.key, 1, 0))
    t.expect_atomic(0, 0, msn=1)
    t.expect_counters(duplicate_request=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.5: atomics of the peer: memory changes as they say, the answer is what was there."""
CASES = {
    "FETCH_ADD": ("FETCH_ADD", 5, 0, 1000, 1005),
    "FETCH_ADD of 0": ("FETCH_ADD", 0, 0, 1000, 1000),
    "FETCH_ADD wraps": ("FETCH_ADD", 2, 0, (1 << 64) - 1, 1),
    "FETCH_ADD, compare is ignored": ("FETCH_ADD", 1 << 40, 1234, 7, (1 << 40) + 7),
    "CMP_SWP equal": ("CMP_SWP", 0x1122334455667788, 42, 42, 0x1122334455667788),
    "CMP_SWP unequal": ("CMP_SWP", 0x1122334455667788, 43, 42, 42),
    "CMP_SWP, high half differs": ("CMP_SWP", 1, 42, 42 | 1 << 63, 42 | 1 << 63),
}


def run(t, case):
    name, swap_add, compare, before, after = case
    t.connect()
    t.write_memory(64, before.to_bytes(8, "little"))
    t.send(name, 0, atomic=(t.address(64), t.key, swap_add, compare))
    t.expect_atomic(0, before, msn=1)
    t.expect_memory(64, after.to_bytes(8, "little"))
    t.expect_alive(1, msn=2)

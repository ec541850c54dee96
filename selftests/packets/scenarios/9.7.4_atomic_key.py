# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: keys, rights and ranges of atomics: access error, memory untouched."""
from scenario import SMALL, SMALL_BYTES

CASES = {
    "no such key": lambda t: (t.address(64), 0xbad),
    "of a stranger's domain": lambda t: (t.address(64), t.lab.strange.key),
    "a writable region": lambda t: (t.address(64), t.lab.writable.key),
    "a readable region": lambda t: (t.address(64), t.lab.readable.key),
    "before the region": lambda t: (t.address(SMALL) & ~7, t.lab.small.key),
    "over the end of the region": lambda t: ((t.address(SMALL) + SMALL_BYTES) & ~7,
                                             t.lab.small.key),
    "wraps": lambda t: ((1 << 64) - 8, t.key),
}


def run(t, case):
    address, key = case(t)
    t.connect()
    t.send("FETCH_ADD", 0, atomic=(address, key, 1, 0))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)

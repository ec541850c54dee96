# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: one byte before a region, or behind it, or all of the address space."""
from scenario import SMALL, SMALL_BYTES, data

CASES = {
    "one before": lambda t: (t.address(SMALL) - 1, 8),
    "one behind": lambda t: (t.address(SMALL) + SMALL_BYTES - 7, 8),
    "just behind": lambda t: (t.address(SMALL) + SMALL_BYTES, 8),
    "far behind": lambda t: (t.address(SMALL) + (1 << 32), 8),
    "address 0": lambda t: (0, 8),
    "highest address": lambda t: ((1 << 64) - 8, 8),
    "wraps": lambda t: ((1 << 64) - 4, 8),
}


def run(t, case):
    t.connect()
    address, length = case(t)
    t.send("WRITE_ONLY", 0, payload=data(length), reth=(address, t.lab.small.key, length))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)

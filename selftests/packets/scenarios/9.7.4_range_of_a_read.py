# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: READs whose range is not in the region; 2 GiB that wrap the address space too."""
from scenario import SMALL, SMALL_BYTES

CASES = {
    "one before": lambda t: (t.address(SMALL) - 1, 8),
    "one too long": lambda t: (t.address(SMALL), SMALL_BYTES + 1),
    "2 GiB": lambda t: (t.address(SMALL), 1 << 31),
    "wraps": lambda t: ((1 << 64) - 4, 8),
    "wraps, 2 GiB": lambda t: ((1 << 64) - 4096, 1 << 31),
}


def run(t, case):
    t.connect()
    address, length = case(t)
    t.send("READ_REQUEST", 0, reth=(address, t.lab.small.key, length))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR")

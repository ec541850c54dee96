# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2: PSNs that never came: the message that is there is taken."""
CASES = {"1": 1, "100": 100, "half the space": 0x7ffff0}


def run(t, ahead):
    t.connect(transport="UC")
    t.expect_next(ahead)
    t.expect_next(ahead + 1)

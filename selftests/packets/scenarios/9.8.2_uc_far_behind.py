# SPDX-License-Identifier: GPL-2.0
"""A PSN far behind is that of a peer that began anew, and no late packet."""
CASES = {"half the space": -0x7fffff, "10000": -10000}


def run(t, psn):
    t.connect(transport="UC")
    t.expect_next(0)
    t.expect_next(psn)

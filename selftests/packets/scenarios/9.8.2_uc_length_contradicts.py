# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.4: the length of the RETH is not that of the packets: dropped in silence."""
from scenario import REMOTE, data

CASES = {"ONLY shorter": (8, 4), "ONLY longer": (4, 8), "ONLY of nothing": (4, 0)}


def run(t, case):
    announced, length = case
    t.connect(transport="UC")
    t.send("UC_WRITE_ONLY", 0, payload=data(length), reth=t.reth(REMOTE, announced))
    t.expect_dropped("refused")
    t.expect_next(1)

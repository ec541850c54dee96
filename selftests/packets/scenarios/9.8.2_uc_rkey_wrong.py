# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.3: a WRITE with a bad R_Key is dropped in silence; the next message arrives."""
from scenario import data

CASES = {
    "0": lambda t: 0,
    "other variant": lambda t: t.key ^ 1,
    "of a stranger's domain": lambda t: t.lab.strange.key,
    "without the right": lambda t: t.lab.readable.key,
}


def run(t, key):
    t.connect(transport="UC")
    t.send("UC_WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8, key=key(t)))
    t.expect_dropped("refused")
    t.expect_next(1)

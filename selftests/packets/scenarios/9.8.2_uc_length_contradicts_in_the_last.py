# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.4: the LAST shows that the length of the RETH was wrong."""
from scenario import REMOTE, data

CASES = {"shorter": 300, "longer": 265}


def run(t, announced):
    t.connect(transport="UC")
    t.send("UC_WRITE_FIRST", 0, payload=data(256), reth=t.reth(REMOTE, announced))
    t.send("UC_WRITE_LAST", 1, payload=data(10))
    t.expect_memory(REMOTE, data(256))
    t.expect_dropped("refused")
    t.expect_next(2)

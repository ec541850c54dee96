# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.5: a WRITE with immediate that finds no receive completes nothing."""
from scenario import REMOTE, data


def run(t):
    t.connect(transport="UC")
    t.send("UC_WRITE_FIRST", 0, payload=data(256), reth=t.reth(REMOTE, 300))
    t.expect_memory(REMOTE, data(256))
    t.send("UC_WRITE_LAST_IMM", 1, payload=data(44, 2), imm=5)
    t.expect_dropped("no_recv")
    t.shadow[REMOTE + 256:REMOTE + 300] = t.read_memory(REMOTE + 256, 44)
    t.expect_next(2)

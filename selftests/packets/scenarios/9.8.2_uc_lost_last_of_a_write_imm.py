# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2: without its LAST a WRITE with immediate completes nothing."""
from scenario import REMOTE, data


def run(t):
    t.connect(transport="UC")
    t.post_recv()
    t.send("UC_WRITE_FIRST", 0, payload=data(256), reth=t.reth(REMOTE, 300))
    t.expect_memory(REMOTE, data(256))
    t.send("UC_WRITE_LAST_IMM", 2, payload=data(44), imm=5)
    t.expect_dropped("sequence")
    t.expect_no_completion()
    t.expect_next(3, receive=False)

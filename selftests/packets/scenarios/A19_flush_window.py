# SPDX-License-Identifier: GPL-2.0
"""IBA A19: FLUSH through a window, which grants no more than its region."""
import qp

RANGE, REGION = 0x01, 0x11
CASES = {
    "range": (RANGE, 1000, 600, None),
    "all of the window": (REGION, 0, 0, None),
    "above": (RANGE, 1593, 8, "ACCESS"),
    "below": (RANGE, 999, 8, "ACCESS"),
}


def run(t, case):
    feth, offset, length, refused = case
    t.flushable()
    t.connect(access=qp.ALL_ACCESS | qp.FLUSH_GLOBAL)
    window = t.window(2, 1000, 600, access=qp.FLUSH_GLOBAL, region_access=qp.FLUSH_GLOBAL)
    t.send("FLUSH", 0, feth=feth, reth=t.reth(offset, length, key=window.key))
    if refused:
        t.expect_fatal(refused, 0, "QP_ACCESS_ERR", msn=0)
        return
    t.expect_read(0, b"", msn=1)
    t.expect_alive(1, msn=2)

# SPDX-License-Identifier: GPL-2.0
"""IBA A19: FLUSH through a window, which grants no more than its region."""
import qp

RANGE, REGION = 0x01, 0x11
CASES = {
    "range": (RANGE, 1000, 600, False, False),
    "all of the window": (REGION, 0, 0, False, False),
    "above": (RANGE, 1593, 8, False, True),
    "below": (RANGE, 999, 8, False, True),
    "another QP's": (RANGE, 1000, 600, True, True),
    "all of another QP's": (REGION, 0, 0, True, True),
}


def run(t, case):
    feth, offset, length, strange, refused = case
    t.flushable()
    t.connect(access=qp.ALL_ACCESS | qp.FLUSH_GLOBAL)
    window = t.window(2, 1000, 600, access=qp.FLUSH_GLOBAL, region_access=qp.FLUSH_GLOBAL,
                      other_qp=strange)
    t.send("FLUSH", 0, feth=feth, reth=t.reth(offset, length, key=window.key))
    if refused:
        t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)
        return
    t.expect_read(0, b"", msn=1)
    t.expect_alive(1, msn=2)

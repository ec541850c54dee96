# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8, table 45: the RNR NAK carries the timer code of the QP; all but a few tried."""

CASES = {str(code): code for code in (0, 1, 2, 15, 16, 30, 31)}


def run(t, code):
    t.connect(min_rnr_timer=code)
    t.send("SEND_ONLY", 0)
    t.expect_rnr(0, timer=code, msn=0)

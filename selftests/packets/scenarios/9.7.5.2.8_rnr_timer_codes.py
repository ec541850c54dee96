# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8, table 45: the RNR NAK carries the timer code of the QP."""

CASES = {str(code): code for code in range(32)}


def run(t, code):
    t.connect(min_rnr_timer=code)
    t.send("SEND_ONLY", 0)
    t.expect_rnr(0, timer=code, msn=0)

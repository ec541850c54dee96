# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: a CNP is counted, and no more."""


def run(t):
    t.connect()
    t.send("CNP", 0, becn=1)
    t.expect_counters(rp_cnp_handled=1)
    t.expect_silence()
    t.expect_alive(0, msn=1)

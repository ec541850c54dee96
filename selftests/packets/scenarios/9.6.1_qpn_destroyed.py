# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a QP that was destroyed is none."""


def run(t):
    t.connect()
    t.expect_alive(0, msn=1)
    t.destroy_qp()
    t.send("WRITE_ONLY", 1, reth=(0, 0, 0))
    t.expect_dropped("no_qp")
